// Lifting: it must not rule out the best mapping, nor change what an edge saves; and searches with it find the same.
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

template <class Cost>
void best_mapping_survives(int rounds, Cost scale) {
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
        CHECK(relaxation.lift(level, 5, 20, 1000));
        CHECK(first <= level.bound && level.bound <= static_cast<Cost>(truth) * scale);
        CHECK(keeps_savings(level, before));
    }
}

// Searches that lift as soon as they can, against searches that never do.
void same_distance(int rounds) {
    Random random(73);
    Solver solver;
    Limits early, never;
    early.lift_after = 0;
    never.lift_after = std::numeric_limits<std::int64_t>::max() / 10;
    for (int k = 0; k < rounds; ++k) {
        const Owned query = random_graph(random, {random.between(10, 12), 2, k % 2 ? 2 : 0, random.between(30, 50)});
        const Owned target = random_graph(random, {random.between(12, 14), 2, k % 2 ? 2 : 0, random.between(20, 40)});
        const Answer with = solver.solve(query.view(), target.view(), {}, early);
        const Answer without = solver.solve(query.view(), target.view(), {}, never);
        CHECK(with.lower == with.upper && with.upper == without.upper);
        CHECK(price(query, target, {}, with.mapping) == with.upper);
    }
}

}  // namespace

void test_lifting(int effort) {
    best_mapping_survives<std::int32_t>(300 * effort, 840);
    best_mapping_survives<std::int64_t>(150 * effort, std::int64_t{1} << 40);
    same_distance(20 * effort);
}

}  // namespace prune4sed::tests
