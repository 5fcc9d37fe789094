// Rings: those that are called scarce are, and searches that heed them find the same.
#include <algorithm>
#include <limits>
#include <map>

#include "check.hpp"
#include "oracle.hpp"
#include "ring_penalty.hpp"
#include "solver.hpp"
#include "suites.hpp"

namespace prune4sed::tests {
namespace {

bool linked(const Owned& graph, int a, int b) {
    for (std::size_t e = 0; e < graph.edges.size(); e += 2)
        if ((graph.edges[e] == a && graph.edges[e + 1] == b) || (graph.edges[e] == b && graph.edges[e + 1] == a)) return true;
    return false;
}

// Ways to walk round a ring of a length: every ring counts once per start and direction.
int closed_walks(const Owned& graph, int length, std::vector<int>& way) {
    if (static_cast<int>(way.size()) == length) return linked(graph, way.back(), way.front());
    int count = 0;
    for (int v = 0; v < graph.nodes(); ++v) {
        if (std::find(way.begin(), way.end(), v) != way.end()) continue;
        if (!way.empty() && !linked(graph, way.back(), v)) continue;
        way.push_back(v);
        count += closed_walks(graph, length, way);
        way.pop_back();
    }
    return count;
}

int count_rings(const Owned& graph, int length) {
    std::vector<int> way;
    return closed_walks(graph, length, way) / (2 * length);
}

// One closed way: every node on it has two edges, and all are reached from the first.
bool is_ring(const Owned& graph, const Ring& ring) {
    std::map<int, std::vector<int>> beside;
    for (int e : ring) {
        beside[graph.edges[2 * e]].push_back(graph.edges[2 * e + 1]);
        beside[graph.edges[2 * e + 1]].push_back(graph.edges[2 * e]);
    }
    for (const auto& [node, others] : beside)
        if (others.size() != 2) return false;
    int steps = 0, before = -1, at = beside.begin()->first;
    do {
        const auto& others = beside[at];
        const int next = others[0] != before ? others[0] : others[1];
        before = at;
        at = next;
        ++steps;
    } while (at != beside.begin()->first);
    return steps == static_cast<int>(ring.size());
}

void scarce_rings_are_scarce(int rounds) {
    Random random(91);
    int found = 0;
    for (int k = 0; k < rounds; ++k) {
        const Owned query = random_graph(random, {random.between(3, 7), 1, 0, random.between(20, 70)});
        const Owned target = random_graph(random, {random.between(1, 7), 1, 0, random.between(10, 60)});
        Adjacency a, b;
        a.build(query.view());
        b.build(target.view());
        for (const ScarceRings& group : scarce_rings(a, b, 1'000'000)) {
            const auto length = static_cast<int>(group.rings.front().size());
            CHECK(group.in_target == count_rings(target, length));
            CHECK(group.in_target < static_cast<int>(group.rings.size()));
            CHECK(group.in_target > 0 || group.rings.size() == 1);
            for (const Ring& ring : group.rings) CHECK(static_cast<int>(ring.size()) == length && is_ring(query, ring));
            ++found;
        }
        CHECK(scarce_rings(a, a, 1'000'000).empty());
        for (const ScarceRings& group : scarce_rings(a, b, 3)) CHECK(group.in_target < static_cast<int>(group.rings.size()));
    }
    CHECK(found > rounds / 4);
}

// A cycle of six with a chord that makes two of four, in a target that has but one of four and none of six.
void penalties_add_up() {
    Owned query, target;
    query.labels.assign(6, 0);
    for (int v = 0; v < 6; ++v) query.link(v, (v + 1) % 6);
    query.link(0, 3);
    target.labels.assign(6, 0);
    for (int v = 0; v < 4; ++v) target.link(v, (v + 1) % 4);
    target.link(3, 4);
    target.link(4, 5);
    Instance instance;
    instance.load(query.view(), target.view(), {});
    const auto groups = scarce_rings(instance.query(), instance.target(), 1000);
    CHECK(groups.size() == 1 && groups[0].rings.size() == 2 && groups[0].in_target == 1);
    RingPenalty<std::int32_t> rings;
    CHECK(rings.set(instance, groups, 840));
    CHECK(rings.all() == 3 && rings.scarce(3) == 3 && rings.scarce(1) == 0);
    const std::int32_t one = rings.of_edge(0, 3);
    CHECK(one > 0 && one % 2 == 0 && rings.of_edge(6, 3) == 2 * one && rings.of_edge(6, 1) == one);
    CHECK(2 * one < 840 && rings.of_edge(0, 0) == 0);
    CHECK(rings.granted(3) == 7 * one && rings.granted(0) == 0);
    CHECK(rings.overdone(3, std::vector<int>(7, 2)) == 3);  // eight sides of seven that can be kept
    CHECK(rings.overdone(3, {2, 2, 2, 2, 2, 0, 2}) == 0);
    TickCosts free;
    free.edge_deletion = 0;
    instance.load(query.view(), target.view(), free);
    CHECK(!rings.set(instance, groups, 840) && rings.all() == 0);
}

// A tree with a few more edges: short of rings.
Owned sparse_graph(Random& random, int nodes, int more, int edge_labels) {
    Owned graph;
    for (int v = 0; v < nodes; ++v) graph.labels.push_back(random.below(2));
    for (int v = 1; v < nodes; ++v) graph.link(v, std::max(0, v - random.between(1, 3)));
    for (int k = 0; k < more; ++k) {
        const int a = random.below(nodes), b = random.below(nodes);
        if (a != b && !linked(graph, a, b)) graph.link(a, b);
    }
    if (edge_labels > 0)
        for (std::size_t e = 0; e < graph.edges.size() / 2; ++e) graph.edge_labels.push_back(random.below(edge_labels));
    return graph;
}

// Searches that heed rings as soon as they can, against searches that never do.
void same_distance(int rounds) {
    Random random(97);
    Solver solver;
    Limits early, stepped, never;
    early.rings_after = stepped.steps_after = 0;
    stepped.rings_after = 1;  // after the first slice, and with it the steps
    never.rings_after = std::numeric_limits<std::int64_t>::max();
    int heeded = 0;
    for (int k = 0; k < rounds; ++k) {
        const int edge_labels = k % 3 == 0 ? 2 : 0;
        const Owned query = sparse_graph(random, random.between(9, 13), random.between(2, 4), edge_labels);
        const Owned target = sparse_graph(random, random.between(9, 15), random.between(0, 2), edge_labels);
        const TickCosts costs = k % 2 ? random_costs(random) : TickCosts{};
        const Answer with = solver.solve(query.view(), target.view(), costs, k % 4 ? early : stepped);
        const Answer without = solver.solve(query.view(), target.view(), costs, never);
        CHECK(with.lower == with.upper && with.upper == without.upper);
        CHECK(price(query, target, costs, with.mapping) == with.upper);
        heeded += with.nodes != without.nodes;
    }
    CHECK(heeded > rounds / 20);  // or nothing was tried
}

}  // namespace

void test_rings(int effort) {
    scarce_rings_are_scarce(200 * effort);
    penalties_add_up();
    same_distance(200 * effort);
}

}  // namespace prune4sed::tests
