// The solver without limits: equal to brute force, with a mapping that costs what it says.
#include "solver.hpp"

#include "check.hpp"
#include "oracle.hpp"
#include "suites.hpp"

namespace prune4sed::tests {
namespace {

void check_exact(const Answer& answer, const Owned& query, const Owned& target, const TickCosts& costs,
                 std::int64_t truth) {
    CHECK(answer.lower == truth);
    CHECK(answer.upper == truth);
    CHECK(is_injective(query, target, answer.mapping));
    CHECK(price(query, target, costs, answer.mapping) == truth);
}

// Unit 1 stays in 32 bits; a unit of 10^7 and more makes the scaled costs need 64.
void against_brute_force(int rounds, std::int64_t unit, std::uint32_t seed) {
    Random random(seed);
    Solver solver;  // one for all, as a thread uses it: nothing may linger between pairs
    for (int k = 0; k < rounds; ++k) {
        const auto [query, target] = k % 8 ? random_pair(random, 5, 6) : random_pair(random, 7, 7);
        const TickCosts costs = k % 3 ? random_costs(random, unit) : TickCosts{unit, unit, unit, unit};
        const Answer answer = solver.solve(query.view(), target.view(), costs, {});
        check_exact(answer, query, target, costs, brute_force(query, target, costs));
    }
}

// Wide and narrow arithmetic must agree where brute force is too slow.
void wide_equals_narrow(int rounds) {
    Random random(5);
    Solver solver;
    for (int k = 0; k < rounds; ++k) {
        const Owned query = random_graph(random, {random.between(6, 9), 2, k % 2 ? 2 : 0, random.between(30, 60)});
        const Owned target = random_graph(random, {random.between(8, 12), 2, k % 2 ? 2 : 0, random.between(20, 50)});
        TickCosts costs = random_costs(random);
        const Answer narrow = solver.solve(query.view(), target.view(), costs, {});
        constexpr std::int64_t kFactor = 100'000'007;
        for (std::int64_t* cost : {&costs.node_deletion, &costs.node_relabel, &costs.edge_deletion, &costs.edge_relabel})
            *cost *= kFactor;
        const Answer wide = solver.solve(query.view(), target.view(), costs, {});
        CHECK(narrow.lower == narrow.upper);
        CHECK(wide.lower == narrow.lower * kFactor && wide.upper == narrow.upper * kFactor);
    }
}

void tiny_graphs() {
    const Owned none, one{{4}, {}, {}}, other{{5}, {}, {}}, bond{{4, 5}, {0, 1}, {}};
    const TickCosts costs{3, 2, 7, 5};
    Solver solver;
    const auto distance = [&](const Owned& query, const Owned& target) {
        const Answer answer = solver.solve(query.view(), target.view(), costs, {});
        check_exact(answer, query, target, costs, brute_force(query, target, costs));
        return answer.upper;
    };
    CHECK(distance(none, none) == 0);
    CHECK(distance(none, bond) == 0);
    CHECK(distance(one, none) == 3);
    CHECK(distance(one, one) == 0);
    CHECK(distance(one, other) == 2);
    CHECK(distance(bond, none) == 13);
    CHECK(distance(bond, other) == 10);
    CHECK(distance(other, bond) == 0);
}

// A ring whose ends lie far apart in a target too large for an adjacency matrix, hidden among other nodes.
Owned needle(int nodes, const std::vector<int>& ring, std::int32_t label) {
    Owned target;
    target.labels.assign(nodes, 0);
    for (int v : ring) target.labels[v] = label;
    for (std::size_t i = 0; i < ring.size(); ++i) target.link(ring[i], ring[(i + 1) % ring.size()]);
    for (int v = 1; v < nodes; ++v)
        if (target.labels[v] == 0 && target.labels[v - 1] == 0) target.link(v - 1, v);
    return target;
}

void sparse_adjacency() {
    const std::vector<int> ring{4900, 17, 2500, 4096, 9};
    const Owned target = needle(5000, ring, 1);
    Owned query{{1, 1, 1, 1, 1}, {0, 1, 1, 2, 2, 3, 3, 4, 4, 0}, {}};
    Solver solver;
    check_exact(solver.solve(query.view(), target.view(), {}, {}), query, target, {}, 0);
    query.link(0, 2);  // a chord the ring does not have
    check_exact(solver.solve(query.view(), target.view(), {}, {}), query, target, {}, 1);
    query.labels[3] = 2;
    check_exact(solver.solve(query.view(), target.view(), {}, {}), query, target, {}, 2);

    Owned bonds = target;  // the same ring with a label of its own on one edge
    bonds.edge_labels.assign(bonds.edges.size() / 2, 0);
    bonds.edge_labels[0] = 3;
    query = {{1, 1, 1, 1, 1}, {0, 1, 1, 2, 2, 3, 3, 4, 4, 0}, {3, 0, 0, 0, 0}};
    check_exact(solver.solve(query.view(), bonds.view(), {}, {}), query, bonds, {}, 0);
    query.edge_labels[2] = 3;
    check_exact(solver.solve(query.view(), bonds.view(), {}, {}), query, bonds, {}, 1);
}

// Extra isolated nodes make the same pair run on the sparse path; with labels of their own they change nothing.
void sparse_equals_dense(int rounds) {
    Random random(31);
    Solver solver;
    for (int k = 0; k < rounds; ++k) {
        const Owned query = random_graph(random, {random.between(3, 6), 2, k % 2 ? 2 : 0, 60});
        Owned target = random_graph(random, {random.between(6, 9), 2, k % 2 ? 2 : 0, 40});
        const TickCosts costs{2, 3, 1, 1};  // deleting a node is cheaper than relabelling it
        const std::int64_t dense = solver.solve(query.view(), target.view(), costs, {}).upper;
        target.labels.resize(4200, 99);
        check_exact(solver.solve(query.view(), target.view(), costs, {}), query, target, costs, dense);
    }
}

// More edge labels than a byte of the adjacency matrix can tell apart.
void many_edge_labels() {
    Owned query;
    query.labels.assign(26, 0);
    for (int b = 0; b < 26; ++b)
        for (int a = 0; a < b; ++a) {
            query.link(a, b);
            query.edge_labels.push_back(static_cast<std::int32_t>(query.edge_labels.size()));
        }
    Owned target = query;
    Solver solver;
    check_exact(solver.solve(query.view(), target.view(), {}, {}), query, target, {}, 0);
    target.edge_labels[300] = -5;
    check_exact(solver.solve(query.view(), target.view(), {}, {}), query, target, {}, 1);
}

}  // namespace

void test_solver(int effort) {
    tiny_graphs();
    against_brute_force(2500 * effort, 1, 1);
    against_brute_force(800 * effort, 10'000'000, 2);
    against_brute_force(400 * effort, std::int64_t{1} << 40, 3);
    wide_equals_narrow(100 * effort);
    sparse_adjacency();
    sparse_equals_dense(10 * effort);
    many_edge_labels();
}

}  // namespace prune4sed::tests
