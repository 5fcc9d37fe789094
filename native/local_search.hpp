// Upper bounds: the best mapping found so far, greedy descent and simulated annealing.
#pragma once

#include <cstdint>
#include <vector>

#include "instance.hpp"
#include "limits.hpp"

namespace prune4sed {

// The best mapping known, with its cost in ticks.
struct Incumbent {
    std::int64_t cost = 0;
    std::vector<int> mapping;

    bool offer(const std::vector<int>& candidate, std::int64_t candidate_cost) {
        if (candidate_cost >= cost) return false;
        cost = candidate_cost;
        mapping = candidate;
        return true;
    }
};

class LocalSearch {
  public:
    LocalSearch(const Instance& instance, Incumbent& incumbent) : instance_(instance), incumbent_(incumbent) {}

    void prepare(StopWatch& watch);
    // Offers the mapping to the incumbent; an improvement is first polished by descent.
    bool offer(const std::vector<int>& mapping);
    // Improves a mapping until no single move next to a neighbour's image helps.
    void descend(std::vector<int>& mapping, std::int64_t& cost);
    // A mapping grown from a random pair: node by node, each next to its neighbours and where it keeps most. False: the
    // query is too large for that.
    bool grow(std::vector<int>& mapping);
    // Simulated annealing from a mapping; stops early once the incumbent costs no more than `target`.
    void anneal(const std::vector<int>& start, int steps, double hot, double cold, std::int64_t target);

  private:
    struct Move {
        int u, column;         // u goes to column,
        int z, other_column;   // and z, who held it, goes to other_column (z < 0: nobody held it)
    };
    Move plan(int u, int column) const;
    std::int64_t change(const Move& move) const;
    void apply(const Move& move);
    void adopt(const std::vector<int>& mapping);
    int propose(int u);
    int next_to_grow();
    int best_place(int u);
    std::int64_t promise(int u, int v) const;

    // Cost of moving u alone from its image to `column`, edges to `except` left out of account.
    std::int64_t relocation(int u, int column, int except) const;
    std::uint32_t random() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<std::uint32_t>(state_ >> 32);
    }
    int pick(int n) { return static_cast<int>((static_cast<std::uint64_t>(random()) * n) >> 32); }

    const Instance& instance_;
    Incumbent& incumbent_;
    StopWatch* watch_ = nullptr;
    std::vector<int> image_, owner_, polished_, placed_neighbours_;
    std::vector<std::vector<int>> same_label_;  // by query label class
    std::uint64_t state_ = 0;
    bool all_kept_ = false;  // no query node is ever deleted, and edges are looked up in a matrix
};

}  // namespace prune4sed
