// How a subproblem comes out of another: one query node is fixed, and what that rules out is left behind.
#include <limits>
#include <stdexcept>

#include "relaxation.hpp"

namespace prune4sed {

// Fixing a row takes its edge out of the stars of its neighbours, and from most of them nothing else. Later children
// find less alive, so the values may be a little low for them; they are bounds all the same.
template <class Cost>
void Relaxation<Cost>::leave_out(Level<Cost>& level, int row) {
    level.without.resize(level.column.size());
    level.without_row = row;
    reserve_prices(level);
    jobs_.clear();
    for (int i = level.link_offset[row]; i < level.link_offset[row + 1]; ++i) {
        const int r = level.link_row[i], degree = level.degree(r);
        for (int p = level.pair_offset[r]; p < level.pair_offset[r + 1]; ++p) {
            if (!level.alive[p]) continue;
            jobs_.push_back({level.share.data() + level.star_offset[p], degree - 1, level.star_columns[p],
                             level.link_back[i], -1, row_price_.data(), column_price_.data(), &level.without[p]});
        }
    }
    solve_jobs();  // if that is stopped, nothing is derived any more
}

// The child in which parent row `row` is fixed to the column of `pair` (row < 0: the same level, dead pairs gone).
// The assignment test comes first, on values inherited from the parent where the fixed node is no neighbour;
// most children end there and never get stars of their own.
template <class Cost>
bool Relaxation<Cost>::derive(const Level<Cost>& parent, Level<Cost>& child, int row, int pair) {
    if (row >= 0 && parent.without_row != row) throw std::logic_error("derive: leave_out was called for another row");
    if (row >= 0 && assigned_[parent.node[row]] != parent.column[pair])
        throw std::logic_error("derive: what is fixed is not assigned");
    child.without_row = -1;  // of whatever stood there before
    derive_rows(parent, child, row);
    child.rings = row >= 0 ? still_whole(parent.wanted, parent.node[row]) : parent.rings;
    if (!child.has_open_edges()) child.rings = 0;  // so that the assignment is exact
    child.wanted = child.rings;
    if (!derive_pairs(parent, child, row, pair)) return false;
    give_back_values(child, parent.rings);
    if (!assign(child)) return false;
    keep_filtered(parent, child);
    derive_stars(parent, child);
    give_back_shares(child, parent.rings);
    return true;
}

template <class Cost>
void Relaxation<Cost>::derive_rows(const Level<Cost>& parent, Level<Cost>& child, int row) {
    const int rows = parent.rows();
    skip_.assign(rows, -1);  // where a row's links name the fixed row
    if (row >= 0)
        for (int i = parent.link_offset[row]; i < parent.link_offset[row + 1]; ++i)
            skip_[parent.link_row[i]] = parent.link_back[i];
    child.node.clear();
    child.link_offset.assign(1, 0);
    child.link_row.clear();
    child.link_back.clear();
    child.link_class.clear();
    child.link_edge.clear();
    for (int r = 0; r < rows; ++r) {
        if (r == row) continue;
        child.node.push_back(parent.node[r]);
        for (int i = parent.link_offset[r]; i < parent.link_offset[r + 1]; ++i) {
            const int w = parent.link_row[i], back = parent.link_back[i];
            if (w == row) continue;
            child.link_row.push_back(w - (row >= 0 && w > row));
            child.link_back.push_back(back - (skip_[w] >= 0 && skip_[w] < back));
            child.link_class.push_back(parent.link_class[i]);
            child.link_edge.push_back(parent.link_edge[i]);
        }
        child.link_offset.push_back(static_cast<int>(child.link_row.size()));
    }
    order_rows(parent, child, row);
}

// Sweeps begin beside the row that has been fixed, where there is news, and go on from neighbour to neighbour.
template <class Cost>
void Relaxation<Cost>::order_rows(const Level<Cost>& parent, Level<Cost>& child, int row) {
    child.order.clear();
    seen_.assign(child.rows(), 0);
    const auto add = [&](int r) {
        if (!seen_[r]) child.order.push_back(r);
        seen_[r] = 1;
    };
    if (row >= 0)
        for (int i = parent.link_offset[row]; i < parent.link_offset[row + 1]; ++i)
            add(parent.link_row[i] - (parent.link_row[i] > row));
    std::size_t done = 0;
    for (int start = 0; start < child.rows(); add(start++))
        for (; done < child.order.size(); ++done)
            for (int i = child.link_offset[child.order[done]]; i < child.link_offset[child.order[done] + 1]; ++i)
                add(child.link_row[i]);
}

// Which column of a star stands for a target node; -1 if no entry of it is live.
template <class Cost>
int Relaxation<Cost>::star_column(const Level<Cost>& level, int pair, int degree, int target) const {
    const int columns = level.star_columns[pair], begin = level.star_offset[pair];
    for (int e = begin; e < begin + degree * columns; ++e)
        if (level.partner[e] >= 0 && level.column[level.partner_pair[e]] == target) return (e - begin) % columns;
    return -1;
}

// How far rows are from the one that is fixed, along open edges: 1, 2, or more.
template <class Cost>
void Relaxation<Cost>::measure_distance(const Level<Cost>& parent, int row) {
    distance_.assign(parent.rows(), 3);
    const auto links = [&](int r, auto&& visit) {
        for (int i = parent.link_offset[r]; i < parent.link_offset[r + 1]; ++i) visit(parent.link_row[i]);
    };
    links(row, [&](int w) { links(w, [&](int x) { distance_[x] = 2; }); });
    links(row, [&](int w) { distance_[w] = 1; });
}

// The most that a pair of another row may cost for a better mapping to use it with the fixed one. A mapping costs the
// bound, plus the reduced costs of all its pairs, plus, for each of their stars, what prices exceed the kept shares by,
// edge by edge. What looking ahead finds of a pair draws on its own reduced cost and star, and on those of its neighbours'
// reduced costs and edge sides that concern it. Nothing must be counted twice: beside the fixed row only reduced costs add
// up, two steps away the one looks ahead and the other does not, and from three steps on both may.
template <class Cost>
auto Relaxation<Cost>::room_with(const Level<Cost>& parent, int pair, int other_row) const -> Room {
    constexpr Cost any = std::numeric_limits<Cost>::max();
    if (pair < 0) return {any, any};
    const Cost room = cutoff() - parent.bound, reduced = room - parent.reduced[pair], slack = room - parent.slack[pair];
    switch (distance_[other_row]) {
        case 1: return {reduced, any};
        case 2: return {slack, reduced};
        default: return {slack, slack};
    }
}

// What a link saves at a level if its ends go to these columns.
template <class Cost>
Cost Relaxation<Cost>::kept_saving(const Level<Cost>& level, int link, int c1, int c2) const {
    const auto gain = static_cast<Cost>(instance_.column_gain(level.link_class[link], c1, c2));
    return gain == 0 ? 0 : scale_ * gain - rings_.of_edge(level.link_edge[link], level.rings);
}

template <class Cost>
bool Relaxation<Cost>::derive_pairs(const Level<Cost>& parent, Level<Cost>& child, int row, int pair) {
    const int taken = row >= 0 ? parent.column[pair] : -1;
    child.base = parent.base + (row >= 0 ? parent.fixed[pair] : Cost{0});
    child.pair_offset.assign(1, 0);
    child.column.clear();
    child.fixed.clear();
    child.value.resize(parent.column.size());  // so that no job's place moves
    origin_.clear();
    jobs_.clear();
    reserve_prices(parent);
    if (row >= 0) measure_distance(parent, row);
    for (int r = 0; r < parent.rows(); ++r) {
        if (r == row) continue;
        const int degree = parent.degree(r), skip = skip_[r], rows = degree - (skip >= 0);
        const int begin = static_cast<int>(child.column.size());
        const Room room = room_with(parent, pair, r);
        for (int p = parent.pair_offset[r]; p < parent.pair_offset[r + 1]; ++p) {
            const int c = parent.column[p];
            if (!parent.alive[p] || c == taken) continue;
            if (parent.reduced[p] > room.reduced || parent.slack[p] > room.slack) continue;
            Cost fixed = parent.fixed[p];
            const bool beside = row >= 0 && instance_.adjacent(taken, c);
            if (skip >= 0) fixed -= kept_saving(parent, parent.link_offset[r] + skip, taken, c);
            Cost& value = child.value[child.column.size()];
            value = fixed - (skip >= 0 ? parent.without[p] : parent.fixed[p] - parent.value[p]);
            if (beside)
                jobs_.push_back({parent.share.data() + parent.star_offset[p], rows, parent.star_columns[p], skip,
                                 star_column(parent, p, degree, taken), row_price_.data(), column_price_.data(), &value});
            origin_.push_back(p);
            child.column.push_back(c);
            child.fixed.push_back(fixed);
        }
        if (static_cast<int>(child.column.size()) == begin) return false;
        child.pair_offset.push_back(static_cast<int>(child.column.size()));
    }
    if (solve_jobs()) return false;
    for (const Job& job : jobs_) *job.value = child.fixed[job.value - child.value.data()] - *job.value;
    child.value.resize(child.column.size());
    child.alive.assign(child.column.size(), 1);
    return true;
}

// Reduced-cost filter and compaction in one go.
template <class Cost>
void Relaxation<Cost>::keep_filtered(const Level<Cost>& parent, Level<Cost>& child) {
    const Cost room = cutoff() - child.bound;
    const int rows = child.rows();
    new_index_.assign(parent.column.size(), -1);
    child.pair_row.clear();
    child.slack.clear();
    int kept = 0, begin = 0;
    for (int r = 0; r < rows; ++r) {
        const int end = child.pair_offset[r + 1];
        for (int i = begin; i < end; ++i) {
            const Cost slack = child.value[i] - assignment_.row_dual(r) - assignment_.column_dual(child.column[i]);
            if (slack > room) continue;
            new_index_[origin_[i]] = kept;
            origin_[kept] = origin_[i];
            child.column[kept] = child.column[i];
            child.fixed[kept] = child.fixed[i];
            child.value[kept] = child.value[i];
            child.pair_row.push_back(r);
            child.slack.push_back(slack);
            ++kept;
        }
        begin = end;
        child.pair_offset[r + 1] = kept;
    }
    origin_.resize(kept);
    child.column.resize(kept);
    child.fixed.resize(kept);
    child.value.resize(kept);
    child.alive.assign(kept, 1);
    child.reduced.resize(kept);
}

// Copies what is left of a star: entries whose partner pair survived, and columns that still have such an entry. Every
// child that is not ruled out at once pays for this, so it works on plain pointers: the compiler would otherwise look up
// after each store where the vectors are.
template <class Cost>
int Relaxation<Cost>::copy_star(const Level<Cost>& parent, Level<Cost>& child, int pair, int child_pair, int next) {
    const int row = parent.pair_row[pair], degree = parent.degree(row), skip = skip_[row];
    const int columns = parent.star_columns[pair], begin = parent.star_offset[pair], size = degree * columns;
    const int* const partner = parent.partner.data() + begin;
    const int* const partner_pair = parent.partner_pair.data() + begin;
    const int* const new_index = new_index_.data();
    int* const heir = heir_.data();  // of the partner pair in the child, or -1
    for (int e = 0; e < size; ++e) heir[e] = new_index[partner_pair[e]] | (partner[e] >> 31);
    if (skip >= 0) std::fill_n(heir + skip * columns, columns, -1);
    int* const kept = kept_columns_.data();
    int width = 0;
    for (int j = 0; j < columns; ++j) {
        int none = -1;  // stays negative where all entries are
        for (int e = j; e < size; e += columns) none &= heir[e];
        kept[width] = j;
        width += none >= 0;
    }
    child.star_columns[child_pair] = width;
    const Cost* const share = parent.share.data() + begin;
    int* const new_entry = new_entry_.data() + 1 + begin;
    int* const child_partner = child.partner.data();
    int* const child_partner_pair = child.partner_pair.data();
    Cost* const child_share = child.share.data();
    const float* const kept_before = parent.used.empty() ? nullptr : parent.kept.data() + begin;
    float* const child_kept = child.kept.data();
    for (int i = 0; i < degree; ++i) {
        if (i == skip) continue;
        for (int k = 0; k < width; ++k, ++next) {
            const int e = i * columns + kept[k];
            const int gone = heir[e] >> 31;  // all bits or none
            new_entry[e] = next;
            child_partner[next] = partner[e] | gone;  // renumbered by the caller
            child_partner_pair[next] = heir[e] & ~gone;
            child_share[next] = share[e] & ~static_cast<Cost>(gone);
            if (kept_before) child_kept[next] = kept_before[e];
        }
    }
    return next;
}

// Room for what copy_star notes of any one star.
template <class Cost>
void Relaxation<Cost>::reserve_star(const Level<Cost>& parent) {
    int largest = 0, widest = 0;
    for (int p : origin_) {
        widest = std::max(widest, parent.star_columns[p]);
        largest = std::max(largest, parent.degree(parent.pair_row[p]) * parent.star_columns[p]);
    }
    if (static_cast<int>(heir_.size()) < largest) heir_.resize(largest);
    if (static_cast<int>(kept_columns_.size()) <= widest) kept_columns_.resize(widest + 1);
}

template <class Cost>
void Relaxation<Cost>::derive_stars(const Level<Cost>& parent, Level<Cost>& child) {
    const int pairs = static_cast<int>(child.column.size());
    std::size_t capacity = 0;
    for (int p : origin_) capacity += static_cast<std::size_t>(parent.degree(parent.pair_row[p])) * parent.star_columns[p];
    if (static_cast<int>(new_entry_.size()) <= parent.entries) new_entry_.resize(parent.entries + 1);
    new_entry_[0] = -1;
    reserve_star(parent);
    if (child.partner.size() < capacity) {
        for (auto* entries : {&child.partner, &child.partner_pair}) {
            entries->clear();  // nothing to keep when it moves
            entries->resize(capacity);
        }
        child.share.clear();
        child.share.resize(capacity);
    }
    child.used.clear();
    if (!parent.used.empty()) {
        for (int p : origin_) child.used.push_back(parent.used[p]);
        if (child.kept.size() < capacity) {
            child.kept.clear();
            child.kept.resize(capacity);
        }
    }
    child.star_offset.resize(pairs);
    child.star_columns.resize(pairs);
    int next = 0;
    for (int c = 0; c < pairs; ++c) {
        child.star_offset[c] = next;
        next = copy_star(parent, child, origin_[c], c, next);
    }
    int* const partner = child.partner.data();
    const int* const new_entry = new_entry_.data() + 1;
    for (int e = 0; e < next; ++e) partner[e] = new_entry[partner[e]];
    child.entries = next;
    work_ += next;
}

template void Relaxation<std::int32_t>::leave_out(Level<std::int32_t>&, int);
template void Relaxation<std::int64_t>::leave_out(Level<std::int64_t>&, int);
template bool Relaxation<std::int32_t>::derive(const Level<std::int32_t>&, Level<std::int32_t>&, int, int);
template bool Relaxation<std::int64_t>::derive(const Level<std::int64_t>&, Level<std::int64_t>&, int, int);

}  // namespace prune4sed
