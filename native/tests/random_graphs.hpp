// Random graphs, the same on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "graph.hpp"
#include "instance.hpp"

namespace prune4sed::tests {

// std::mt19937 is specified to the bit, the distributions of the standard library are not.
class Random {
  public:
    explicit Random(std::uint32_t seed) : engine_(seed) {}
    int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint32_t>(n)); }
    int between(int low, int high) { return low + below(high - low + 1); }
    bool chance(int percent) { return below(100) < percent; }

  private:
    std::mt19937 engine_;
};

// A graph that owns its arrays.
struct Owned {
    std::vector<std::int32_t> labels, edges, edge_labels;

    GraphView view() const { return {labels, edges, edge_labels, {}, {}}; }
    int nodes() const { return static_cast<int>(labels.size()); }
    void link(int a, int b) {
        edges.push_back(a);
        edges.push_back(b);
    }
};

struct Recipe {
    int nodes = 5, node_labels = 2, edge_labels = 0, density = 40;  // density in percent; no edge labels: 0
};

inline Owned random_graph(Random& random, const Recipe& recipe) {
    Owned graph;
    for (int v = 0; v < recipe.nodes; ++v) graph.labels.push_back(random.below(recipe.node_labels));
    for (int b = 0; b < recipe.nodes; ++b)
        for (int a = 0; a < b; ++a)
            if (random.chance(recipe.density)) {
                random.chance(50) ? graph.link(a, b) : graph.link(b, a);
                if (recipe.edge_labels > 0) graph.edge_labels.push_back(random.below(recipe.edge_labels));
            }
    return graph;
}

// A query and a target alike in having edge labels; either may be the larger, or empty.
inline std::pair<Owned, Owned> random_pair(Random& random, int max_query, int max_target) {
    Recipe recipe;
    recipe.node_labels = random.between(1, 3);
    recipe.edge_labels = random.chance(50) ? random.between(1, 3) : 0;
    recipe.nodes = random.between(0, max_query);
    recipe.density = random.between(0, 100);
    Owned query = random_graph(random, recipe);
    recipe.nodes = random.between(0, max_target);
    recipe.density = random.between(0, 100);
    Owned target = random_graph(random, recipe);
    return {std::move(query), std::move(target)};
}

// Unit costs now and then, otherwise whole numbers, zeros included, in units of `unit`.
inline TickCosts random_costs(Random& random, std::int64_t unit = 1) {
    if (random.chance(20)) return {unit, unit, unit, unit};
    const auto one = [&] { return unit * random.below(6) + (unit > 1 ? random.below(1000) : 0); };
    TickCosts costs;
    costs.node_deletion = one();
    costs.node_relabel = one();
    costs.edge_deletion = one();
    costs.edge_relabel = one();
    return costs;
}

}  // namespace prune4sed::tests
