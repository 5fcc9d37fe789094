// Symmetries are real ones, and a search that uses them from the start finds the same distances.
#include "symmetry.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "check.hpp"
#include "oracle.hpp"
#include "solver.hpp"
#include "suites.hpp"

namespace prune4sed::tests {
namespace {

constexpr std::int64_t kPlenty = 1'000'000;

// Copies of one random piece, joined at a hub or not: as symmetric as molecules with equal arms.
Owned arms(Random& random, int copies, int size, bool hub, int node_labels, int edge_labels) {
    const Owned piece = random_graph(random, {size, node_labels, edge_labels, 60});
    Owned graph;
    for (int c = 0; c < copies; ++c) {
        const int first = graph.nodes();
        graph.labels.insert(graph.labels.end(), piece.labels.begin(), piece.labels.end());
        for (int v : piece.edges) graph.edges.push_back(first + v);
        graph.edge_labels.insert(graph.edge_labels.end(), piece.edge_labels.begin(), piece.edge_labels.end());
    }
    if (!hub) return graph;
    const int centre = graph.nodes();
    graph.labels.push_back(0);
    for (int c = 0; c < copies; ++c) {
        graph.link(centre, c * size);
        if (edge_labels > 0) graph.edge_labels.push_back(0);
    }
    return graph;
}

Owned cycle(int n) {
    Owned graph{std::vector<std::int32_t>(n, 0), {}, {}};
    for (int v = 0; v < n; ++v) graph.link(v, (v + 1) % n);
    return graph;
}

std::vector<int> orbits_of(const Owned& graph, std::vector<int> fixed_nodes) {
    Adjacency adjacency;
    adjacency.build(graph.view());
    const std::vector<int> colours(graph.labels.begin(), graph.labels.end()), classes(adjacency.num_edges(), 0);
    Symmetries symmetries;
    symmetries.find(adjacency, colours, classes, kPlenty);
    CHECK(symmetries.complete());
    std::vector<char> fixed(graph.nodes(), 0);
    for (int v : fixed_nodes) fixed[v] = 1;
    std::vector<int> representative;
    symmetries.orbits(fixed, representative);
    return representative;
}

void known_orbits() {
    const auto ring = orbits_of(cycle(6), {});
    CHECK(std::all_of(ring.begin(), ring.end(), [&](int r) { return r == ring[0]; }));
    const auto pinned = orbits_of(cycle(6), {0});  // only the mirror through node 0 is left
    CHECK(pinned[1] == pinned[5] && pinned[2] == pinned[4] && pinned[1] != pinned[2] && pinned[3] != pinned[0]);
    Owned marked = cycle(6);
    marked.labels[0] = 1;
    const auto labelled = orbits_of(marked, {});
    CHECK(labelled[1] == labelled[5] && labelled[1] != labelled[2] && labelled[0] != labelled[3]);
}

// Regular graphs that refinement cannot tell apart: two triangles have no symmetry with a hexagon's nodes.
void no_false_orbits() {
    Owned graph = cycle(6);
    for (int first : {6, 9}) {
        for (int v = 0; v < 3; ++v) graph.labels.push_back(0);
        for (int v = 0; v < 3; ++v) graph.link(first + v, first + (v + 1) % 3);
    }
    const auto orbit = orbits_of(graph, {});
    CHECK(orbit[0] != orbit[6]);
    CHECK(orbit[6] == orbit[9]);
}

// Which class the edge between two nodes has; -1 if there is none.
int class_between(const Adjacency& graph, const std::vector<int>& classes, int a, int b) {
    const auto neighbours = graph.neighbours(a);
    const auto it = std::lower_bound(neighbours.begin(), neighbours.end(), b);
    return it == neighbours.end() || *it != b ? -1 : classes[graph.edge_ids(a)[it - neighbours.begin()]];
}

bool is_symmetry(const Adjacency& graph, const std::vector<int>& colours, const std::vector<int>& classes,
                 const std::vector<int>& image) {
    for (int a = 0; a < graph.num_nodes(); ++a) {
        if (colours[a] != colours[image[a]]) return false;
        for (int b = 0; b < graph.num_nodes(); ++b)
            if (class_between(graph, classes, a, b) != class_between(graph, classes, image[a], image[b])) return false;
    }
    return true;
}

// Every move is a symmetry by the definition, and nodes that can change places are in one orbit. Few nodes, so that some can.
void moves_are_symmetries(int rounds) {
    Random random(13);
    int swaps = 0;
    for (int k = 0; k < rounds; ++k) {
        const Owned graph = random_graph(random, {random.between(2, 7), random.between(1, 2), 2, random.between(20, 80)});
        Adjacency adjacency;
        adjacency.build(graph.view());
        const std::vector<int> colours(graph.labels.begin(), graph.labels.end());
        const std::vector<int> classes(graph.edge_labels.begin(), graph.edge_labels.end());
        Symmetries symmetries;
        symmetries.find(adjacency, colours, classes, kPlenty);
        std::vector<int> same(graph.nodes()), orbit;
        std::iota(same.begin(), same.end(), 0);
        for (const auto& move : symmetries.moves()) {
            std::vector<int> image = same;
            for (auto [v, to] : move) image[v] = to;
            CHECK(is_symmetry(adjacency, colours, classes, image));
        }
        symmetries.orbits(std::vector<char>(graph.nodes(), 0), orbit);
        for (int a = 0; a < graph.nodes(); ++a)
            for (int b = 0; b < a; ++b) {
                std::vector<int> image = same;
                std::swap(image[a], image[b]);
                if (!is_symmetry(adjacency, colours, classes, image)) continue;
                ++swaps;
                CHECK(orbit[a] == orbit[b]);
            }
    }
    CHECK(swaps > rounds / 10);
}

Limits with_symmetries(bool from_the_start) {
    Limits limits;
    limits.symmetry_after = from_the_start ? 0 : std::numeric_limits<std::int64_t>::max() / 100;
    return limits;
}

void against_brute_force(int rounds) {
    Random random(11);
    Solver solver;
    for (int k = 0; k < rounds; ++k) {
        const int node_labels = random.between(1, 2), edge_labels = random.chance(40) ? 2 : 0;
        const Owned query = arms(random, 2, random.between(2, 3), random.chance(50), node_labels, edge_labels);
        const Owned target = random.chance(70) ? arms(random, 2, random.between(2, 3), random.chance(70), node_labels, edge_labels)
                                               : random_graph(random, {6, node_labels, edge_labels, 50});
        const TickCosts costs = k % 2 ? random_costs(random) : TickCosts{};
        const Answer answer = solver.solve(query.view(), target.view(), costs, with_symmetries(true));
        const std::int64_t truth = brute_force(query, target, costs);
        CHECK(answer.lower == truth && answer.upper == truth);
        CHECK(price(query, target, costs, answer.mapping) == truth);
    }
}

// Where brute force is too slow, the search without symmetries is the judge.
void same_with_and_without(int rounds) {
    Random random(12);
    Solver solver;
    for (int k = 0; k < rounds; ++k) {
        const int edge_labels = random.chance(30) ? 2 : 0;
        const Owned query = arms(random, random.between(2, 3), random.between(3, 4), true, 2, edge_labels);
        const Owned target = arms(random, random.between(2, 4), random.between(3, 5), random.chance(80), 2, edge_labels);
        const TickCosts costs = k % 2 ? random_costs(random) : TickCosts{};
        const Answer with = solver.solve(query.view(), target.view(), costs, with_symmetries(true));
        const Answer without = solver.solve(query.view(), target.view(), costs, with_symmetries(false));
        CHECK(without.lower == without.upper);
        CHECK(with.lower == without.lower && with.upper == without.upper);
    }
}

}  // namespace

void test_symmetries(int effort) {
    known_orbits();
    no_false_orbits();
    moves_are_symmetries(400 * effort);
    against_brute_force(1500 * effort);
    same_with_and_without(150 * effort);
}

}  // namespace prune4sed::tests
