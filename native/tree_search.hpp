// Depth-first branch and bound over levels. It can be paused between nodes and resumed later.
#pragma once

#include <cstdint>
#include <vector>

#include "relaxation.hpp"
#include "symmetry.hpp"

namespace prune4sed {

template <class Cost>
class TreeSearch {
  public:
    enum class State { Exhausted, Paused };

    TreeSearch(const Instance& instance, Relaxation<Cost>& relaxation)
        : instance_(instance), relaxation_(relaxation) {}

    // From now on, branches that are images of each other under these symmetries are explored once.
    void use_symmetries(const Symmetries* query, const Symmetries* target);
    void forget_symmetries() { query_symmetries_ = target_symmetries_ = nullptr; }
    // Whether primal-dual steps follow the sweeps at nodes that are not too large. They cost more than sweeps do and prove
    // more; that pays in all but the shortest searches.
    void set_thorough(bool thorough) { thorough_ = thorough; }
    // Begins a search below a tightened root level. What it rules out there stays ruled out when it is abandoned.
    void start(Level<Cost>& root, const std::vector<int>* twins);
    // Gives up the search and the memory of its levels.
    void forget_levels() {
        below_ = {};
        depth_ = -1;
    }
    // Goes on until the tree is exhausted, the budgets are used up, or the watch says stop.
    State run(std::int64_t max_nodes, std::int64_t max_work, StopWatch& watch);
    // Nodes visited since the count was reset, over all starts.
    std::int64_t nodes() const { return nodes_; }
    void reset_count() { nodes_ = 0; }
    // A lower bound, scaled, on everything not yet explored.
    Cost open_bound() const;
    // Which share is left of the candidates that the root had at the start, as branching counts them: a rough guide, for the
    // root may branch on another row by now. It falls the faster the fewer are left.
    double left() const;

  private:
    struct Frame {
        int row = -1;
        std::vector<int> children;  // pairs of `row`, most promising first
        int entered = -1;           // the pair whose child is being explored below
        std::int64_t work = 0;      // done when the row was chosen
        std::vector<int> orbit;     // of target nodes, if there are symmetries
        std::vector<int> alike;     // rows that could stand in for `row`
    };
    Level<Cost>& level(int depth) { return depth == 0 ? *root_ : below_[depth - 1]; }
    const Level<Cost>& level(int depth) const { return depth == 0 ? *root_ : below_[depth - 1]; }
    bool branch(int depth);
    double candidates(const Level<Cost>& level, int row) const;
    int steps(const Level<Cost>& level) const;
    void find_orbits(Frame& frame, const Level<Cost>& level, const std::vector<int>& assigned);
    void close(int depth, int pair);
    int next_child(int depth) const;
    bool enter_child(StopWatch& watch);
    void leave();
    bool learn();

    const Instance& instance_;
    Relaxation<Cost>& relaxation_;
    const std::vector<int>* twins_ = nullptr;
    Level<Cost>* root_ = nullptr;
    std::vector<Level<Cost>> below_;  // levels 1, 2, ...
    const Symmetries *query_symmetries_ = nullptr, *target_symmetries_ = nullptr;
    std::vector<Frame> frames_;
    std::vector<char> fixed_;
    std::vector<int> query_orbit_;
    std::vector<int> assigned_;
    int depth_ = -1;  // of the frame on top
    std::int64_t nodes_ = 0;
    bool thorough_ = false;
    double begun_ = 1;  // the root's candidates at the start
};

}  // namespace prune4sed
