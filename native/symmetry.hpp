// Symmetries of a graph: automorphisms that move as few nodes as can be had cheaply. Each one is verified, so using
// them is sound; there may be others that are not found.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graph.hpp"
#include "limits.hpp"

namespace prune4sed {

class Symmetries {
  public:
    // Nodes of different colours, and edges (by number) of different classes, are never exchanged. The effort is
    // counted in nodes looked at, some 300 ns each; a watch, if given, can end it sooner.
    void find(const Adjacency& graph, std::span<const int> node_colour, std::span<const int> edge_class,
              std::int64_t effort, StopWatch* watch = nullptr);
    void clear() { moves_.clear(); }
    bool empty() const { return moves_.empty(); }
    bool complete() const { return effort_ > 0; }  // the effort sufficed for all that is ever tried

    // Orbits under those symmetries that move no node of `fixed`: nodes with equal entries can be exchanged.
    void orbits(const std::vector<char>& fixed, std::vector<int>& representative) const;
    // Symmetry k as the nodes it moves, each with its image.
    const std::vector<std::vector<std::pair<int, int>>>& moves() const { return moves_; }

  private:
    using Hash = std::uint64_t;
    void refine(std::vector<Hash>& colour);
    bool are_twins(int a, int b) const;
    bool extend(int from, int to);
    bool is_identified();
    bool is_automorphism() const;

    const Adjacency* graph_ = nullptr;
    std::span<const int> node_colour_, edge_class_;
    std::vector<std::vector<std::pair<int, int>>> moves_;
    std::int64_t effort_ = 0;
    StopWatch* watch_ = nullptr;
    std::vector<Hash> base_, left_, right_, next_;
    std::vector<int> order_left_, order_right_, image_;
};

}  // namespace prune4sed
