#include "tree_search.hpp"

#include <array>
#include <limits>

namespace prune4sed {
namespace {

constexpr int kNodeSweeps = 12, kNodePatience = 16;
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
void TreeSearch<Cost>::start(const Level<Cost>& root, const std::vector<int>* twins) {
    twins_ = twins;
    const std::size_t depths = root.rows() + 1;
    if (below_.size() < depths) below_.resize(depths);
    if (frames_.size() < depths) frames_.resize(depths);
    root_ = &root;
    assigned_.assign(instance_.nq(), -1);
    relaxation_.assigned() = assigned_;
    depth_ = -1;
    if (branch(0)) depth_ = 0;
}

template <class Cost>
void TreeSearch<Cost>::use_symmetries(const Symmetries* query, const Symmetries* target) {
    query_symmetries_ = query;
    target_symmetries_ = target;
    // Frames on the way down learn of them too; the child below the last column tried is still being explored.
    std::vector<int> assigned(instance_.nq(), -1);
    for (int d = 0; d <= depth_; ++d) {
        Frame& frame = frames_[d];
        find_orbits(frame, level(d), assigned);
        const std::size_t closed = frame.tried.size() - (d < depth_);
        for (std::size_t i = 0; i < closed; ++i) cover(frame, level(d), frame.tried[i]);
        if (d < depth_) assigned[level(d).node[frame.row]] = frame.tried.back();
    }
}

// Counts candidates by how close they are to the cut-off: half a candidate for every half of the remaining need.
// Rows with many open neighbours are preferred, because fixing them says most about the others.
template <class Cost>
double TreeSearch<Cost>::appeal(const Level<Cost>& level, int row, Cost need) const {
    const auto& decay = decay_table();
    double effective = 0;
    for (int p = level.pair_offset[row]; p < level.pair_offset[row + 1]; ++p) {
        if (!level.alive[p]) continue;
        const auto step = static_cast<std::size_t>(level.slack[p] * (2 * kDecaySteps) / need);
        effective += decay[std::min(step, decay.size() - 1)];
    }
    const double degree = level.degree(row);
    return degree == 0 ? std::numeric_limits<double>::max() : effective / (1 + degree * degree);
}

// Chooses the row to branch on at a depth; false: nothing is left to decide there.
template <class Cost>
bool TreeSearch<Cost>::branch(int depth) {
    const Level<Cost>& level = this->level(depth);
    // Without open edges the assignment is exact, and its mapping has been offered already.
    if (!level.has_open_edges()) return false;
    const Cost need = std::max<Cost>(1, relaxation_.cutoff() + 1 - level.bound);
    Frame& frame = frames_[depth];
    frame.row = 0;
    double best = std::numeric_limits<double>::infinity();
    for (int r = 0; r < level.rows(); ++r) {
        const double score = appeal(level, r, need);
        if (score < best) {
            best = score;
            frame.row = r;
        }
    }
    frame.next = 0;
    frame.tried.clear();
    frame.children.clear();
    for (int p = level.pair_offset[frame.row]; p < level.pair_offset[frame.row + 1]; ++p)
        if (level.alive[p]) frame.children.push_back(p);
    std::stable_sort(frame.children.begin(), frame.children.end(),
                     [&](int a, int b) { return level.slack[a] < level.slack[b]; });
    find_orbits(frame, level, relaxation_.assigned());
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
        if (!frame.alike.empty()) frame.alive = level.alive;
    }
}

// Whether an earlier child sends the row to an interchangeable column.
template <class Cost>
bool TreeSearch<Cost>::is_repeated(const Frame& frame, int column) const {
    if (!instance_.is_target(column)) return false;
    const int twins = (*twins_)[column];
    for (int c : frame.tried) {
        if (!instance_.is_target(c)) continue;
        if (twins >= 0 && (*twins_)[c] == twins) return true;
        if (!frame.orbit.empty() && frame.orbit[c] == frame.orbit[column]) return true;
    }
    return false;
}

// Everything with row -> column is settled. So is, by symmetry of the query, everything that sends a row like it
// there (or deletes that row, if this one was deleted): later children need not look at it again.
template <class Cost>
void TreeSearch<Cost>::cover(Frame& frame, const Level<Cost>& level, int column) {
    for (int r : frame.alike) {
        const int same = instance_.is_target(column) ? column : instance_.nt() + level.node[r];
        for (int p = level.pair_offset[r]; p < level.pair_offset[r + 1]; ++p)
            if (level.column[p] == same) frame.alive[p] = 0;
    }
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
        Frame& frame = frames_[depth_];
        if (frame.next >= frame.children.size() || level(depth_).bound > relaxation_.cutoff()) {
            leave();
            continue;
        }
        const int column = level(depth_).column[frame.children[frame.next]];
        if (is_repeated(frame, column)) {
            cover(frame, level(depth_), column);
            ++frame.next;
            continue;
        }
        if (enter_child(watch)) ++depth_;
    }
    return State::Exhausted;
}

// Bounds the next child of the top frame; true: it stays open and its frame is ready.
template <class Cost>
bool TreeSearch<Cost>::enter_child(StopWatch& watch) {
    Frame& frame = frames_[depth_];
    const Level<Cost>& level = this->level(depth_);
    const int pair = frame.children[frame.next], node = level.node[frame.row];
    Level<Cost>& child = below_[depth_];
    relaxation_.assigned()[node] = level.column[pair];
    bool open = relaxation_.derive(level, child, frame.alike.empty() ? level.alive : frame.alive, frame.row, pair);
    if (open) {
        ++nodes_;
        open = relaxation_.tighten(child, kNodeSweeps, kNodePatience);
    }
    if (watch.stopped()) {  // the verdict may be half done: leave the child unexplored
        relaxation_.assigned()[node] = -1;
        return false;
    }
    ++frame.next;
    frame.tried.push_back(level.column[pair]);
    if (open && branch(depth_ + 1)) return true;
    relaxation_.assigned()[node] = -1;
    cover(frame, level, level.column[pair]);
    return false;
}

template <class Cost>
void TreeSearch<Cost>::leave() {
    if (--depth_ < 0) return;
    Frame& frame = frames_[depth_];
    relaxation_.assigned()[level(depth_).node[frame.row]] = -1;
    cover(frame, level(depth_), frame.tried.back());
}

template <class Cost>
Cost TreeSearch<Cost>::open_bound() const {
    Cost least = std::numeric_limits<Cost>::max() / 2;
    for (int d = 0; d <= depth_; ++d) {
        const Frame& frame = frames_[d];
        if (frame.next < frame.children.size())
            least = std::min<Cost>(least, level(d).bound + level(d).slack[frame.children[frame.next]]);
    }
    return least;
}

template class TreeSearch<std::int32_t>;
template class TreeSearch<std::int64_t>;

}  // namespace prune4sed
