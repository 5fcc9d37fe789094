#include "tree_search.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace prune4sed {
namespace {

constexpr int kNodeSweeps = 12, kNodePatience = 5;
constexpr int kNodeSteps = 28, kMostEntries = 40'000;  // primal-dual steps, and of levels of how many star entries
constexpr int kLearnAfter = 16;  // times the entries of the level, a few times what learning costs
constexpr int kDecaySteps = 8;  // per halving

// Powers of 2^(-1/8) by plain multiplication, so that they are the same on every machine.
const std::array<double, 128>& decay_table() {
    static const std::array<double, 128> table = [] {
        std::array<double, 128> values{};
        double value = 1.0;
        for (double& entry : values) {
            entry = value;
            value *= 0.91700404320467122;
        }
        return values;
    }();
    return table;
}

}  // namespace

template <class Cost>
void TreeSearch<Cost>::start(Level<Cost>& root, const std::vector<int>* twins) {
    twins_ = twins;
    const std::size_t depths = root.rows() + 1;
    if (below_.size() < depths) below_.resize(depths);
    if (frames_.size() < depths) frames_.resize(depths);
    root_ = &root;
    assigned_.assign(instance_.nq(), -1);
    relaxation_.assigned() = assigned_;
    depth_ = -1;
    if (!branch(0)) return;
    depth_ = 0;
    begun_ = std::max(1e-9, candidates(root, frames_[0].row));
}

template <class Cost>
void TreeSearch<Cost>::use_symmetries(const Symmetries* query, const Symmetries* target) {
    query_symmetries_ = query;
    target_symmetries_ = target;
    std::vector<int> assigned(instance_.nq(), -1);
    for (int d = 0; d <= depth_; ++d) {
        find_orbits(frames_[d], level(d), assigned);
        if (d < depth_) assigned[level(d).node[frames_[d].row]] = level(d).column[frames_[d].entered];
    }
}

// Counts candidates by how close they are to the cut-off: half a candidate for every half of the remaining need.
template <class Cost>
double TreeSearch<Cost>::candidates(const Level<Cost>& level, int row) const {
    const Cost need = std::max<Cost>(1, relaxation_.cutoff() + 1 - level.bound);
    const auto& decay = decay_table();
    double effective = 0;
    for (int p = level.pair_offset[row]; p < level.pair_offset[row + 1]; ++p) {
        if (!level.alive[p]) continue;
        const auto step = static_cast<std::size_t>(level.slack[p] * (2 * kDecaySteps) / need);
        effective += decay[std::min(step, decay.size() - 1)];
    }
    return effective;
}

template <class Cost>
double TreeSearch<Cost>::left() const {
    return depth_ < 0 ? 0 : candidates(level(0), frames_[0].row) / begun_;
}

// Chooses the row to branch on at a depth; false: nothing is left to decide there. Rows with many open neighbours are
// preferred, because fixing them says most about the others.
template <class Cost>
bool TreeSearch<Cost>::branch(int depth) {
    Level<Cost>& level = this->level(depth);
    // Without open edges the assignment is exact, and its mapping has been offered already.
    if (!level.has_open_edges()) return false;
    Frame& frame = frames_[depth];
    frame.row = 0;
    double best = std::numeric_limits<double>::infinity();
    for (int r = 0; r < level.rows(); ++r) {
        const double degree = level.degree(r);
        if (degree == 0) continue;
        const double score = candidates(level, r) / (1 + degree * degree);
        if (score < best) {
            best = score;
            frame.row = r;
        }
    }
    frame.entered = -1;
    frame.work = relaxation_.work();
    frame.children.clear();
    for (int p = level.pair_offset[frame.row]; p < level.pair_offset[frame.row + 1]; ++p)
        if (level.alive[p]) frame.children.push_back(p);
    std::stable_sort(frame.children.begin(), frame.children.end(),
                     [&](int a, int b) { return level.slack[a] < level.slack[b]; });
    find_orbits(frame, level, relaxation_.assigned());
    relaxation_.leave_out(level, frame.row);
    return true;
}

// Which columns, and which rows, are interchangeable here: symmetries that leave every assigned node in its place.
template <class Cost>
void TreeSearch<Cost>::find_orbits(Frame& frame, const Level<Cost>& level, const std::vector<int>& assigned) {
    frame.orbit.clear();
    frame.alike.clear();
    if (target_symmetries_ && !target_symmetries_->empty()) {
        fixed_.assign(instance_.nt(), 0);
        for (int column : assigned)
            if (column >= 0 && instance_.is_target(column)) fixed_[column] = 1;
        target_symmetries_->orbits(fixed_, frame.orbit);
    }
    if (query_symmetries_ && !query_symmetries_->empty()) {
        fixed_.resize(instance_.nq());
        for (int u = 0; u < instance_.nq(); ++u) fixed_[u] = assigned[u] >= 0;
        query_symmetries_->orbits(fixed_, query_orbit_);
        for (int r = 0; r < level.rows(); ++r)
            if (r != frame.row && query_orbit_[level.node[r]] == query_orbit_[level.node[frame.row]]) frame.alike.push_back(r);
    }
}

// Everything with row -> column is settled, and with it all that symmetry makes of it: the row sent to an
// interchangeable column, or a row like it sent there (or deleted, if this one was deleted).
template <class Cost>
void TreeSearch<Cost>::close(int depth, int pair) {
    const Frame& frame = frames_[depth];
    Level<Cost>& level = this->level(depth);
    const int column = level.column[pair];
    relaxation_.kill(level, pair);
    for (int r : frame.alike) {
        const int same = instance_.is_target(column) ? column : instance_.nt() + level.node[r];
        for (int p = level.pair_offset[r]; p < level.pair_offset[r + 1]; ++p)
            if (level.column[p] == same && level.alive[p]) relaxation_.kill(level, p);
    }
    if (!instance_.is_target(column)) return;
    const int twins = (*twins_)[column];
    if (twins < 0 && frame.orbit.empty()) return;
    for (int p = level.pair_offset[frame.row]; p < level.pair_offset[frame.row + 1]; ++p) {
        const int c = level.column[p];
        if (!level.alive[p] || !instance_.is_target(c)) continue;
        if ((twins >= 0 && (*twins_)[c] == twins) || (!frame.orbit.empty() && frame.orbit[c] == frame.orbit[column]))
            relaxation_.kill(level, p);
    }
}

// Of primal-dual steps.
template <class Cost>
int TreeSearch<Cost>::steps(const Level<Cost>& level) const {
    return thorough_ && level.entries <= kMostEntries ? kNodeSteps : 0;
}

template <class Cost>
auto TreeSearch<Cost>::run(std::int64_t max_nodes, std::int64_t max_work, StopWatch& watch) -> State {
    const std::int64_t last_node = max_nodes > std::numeric_limits<std::int64_t>::max() - nodes_
                                       ? std::numeric_limits<std::int64_t>::max()
                                       : nodes_ + max_nodes;
    const std::int64_t last_work = relaxation_.work() + max_work;
    relaxation_.assigned() = assigned_;
    while (depth_ >= 0) {
        if (nodes_ >= last_node || relaxation_.work() >= last_work || watch.check()) {
            assigned_ = relaxation_.assigned();
            return State::Paused;
        }
        if (next_child(depth_) < 0 || level(depth_).bound > relaxation_.cutoff()) {
            leave();
        } else if (enter_child(watch)) {
            ++depth_;
            continue;
        }
        while (depth_ >= 0 && !learn()) leave();
    }
    return State::Exhausted;
}

// The most promising pair that is neither settled nor being explored; -1: none.
template <class Cost>
int TreeSearch<Cost>::next_child(int depth) const {
    const Frame& frame = frames_[depth];
    for (int p : frame.children)
        if (level(depth).alive[p] && p != frame.entered) return p;
    return -1;
}

// Bounds the next child of the top frame; true: it stays open and its frame is ready.
template <class Cost>
bool TreeSearch<Cost>::enter_child(StopWatch& watch) {
    Frame& frame = frames_[depth_];
    const Level<Cost>& level = this->level(depth_);
    const int pair = next_child(depth_), node = level.node[frame.row];
    Level<Cost>& child = below_[depth_];
    relaxation_.assigned()[node] = level.column[pair];
    bool open = relaxation_.derive(level, child, frame.row, pair);
    if (open) {
        ++nodes_;
        open = relaxation_.tighten(child, kNodeSweeps, kNodePatience, steps(child));
    }
    if (watch.stopped()) {  // the verdict may be half done: leave the child unexplored
        relaxation_.assigned()[node] = -1;
        return false;
    }
    if (open && branch(depth_ + 1)) {
        frame.entered = pair;
        return true;
    }
    relaxation_.assigned()[node] = -1;
    close(depth_, pair);
    return false;
}

template <class Cost>
void TreeSearch<Cost>::leave() {
    if (--depth_ < 0) return;
    Frame& frame = frames_[depth_];
    relaxation_.assigned()[level(depth_).node[frame.row]] = -1;
    close(depth_, frame.entered);
    frame.entered = -1;
}

// Settled children are worth learning from once they have taken long: without their pairs the level's bound may rise,
// other children may fall, and another row may be better to branch on. False: nothing is left of the level.
template <class Cost>
bool TreeSearch<Cost>::learn() {
    Frame& frame = frames_[depth_];
    Level<Cost>& level = this->level(depth_);
    const std::int64_t spent = relaxation_.work() - frame.work;
    if (spent < kLearnAfter * level.entries || next_child(depth_) < 0) return true;
    if (!relaxation_.evaluate(level) || !relaxation_.tighten(level, kNodeSweeps, kNodePatience, steps(level))) return false;
    return branch(depth_);
}

template <class Cost>
Cost TreeSearch<Cost>::open_bound() const {
    Cost least = std::numeric_limits<Cost>::max() / 2;
    for (int d = 0; d <= depth_; ++d) {
        const int next = next_child(d);
        if (next >= 0) least = std::min<Cost>(least, level(d).bound + level(d).slack[next]);
    }
    return least;
}

template class TreeSearch<std::int32_t>;
template class TreeSearch<std::int64_t>;

}  // namespace prune4sed
