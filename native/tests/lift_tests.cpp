// Lifting and climbing: they must not rule out the best mapping, nor change what an edge saves, and must gain on the whole;
// and searches with them find the same.
#include <limits>

#include "check.hpp"
#include "oracle.hpp"
#include "relaxation_bench.hpp"
#include "solver.hpp"
#include "suites.hpp"

namespace prune4sed::tests {
namespace {

// What every edge saves: the shares of its two stars together.
template <class Cost>
std::vector<Cost> savings(const Level<Cost>& level) {
    std::vector<Cost> sums(level.entries, -1);
    for (int e = 0; e < level.entries; ++e)
        if (level.partner[e] >= 0) sums[e] = level.share[e] + level.share[level.partner[e]];
    return sums;
}

template <class Cost>
bool keeps_savings(const Level<Cost>& level, const std::vector<Cost>& before) {
    for (int e = 0; e < level.entries; ++e) {
        if (level.share[e] < 0) return false;
        if (level.partner[e] >= 0 && level.share[e] + level.share[level.partner[e]] != before[e]) return false;
    }
    return true;
}

// By lifting, or by climbing; what becomes of children of such levels is tested with the others (child_tests.cpp).
template <class Cost>
void best_mapping_survives(int rounds, Cost scale, bool climbing) {
    Random random(71);
    const Limits limits;
    for (int k = 0; k < rounds; ++k) {
        const auto [query, target] = random_pair(random, 6, 7);
        const TickCosts costs = k % 2 ? random_costs(random) : TickCosts{};
        const std::int64_t truth = brute_force(query, target, costs);
        Bench<Cost> bench(query, target, costs, scale, truth, limits);
        Relaxation<Cost>& relaxation = bench.relaxation;
        std::vector<std::vector<int>> candidates;
        CHECK(relaxation.root_assignment() && relaxation.root_candidates(candidates));
        Level<Cost> level;
        relaxation.build(level, candidates);
        const std::vector<Cost> before = savings(level);
        CHECK(relaxation.evaluate(level));
        const Cost first = level.bound;
        CHECK(climbing ? relaxation.tighten(level, 2, 5, 1 + k % 30) : relaxation.lift(level, 5, 20, 1000));
        CHECK((climbing || first <= level.bound) && level.bound <= static_cast<Cost>(truth) * scale);
        CHECK(keeps_savings(level, before));
    }
}

// Climbing may lose on a pair, but must raise bounds on the whole.
void climbing_gains(int rounds) {
    Random random(83);
    const Limits limits;
    Solver solver;
    std::int64_t without = 0, with = 0;
    for (int k = 0; k < rounds; ++k) {
        const Owned query = random_graph(random, {10, 1, 0, 40}), target = random_graph(random, {12, 1, 0, 30});
        const std::int64_t truth = solver.solve(query.view(), target.view(), {}, limits).upper;
        for (int steps : {0, 20}) {
            Bench<std::int32_t> bench(query, target, {}, 840, truth, limits);
            std::vector<std::vector<int>> candidates;
            CHECK(bench.relaxation.root_assignment() && bench.relaxation.root_candidates(candidates));
            Level<std::int32_t> level;
            bench.relaxation.build(level, candidates);
            CHECK(bench.relaxation.evaluate(level) && bench.relaxation.tighten(level, 12, 5, steps));
            (steps == 0 ? without : with) += level.bound;
        }
    }
    CHECK(with > without);
}

// Searches that lift as soon as they can, against searches that never do; some must be long enough to be other ones.
void same_distance(int rounds) {
    Random random(73);
    Solver solver;
    Limits early, never;
    early.lift_after = early.lift_root_after = 0;
    never.lift_after = never.lift_root_after = std::numeric_limits<std::int64_t>::max() / 10;
    int others = 0;
    for (int k = 0; k < rounds; ++k) {
        const Owned query = random_graph(random, {random.between(10, 12), 2, k % 2 ? 2 : 0, random.between(30, 50)});
        const Owned target = random_graph(random, {random.between(12, 14), 2, k % 2 ? 2 : 0, random.between(20, 40)});
        const Answer with = solver.solve(query.view(), target.view(), {}, early);
        const Answer without = solver.solve(query.view(), target.view(), {}, never);
        CHECK(with.lower == with.upper && with.upper == without.upper);
        CHECK(price(query, target, {}, with.mapping) == with.upper);
        others += with.nodes != without.nodes;
    }
    CHECK(others > 0);
}

}  // namespace

void test_lifting(int effort) {
    for (bool climbing : {false, true}) {
        best_mapping_survives<std::int32_t>(300 * effort, 840, climbing);
        best_mapping_survives<std::int64_t>(150 * effort, std::int64_t{1} << 40, climbing);
    }
    climbing_gains(20);
    same_distance(20 * effort);
}

}  // namespace prune4sed::tests
