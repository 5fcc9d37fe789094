#include "solver.hpp"

#include <algorithm>
#include <limits>

#include "annealing.hpp"
#include "local_search.hpp"
#include "relaxation.hpp"
#include "star_lanes.hpp"
#include "symmetry.hpp"
#include "tree_search.hpp"
#include "twins.hpp"

namespace prune4sed {
namespace {

constexpr std::int64_t kScale = 840;            // shares of a tick; divisible by 2..8
// Largest scaled cost for 32-bit arithmetic: looking ahead weighs sums of three.
constexpr std::int64_t kNarrow = kLaneWeight / 4;
constexpr std::int64_t kWide = std::int64_t{1} << 52;
constexpr std::size_t kMaxEntries = 4'000'000;  // about 50 MB a level; beyond, only the assignment bound is used

constexpr int kRootSweeps = 60, kAgainSweeps = 4, kRootPatience = 4;
constexpr int kGrowths = 4;                     // mappings grown before annealing
constexpr int kRoundsWithoutTree = 50;
constexpr std::int64_t kGapWorthPolishing = 2, kPolishPerGap = 500;  // ticks; annealing steps
constexpr std::int64_t kFirstSlice = 10'000, kLongestSlice = 4'000'000;  // star entries
constexpr std::int64_t kDeepeningSteps = 16;
// A look at the lowest limits: after so many star entries of search, and for so many times the root's entries.
constexpr std::int64_t kProbeAfter = 400'000, kProbeWork = 8;
// A search that outlasts its root by a factor takes some primal-dual steps there and begins the tree anew, with a few at
// every node; one that lasts long takes more of them at the root, once. Not with a large relaxation, for that takes memory.
constexpr int kRootSteps = 30, kMoreRootSteps = 100;
constexpr std::int64_t kSymmetryEffort = 4'000;  // a millisecond or so
constexpr std::int64_t kRingSteps = 20'000;      // of counting rings
constexpr int kRingsWorth = 20;                 // 1 in so many of a tick, gained at the root
constexpr std::int64_t kRestartWork = 1'000'000;
// Of the allowance, before lower limits are proven one by one. With a large relaxation that comes soon: its levels take
// much memory under a high limit, and little under a low one.
constexpr double kDirectShare = 0.65, kDirectShareLarge = 0.1;
constexpr int kLargeRelaxation = 300'000;  // star entries
// A search with at most this share of the root's candidates left will soon be over, and goes on.
constexpr double kSoonOver = 0.65;

}  // namespace

template <class Cost>
class Solver::Run {
  public:
    explicit Run(const Instance& instance)
        : instance_(instance),
          local_search_(instance, incumbent_),
          annealing_(instance, local_search_, incumbent_),
          relaxation_(instance, local_search_, incumbent_),
          tree_(instance, relaxation_),
          probe_tree_(instance, relaxation_) {}

    Answer solve(Cost scale, const Limits& limits, StopWatch& watch);

  private:
    bool settled() const { return lower_ >= incumbent_.cost || lower_ > limits_->threshold; }
    void raise(std::int64_t ticks) { lower_ = std::max(lower_, std::min(ticks, incumbent_.cost)); }
    std::int64_t ticks(Cost bound) const { return (std::max<Cost>(0, bound) + relaxation_.scale() - 1) / relaxation_.scale(); }
    void raise_scaled(Cost bound) { raise(ticks(bound)); }
    // Everything up to the limit has been searched.
    void raise_to_limit() { raise(relaxation_.limit() + 1); }
    // After a bound beyond the limit, or a stop on the way to one; false, for there is nothing to go on with.
    bool nothing_left(const StopWatch& watch) {
        if (!watch.stopped()) raise_to_limit();
        return false;
    }

    void start_trivially();
    void search(StopWatch& watch);
    void grow_some(StopWatch& watch);
    void anneal_only(StopWatch& watch);
    bool polish(StopWatch& watch);
    void explore(StopWatch& watch);
    void look_for_symmetries(StopWatch& watch);
    bool restart(StopWatch& watch, int steps = 0);
    bool heed_rings(StopWatch& watch);
    bool keep_annealing(StopWatch& watch);
    void deepen(StopWatch& watch);
    bool exhaust(TreeSearch<Cost>& tree, std::int64_t max_work, StopWatch& watch);
    bool probe(StopWatch& watch);
    double used(StopWatch& watch) const;
    bool goes_on(StopWatch& watch) const;
    int root_steps(std::int64_t searched) const;
    std::int64_t nodes() const { return tree_.nodes() + probe_tree_.nodes(); }
    std::int64_t nodes_left() const { return limits_->nodes - nodes(); }

    const Instance& instance_;
    Incumbent incumbent_;
    LocalSearch local_search_;
    Annealing annealing_;
    Relaxation<Cost> relaxation_;
    TreeSearch<Cost> tree_, probe_tree_;
    const Limits* limits_ = nullptr;
    std::int64_t lower_ = 0;
    std::vector<int> twins_;
    int symmetry_looks_ = 0;
    Symmetries query_symmetries_, target_symmetries_;
    std::vector<std::vector<int>> candidates_;
    Level<Cost> root_, deep_root_, ringed_root_;
};

template <class Cost>
void Solver::Run<Cost>::start_trivially() {
    std::vector<int> mapping(instance_.nq());
    for (int u = 0; u < instance_.nq(); ++u) mapping[u] = u < instance_.nt() ? u : instance_.nt() + u;
    incumbent_.cost = std::numeric_limits<std::int64_t>::max();
    incumbent_.offer(mapping, instance_.map_cost(mapping));
    lower_ = 0;
    raise(instance_.counting_bound());
}

template <class Cost>
Answer Solver::Run<Cost>::solve(Cost scale, const Limits& limits, StopWatch& watch) {
    limits_ = &limits;
    tree_.reset_count();
    probe_tree_.reset_count();
    start_trivially();
    if (!settled()) {
        local_search_.prepare(watch);
        relaxation_.prepare(scale, watch);
        search(watch);
    }
    Answer answer;
    answer.lower = lower_;
    answer.upper = incumbent_.cost;
    answer.mapping = incumbent_.mapping;
    for (int& column : answer.mapping)
        if (!instance_.is_target(column)) column = -1;
    answer.nodes = nodes();
    answer.seconds = watch.elapsed();
    return answer;
}

template <class Cost>
void Solver::Run<Cost>::search(StopWatch& watch) {
    relaxation_.set_ceiling(limits_->threshold);
    if (!relaxation_.root_assignment()) return;
    raise_scaled(relaxation_.root_bound());
    annealing_.begin(relaxation_.root_mapping());
    grow_some(watch);
    if (settled() || watch.check()) return;

    if (!relaxation_.root_candidates(candidates_)) return raise_to_limit();
    std::size_t entries = relaxation_.count_entries(candidates_);
    annealing_.first(entries, lower_);
    if (settled() || watch.check()) return;
    if (!relaxation_.root_candidates(candidates_)) return raise_to_limit();
    entries = relaxation_.count_entries(candidates_);
    if (entries > kMaxEntries) return anneal_only(watch);
    relaxation_.build(root_, candidates_);
    if (!relaxation_.evaluate(root_) || !relaxation_.tighten(root_, kRootSweeps, kRootPatience)) {
        nothing_left(watch);
        return;
    }
    raise_scaled(root_.bound);
    if (settled() || watch.check() || !polish(watch) || !keep_annealing(watch)) return;
    explore(watch);
}

// Mappings grown in several corners of the target: in sparse graphs one of them is often what annealing would find later.
template <class Cost>
void Solver::Run<Cost>::grow_some(StopWatch& watch) {
    // Nobody looks at the clock while one grows, and without the matrix that takes long.
    if (instance_.edge_classes_of(0) == nullptr) return;
    for (int k = 0; k < kGrowths && !settled() && !watch.check(); ++k)
        if (!annealing_.grow()) return;
}

// For graphs too large for the relaxation: a fixed effort, so that the answer does not depend on the clock alone.
template <class Cost>
void Solver::Run<Cost>::anneal_only(StopWatch& watch) {
    for (int round = 0; round < kRoundsWithoutTree && !watch.check() && !settled(); ++round)
        annealing_.run_long(lower_);
}

// Before branching, anneals for as long as that lowers the incumbent: every tick saved shrinks the tree by a factor
// of two or three. False: solved or stopped on the way.
template <class Cost>
bool Solver::Run<Cost>::polish(StopWatch& watch) {
    while (true) {
        const std::int64_t gap = relaxation_.limit() + 1 - lower_, before = incumbent_.cost;
        if (gap < kGapWorthPolishing) return true;
        annealing_.run(kPolishPerGap * gap, lower_);
        if (watch.stopped() || settled()) return false;
        if (incumbent_.cost == before) return true;
        if (!relaxation_.tighten(root_, kAgainSweeps, kRootPatience)) return nothing_left(watch);
        raise_scaled(root_.bound);
        if (settled()) return false;
    }
}

// Anneals as much as is due for the work done so far; false: solved or stopped.
template <class Cost>
bool Solver::Run<Cost>::keep_annealing(StopWatch& watch) {
    while (annealing_.is_due(relaxation_.work()) && !watch.stopped() && !settled()) annealing_.run_due(lower_);
    return !watch.stopped() && !settled();
}

// How much of the allowance is gone, by time or by nodes.
template <class Cost>
double Solver::Run<Cost>::used(StopWatch& watch) const {
    const double by_nodes = static_cast<double>(nodes()) / static_cast<double>(std::max<std::int64_t>(1, limits_->nodes));
    return std::max(by_nodes, watch.elapsed() / limits_->seconds);
}

// Whether to search directly still.
template <class Cost>
bool Solver::Run<Cost>::goes_on(StopWatch& watch) const {
    if (root_.entries > kLargeRelaxation) return used(watch) < kDirectShareLarge;
    return used(watch) < kDirectShare || tree_.left() <= kSoonOver;
}

// How many primal-dual steps the root is worth, for what has been searched below it.
template <class Cost>
int Solver::Run<Cost>::root_steps(std::int64_t searched) const {
    if (searched >= limits_->more_steps_after) return kMoreRootSteps;
    return searched / std::max(1, root_.entries) >= limits_->steps_after ? kRootSteps : 0;
}

// Alternates slices of tree search and annealing; if that drags on, proves lower limits instead.
template <class Cost>
void Solver::Run<Cost>::explore(StopWatch& watch) {
    twins_ = target_twins(instance_);
    symmetry_looks_ = 0;
    tree_.forget_symmetries();
    tree_.set_thorough(false);
    tree_.start(root_, &twins_);
    look_for_symmetries(watch);
    std::int64_t tree_work = 0, tree_cost = incumbent_.cost;
    const std::int64_t begin = relaxation_.work();
    // With a large relaxation, probing and primal-dual steps would take too much memory, and deepening comes soon.
    const bool large = root_.entries > kLargeRelaxation;
    bool probed = large, heeded = false;
    int steps_taken = large ? kMoreRootSteps : 0;
    for (std::int64_t slice = kFirstSlice; goes_on(watch); slice = std::min(2 * slice, kLongestSlice)) {
        // After the first steps, with which most searches do without rings.
        if (!heeded && (relaxation_.work() - begin) / std::max(1, root_.entries) >= limits_->rings_after) {
            heeded = true;
            if (!heed_rings(watch)) return;
            if (root_.rings != 0) {  // the tree is a new one
                tree_work = 0;
                tree_cost = incumbent_.cost;
            }
        }
        const auto state = tree_.run(nodes_left(), slice, watch);
        if (state == TreeSearch<Cost>::State::Exhausted) return raise_to_limit();
        // What has been closed holds nothing within the limit; what is open, nothing below its bound.
        raise(std::min(relaxation_.limit() + 1, ticks(tree_.open_bound())));
        if (watch.stopped() || nodes_left() <= 0 || settled()) return;
        if (!keep_annealing(watch)) return;
        tree_work += slice;
        look_for_symmetries(watch);
        const int steps = root_steps(relaxation_.work() - begin);
        const bool more = steps > steps_taken;
        if (more || (incumbent_.cost < tree_cost && tree_work <= kRestartWork)) {
            if (more) {
                tree_.set_thorough(true);
                steps_taken = steps;
            }
            if (!restart(watch, more ? steps : 0)) return;
            tree_work = 0;
            tree_cost = incumbent_.cost;
        }
        if (!probed && relaxation_.work() - begin >= kProbeAfter) {
            probed = true;
            if (!probe(watch)) return;
        }
    }
    look_for_symmetries(watch);
    if (large) tree_.forget_levels();
    deepen(watch);
}

// Finding symmetries takes time, so it is done when the search has lasted about as long; if that was not enough for
// all of them, once more, thoroughly, when it has lasted ten times that.
template <class Cost>
void Solver::Run<Cost>::look_for_symmetries(StopWatch& watch) {
    const bool thorough = symmetry_looks_ == 1;
    if (symmetry_looks_ == 2 || relaxation_.work() < limits_->symmetry_after * (thorough ? 10 : 1)) return;
    ++symmetry_looks_;
    const std::int64_t effort = kSymmetryEffort * (thorough ? 10 : 1);
    query_symmetries_.find(instance_.query(), instance_.label_classes(), instance_.query_edge_classes(), effort,
                           &watch);
    target_symmetries_.find(instance_.target(), instance_.target_classes(), instance_.target_edge_classes(),
                            effort, &watch);
    tree_.use_symmetries(&query_symmetries_, &target_symmetries_);
    if (query_symmetries_.complete() && target_symmetries_.complete()) symmetry_looks_ = 2;
}

// A better incumbent makes for better branching near the root, so a young tree is thrown away for it; so do better shares.
template <class Cost>
bool Solver::Run<Cost>::restart(StopWatch& watch, int steps) {
    relaxation_.assigned().assign(instance_.nq(), -1);
    if (!relaxation_.evaluate(root_) || !relaxation_.tighten(root_, kAgainSweeps, kRootPatience, steps))
        return nothing_left(watch);
    if (watch.stopped()) return false;
    raise_scaled(root_.bound);
    if (settled()) return false;
    tree_.start(root_, &twins_);
    return true;
}

// Where the relaxation keeps rings whole that the target does not have, the search starts anew from a root that pays for
// them, if that is higher. False: solved or stopped.
template <class Cost>
bool Solver::Run<Cost>::heed_rings(StopWatch& watch) {
    const auto groups = scarce_rings(instance_.query(), instance_.target(), kRingSteps);
    if (groups.empty() || !relaxation_.set_rings(groups)) return true;
    relaxation_.assigned().assign(instance_.nq(), -1);
    if (!relaxation_.derive(root_, deep_root_, -1, -1)) return nothing_left(watch);
    const RingSet rings = relaxation_.overdone_rings(deep_root_, relaxation_.all_rings());
    if (rings == 0) return true;
    for (int r = 0; r < deep_root_.rows(); ++r) {
        const auto columns = deep_root_.column.begin();
        candidates_[deep_root_.node[r]].assign(columns + deep_root_.pair_offset[r], columns + deep_root_.pair_offset[r + 1]);
    }
    relaxation_.build(ringed_root_, candidates_, rings);
    if (!relaxation_.evaluate(ringed_root_) || !relaxation_.tighten(ringed_root_, kRootSweeps, kRootPatience))
        return nothing_left(watch);
    if (watch.stopped()) return false;
    if (ringed_root_.bound < std::max(root_.bound, deep_root_.bound) + relaxation_.scale() / kRingsWorth) {
        ringed_root_ = {};
        return true;
    }
    std::swap(root_, ringed_root_);
    ringed_root_ = {};  // roots are large
    raise_scaled(root_.bound);
    if (settled()) return false;
    tree_.start(root_, &twins_);
    return true;
}

// Iterative deepening: proves "more than k" for growing k, up to the distance itself. Each step costs two or three
// times the one before, so all of them together cost about half of the last; in return a search that will not finish
// ends with a good lower bound, and one whose incumbent is poor never looks beyond the distance.
template <class Cost>
void Solver::Run<Cost>::deepen(StopWatch& watch) {
    const std::int64_t step = std::max<std::int64_t>(1, (incumbent_.cost - lower_) / kDeepeningSteps);
    for (std::int64_t k = lower_; !settled(); k += step) {
        relaxation_.set_ceiling(std::min(k, limits_->threshold));
        if (!exhaust(tree_, std::numeric_limits<std::int64_t>::max() / 2, watch)) return;
        raise_to_limit();
    }
}

// Searches everything within the limit, from the root; false: stopped on the way, or settled by annealing.
template <class Cost>
bool Solver::Run<Cost>::exhaust(TreeSearch<Cost>& tree, std::int64_t max_work, StopWatch& watch) {
    relaxation_.assigned().assign(instance_.nq(), -1);
    if (!relaxation_.derive(root_, deep_root_, -1, -1) || !relaxation_.tighten(deep_root_, kRootSweeps, kRootPatience))
        return !watch.stopped();
    if (watch.stopped()) return false;
    tree.start(deep_root_, &twins_);
    const std::int64_t end = relaxation_.work() + max_work;
    while (relaxation_.work() < end && nodes_left() > 0 && !watch.stopped()) {
        const std::int64_t slice = std::min(kLongestSlice, end - relaxation_.work());
        if (tree.run(nodes_left(), slice, watch) == TreeSearch<Cost>::State::Exhausted) return true;
        if (!keep_annealing(watch)) return false;
    }
    return false;
}

// Looks for a mapping at the lower bound itself, and then just above, as long as that is cheap: under a low limit
// little is left of the relaxation. It finds what annealing misses in large targets. It has a tree of its own, so that
// the other can go on afterwards. False: solved or stopped.
template <class Cost>
bool Solver::Run<Cost>::probe(StopWatch& watch) {
    const std::int64_t last_work = relaxation_.work() + kProbeWork * root_.entries;
    while (lower_ < relaxation_.limit() && relaxation_.work() < last_work) {
        relaxation_.set_ceiling(lower_);
        const bool done = exhaust(probe_tree_, last_work - relaxation_.work(), watch);
        if (done) raise_to_limit();
        relaxation_.set_ceiling(limits_->threshold);
        if (watch.stopped() || settled() || nodes_left() <= 0) return false;
        if (!done) break;
    }
    return true;
}

Solver::Solver() = default;
Solver::~Solver() = default;

Answer Solver::solve(const GraphView& query, const GraphView& target, const TickCosts& costs, const Limits& limits) {
    StopWatch watch(limits);
    instance_.load(query, target, costs);
    const std::int64_t worst = std::max<std::int64_t>(1, instance_.worst_cost());
    if (worst > kWide) throw std::invalid_argument("edit costs are too large for graphs of this size");
    if (const std::int64_t scale = std::min(kScale, kNarrow / worst) / 2 * 2; scale >= 2) {
        if (!narrow_) narrow_ = std::make_unique<Run<std::int32_t>>(instance_);
        return narrow_->solve(static_cast<std::int32_t>(scale), limits, watch);
    }
    if (!wide_) wide_ = std::make_unique<Run<std::int64_t>>(instance_);
    return wide_->solve(std::max<std::int64_t>(2, std::min(kScale, kWide * 8 / worst) / 2 * 2), limits, watch);
}

}  // namespace prune4sed
