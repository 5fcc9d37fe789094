#include "relaxation.hpp"

#include <limits>

namespace prune4sed {
namespace {

constexpr std::int64_t kEntriesPerCheck = 100'000;  // a fraction of a millisecond

}  // namespace

template <class Cost>
void Relaxation<Cost>::prepare(Cost scale, StopWatch& watch) {
    scale_ = scale;
    rings_.clear(instance_.query().num_edges());
    largest_share_ = instance_.query().num_edges() == 0 ? 0 : scale * static_cast<Cost>(instance_.costs().edge_deletion);
    watch_ = &watch;
    work_ = next_check_ = 0;
    ceiling_ = std::numeric_limits<std::int64_t>::max();
    assigned_.assign(instance_.nq(), -1);
    assignment_.reset_columns(instance_.num_columns());
}

template <class Cost>
Cost Relaxation<Cost>::cutoff() const {
    return limit() < 0 ? Cost{-1} : static_cast<Cost>(limit()) * scale_;
}

// Counts work and looks at the clock now and then; true: stop.
template <class Cost>
bool Relaxation<Cost>::pause(std::size_t entries) {
    work_ += static_cast<std::int64_t>(entries);
    if (work_ < next_check_) return watch_->stopped();
    next_check_ = work_ + kEntriesPerCheck;
    return watch_->check();
}

template <class Cost>
void Relaxation<Cost>::count_target_classes() {
    const int classes = instance_.num_edge_classes() + 2;
    class_degree_.assign(static_cast<std::size_t>(instance_.nt()) * classes, 0);
    for (int v = 0; v < instance_.nt(); ++v)
        for (int e : instance_.target().edge_ids(v)) ++class_degree_[v * classes + instance_.target_edge_class(e)];
}

// Half of the most that u's edges can save when u goes to v: equal labels first, then relabelled edges.
template <class Cost>
Cost Relaxation<Cost>::degree_share(int u, int v) const {
    const int dq = instance_.query().degree(u), dt = instance_.target().degree(v);
    const std::int64_t whole = instance_.costs().edge_deletion, relabelled = whole - instance_.costs().edge_relabel;
    std::int64_t equal = std::min(dq, dt);
    if (!class_degree_.empty()) {
        const int classes = instance_.num_edge_classes() + 2;
        const int* degree = class_degree_.data() + static_cast<std::size_t>(v) * classes;
        const int* incident = instance_.incident_classes(u);
        equal = 0;
        for (int i = 0; i < dq; ++i) {  // the j-th edge of a class finds a partner if v has more than j of them
            int earlier = 0;
            for (int j = 0; j < i; ++j) earlier += incident[j] == incident[i];
            equal += earlier < degree[incident[i] + 1];
        }
    }
    const std::int64_t best = equal * whole + (std::min(dq, dt) - equal) * relabelled;
    return scale_ / 2 * static_cast<Cost>(best);
}

template <class Cost>
bool Relaxation<Cost>::root_assignment() {
    Level<Cost>& root = root_;
    root.pair_offset.assign(1, 0);
    root.column.clear();
    root.value.clear();
    class_degree_.clear();
    // With one edge class on both sides the degrees say it all.
    bool several = instance_.num_edge_classes() > 1;
    for (int e = 0; e < instance_.target().num_edges(); ++e) several |= instance_.target_edge_class(e) != 1;
    if (several) count_target_classes();
    for (int u = 0; u < instance_.nq(); ++u) {
        if (watch_->overdue()) return false;
        for (int v = 0; v < instance_.nt(); ++v) {
            root.column.push_back(v);
            root.value.push_back(scale_ * static_cast<Cost>(instance_.node_cost(u, v)) - degree_share(u, v));
        }
        if (instance_.deletions()) {
            root.column.push_back(instance_.nt() + u);
            root.value.push_back(scale_ * static_cast<Cost>(instance_.costs().node_deletion));
        }
        root.pair_offset.push_back(static_cast<int>(root.column.size()));
    }
    root.alive.assign(root.column.size(), 1);
    root.slack.resize(root.column.size());
    // Feasible by construction: deletions are offered whenever target nodes could run out.
    if (assignment_.solve(root.pair_offset, root.column, root.value, root.alive, watch_) !=
        Assignment<Cost>::Status::Solved)
        return false;
    root_bound_ = std::max<Cost>(0, scale_ * static_cast<Cost>(instance_.all_edges_cost()) + assignment_.value());
    candidate_map_.resize(instance_.nq());
    for (int u = 0; u < instance_.nq(); ++u) {
        candidate_map_[u] = assignment_.matched_column(u);
        for (int p = root.pair_offset[u]; p < root.pair_offset[u + 1]; ++p)
            root.slack[p] = root.value[p] - assignment_.row_dual(u) - assignment_.column_dual(root.column[p]);
    }
    return true;
}

template <class Cost>
bool Relaxation<Cost>::root_candidates(std::vector<std::vector<int>>& candidates) const {
    const Cost slack = cutoff() - root_bound_;
    if (static_cast<int>(candidates.size()) < instance_.nq()) candidates.resize(instance_.nq());
    for (int u = 0; u < instance_.nq(); ++u) {
        candidates[u].clear();
        for (int p = root_.pair_offset[u]; p < root_.pair_offset[u + 1]; ++p)
            if (root_.slack[p] <= slack) candidates[u].push_back(root_.column[p]);
        if (candidates[u].empty()) return false;
    }
    return true;
}

template <class Cost>
std::size_t Relaxation<Cost>::count_entries(const std::vector<std::vector<int>>& candidates) const {
    std::size_t entries = 0;
    for (int u = 0; u < instance_.nq(); ++u)
        for (int v : candidates[u])
            if (instance_.is_target(v))
                entries += static_cast<std::size_t>(instance_.query().degree(u)) * instance_.target().degree(v);
    return entries;
}

template <class Cost>
bool Relaxation<Cost>::assign(Level<Cost>& level) {
    if (assignment_.solve(level.pair_offset, level.column, level.value, level.alive, nullptr) ==
        Assignment<Cost>::Status::Infeasible)
        return false;
    assigned_level_ = &level;
    return heed_assignment(level);
}

// Takes over the bound; the assignment may be a mapping worth having, too.
template <class Cost>
bool Relaxation<Cost>::heed_assignment(Level<Cost>& level) {
    level.bound = level.base + assignment_.value();
    if (level.bound > cutoff()) return false;
    candidate_map_ = assigned_;
    for (int r = 0; r < level.rows(); ++r) candidate_map_[level.node[r]] = assignment_.matched_column(r);
    return !local_search_.offer(candidate_map_) || level.bound <= cutoff();
}

// Reduced costs against the cut-off: a pair whose use alone exceeds it cannot be part of a better mapping.
template <class Cost>
bool Relaxation<Cost>::filter(Level<Cost>& level) {
    const Cost room = cutoff() - level.bound;
    for (int r = 0; r < level.rows(); ++r) {
        bool any = false;
        for (int p = level.pair_offset[r]; p < level.pair_offset[r + 1]; ++p) {
            if (!level.alive[p]) continue;
            level.reduced[p] = level.value[p] - assignment_.row_dual(r) - assignment_.column_dual(level.column[p]);
            level.slack[p] = level.reduced[p];
            if (level.slack[p] > room) kill(level, p);
            else any = true;
        }
        if (!any) return false;
    }
    return true;
}

template <class Cost>
void Relaxation<Cost>::kill(Level<Cost>& level, int pair) {
    level.alive[pair] = 0;
    const int begin = level.star_offset[pair];
    const int end = begin + level.degree(level.pair_row[pair]) * level.star_columns[pair];
    int* const partner = level.partner.data();
    Cost* const share = level.share.data();
    for (int e = begin; e < end; ++e) {
        const int other = live_or(partner[e], e);
        partner[other] = partner[e] = -1;
        share[other] = share[e] = 0;
    }
}

// Room for the prices of any one star, for whoever wants only the values.
template <class Cost>
void Relaxation<Cost>::reserve_prices(const Level<Cost>& level) {
    int widest = 0, deepest = 0;
    for (int c : level.star_columns) widest = std::max(widest, c);
    for (int r = 0; r < level.rows(); ++r) deepest = std::max(deepest, level.degree(r));
    if (static_cast<int>(column_price_.size()) < widest) column_price_.resize(widest);
    if (static_cast<int>(row_price_.size()) < deepest) row_price_.resize(deepest);
}

// Places for the prices of all stars: those of row r are in edge_price_ from price_begin_[r] on, pair by pair, and those of
// the columns of pair p in far_price_ from far_begin_[p] on.
template <class Cost>
void Relaxation<Cost>::lay_out_prices(const Level<Cost>& level) {
    price_begin_.assign(1, 0);
    for (int r = 0; r < level.rows(); ++r)
        price_begin_.push_back(price_begin_[r] + level.degree(r) * (level.pair_offset[r + 1] - level.pair_offset[r]));
    far_begin_.assign(1, 0);
    for (int columns : level.star_columns) far_begin_.push_back(far_begin_.back() + columns);
    if (static_cast<int>(edge_price_.size()) < price_begin_.back()) edge_price_.resize(price_begin_.back());
    if (static_cast<int>(far_price_.size()) < far_begin_.back()) far_price_.resize(far_begin_.back());
}

// The stars of one row's live pairs, all at once. Returns the entries worked through.
template <class Cost>
std::size_t Relaxation<Cost>::solve_row(Level<Cost>& level, int row) {
    const int degree = level.degree(row), begin = level.pair_offset[row], end = level.pair_offset[row + 1];
    std::size_t width = 0;
    jobs_.clear();
    for (int p = begin; p < end; ++p) {
        if (!level.alive[p]) continue;
        width += level.star_columns[p];
        jobs_.push_back({level.share.data() + level.star_offset[p], degree, level.star_columns[p], -1, -1,
                         edge_price_.data() + price_begin_[row] + (p - begin) * degree, far_price_.data() + far_begin_[p],
                         &level.value[p]});
    }
    star_.solve_all(jobs_, largest_share_);
    for (int p = begin; p < end; ++p)
        if (level.alive[p]) level.value[p] = level.fixed[p] - level.value[p];
    return degree * width;
}

// All jobs, in slices with a look at the clock between them; true: stopped on the way.
template <class Cost>
bool Relaxation<Cost>::solve_jobs() {
    const std::span<const Job> jobs(jobs_);
    for (std::size_t begin = 0, end = 0; begin < jobs.size(); begin = end) {
        std::size_t entries = 0;
        while (end < jobs.size() && entries < kEntriesPerCheck) {
            entries += static_cast<std::size_t>(jobs[end].rows) * jobs[end].columns;
            ++end;
        }
        star_.solve_all(jobs.subspan(begin, end - begin), largest_share_);
        if (pause(entries)) return true;
    }
    return watch_->stopped();
}

// The stars of all live pairs; jobs_ knows the prices of each. True: stopped, and the values are of no use.
template <class Cost>
bool Relaxation<Cost>::solve_rows(Level<Cost>& level) {
    if (watch_->stopped()) return true;
    lay_out_prices(level);
    jobs_.clear();
    Cost* edge_price = edge_price_.data();
    for (std::size_t p = 0; p < level.column.size(); ++p) {
        const int degree = level.degree(level.pair_row[p]);
        if (level.alive[p] && degree > 0)
            jobs_.push_back({level.share.data() + level.star_offset[p], degree, level.star_columns[p], -1, -1, edge_price,
                             far_price_.data() + far_begin_[p], &level.value[p]});
        edge_price += degree;
    }
    if (solve_jobs()) return true;
    for (const Job& job : jobs_) *job.value = level.fixed[job.value - level.value.data()] - *job.value;
    return false;
}

template <class Cost>
bool Relaxation<Cost>::evaluate(Level<Cost>& level) {
    return solve_rows(level) || (assign(level) && filter(level));
}

template class Relaxation<std::int32_t>;
template class Relaxation<std::int64_t>;

}  // namespace prune4sed
