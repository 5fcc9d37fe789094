// Primal-dual steps: they find the optimum of programs that others solve, do not rule out the best mapping, nor change what
// an edge saves, and gain on the whole; and searches with them find the same.
#include <cmath>
#include <limits>
#include <utility>

#include "assignment.hpp"
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

// By the prices, which is the optimum once they have settled.
double dual_value(PrimalDual& program, int rows, int columns) {
    double sum = 0;
    for (int r = 0; r < rows; ++r) sum -= program.row_price(r);
    for (int c = 0; c < columns; ++c) sum -= program.column_price(c);
    return sum;
}

void solves_assignments(int rounds) {
    Random random(61);
    for (int k = 0; k < rounds; ++k) {
        const int rows = random.between(1, 5), columns = rows + random.between(0, 3);
        std::vector<int> offset{0}, column, cost;
        PrimalDual program;
        program.clear(rows, columns);
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < columns; ++c) {
                column.push_back(c);
                cost.push_back(random.between(-7, 7));
                program.add(r, c, static_cast<float>(cost.back()), 0, 0, 0);
            }
            offset.push_back(static_cast<int>(column.size()));
        }
        Assignment<int> exact;
        exact.reset_columns(columns);
        exact.solve(offset, column, cost, std::vector<char>(cost.size(), 1));
        program.lay_out();
        program.start();
        program.run(5'000);
        CHECK(std::abs(dual_value(program, rows, columns) - exact.value()) < 0.05);
    }
}

// A path of two edges into a target with one edge x-y and a node apart: the middle goes to x or y, and one edge is kept.
void keeps_what_it_can() {
    PrimalDual program;
    program.clear(3, 3);
    constexpr int x = 0, y = 1, apart = 2;
    for (int row = 0; row < 3; ++row)
        for (int column : {x, y, apart}) program.add(row, column, 0, row == 1 ? 2 : 1, column == apart ? 0 : 1, row == 0 ? 0 : 1);
    program.lay_out();
    const auto slot = [&](int row, int column, int i) {
        const PrimalDual::Star& star = program.star(row * 3 + column);
        return star.slot + i * star.width;
    };
    // Both edges of the path, from the row before: end 0 with the middle's first row, its second row with end 2.
    std::vector<std::pair<int, int>> edges;
    for (int column : {x, y}) {
        edges.emplace_back(slot(0, column, 0), slot(1, 1 - column, 0));
        edges.emplace_back(slot(1, column, 1), slot(2, 1 - column, 0));
    }
    for (auto [first, second] : edges) program.join(first, second, 1);
    program.start();
    program.run(2'000);
    CHECK(std::abs(dual_value(program, 3, 3) + 1) < 0.01);
    float kept = 0;
    for (auto [first, second] : edges) kept += program.kept(first);
    CHECK(std::abs(kept - 1) < 0.01);
}

// What becomes of children of such levels is tested with the others (child_tests.cpp).
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
        CHECK(links_in_order(level));
        CHECK(relaxation.evaluate(level));
        for (int again = 0; again < 2; ++again) CHECK(relaxation.tighten(level, 2, 5, random.between(1, 60)));
        CHECK(level.bound <= static_cast<Cost>(truth) * scale);
        CHECK(keeps_savings(level, before));
    }
}

// Steps may lose on a pair, but must raise bounds on the whole, the more of them the more.
void steps_gain(int rounds) {
    Random random(83);
    const Limits limits;
    Solver solver;
    std::int64_t none = 0, some = 0, many = 0;
    for (int k = 0; k < rounds; ++k) {
        const Owned query = random_graph(random, {10, 1, 0, 40}), target = random_graph(random, {12, 1, 0, 30});
        const std::int64_t truth = solver.solve(query.view(), target.view(), {}, limits).upper;
        for (auto [steps, sum] : {std::pair{0, &none}, {30, &some}, {400, &many}}) {
            Bench<std::int32_t> bench(query, target, {}, 840, truth, limits);
            std::vector<std::vector<int>> candidates;
            CHECK(bench.relaxation.root_assignment() && bench.relaxation.root_candidates(candidates));
            Level<std::int32_t> level;
            bench.relaxation.build(level, candidates);
            CHECK(bench.relaxation.evaluate(level) && bench.relaxation.tighten(level, 12, 5, steps));
            *sum += level.bound;
        }
    }
    CHECK(none < some && some < many);
}

// Searches that take steps as soon as they can, against searches that never do; some must be long enough to be other ones.
void same_distance(int rounds) {
    Random random(73);
    Solver solver;
    Limits early, many, both, never;
    early.steps_after = both.steps_after = many.more_steps_after = 0;
    both.more_steps_after = 20'000;
    never.steps_after = never.more_steps_after = std::numeric_limits<std::int64_t>::max() / 10;
    int others = 0;
    for (int k = 0; k < rounds; ++k) {
        const Owned query = random_graph(random, {random.between(10, 12), 2, k % 2 ? 2 : 0, random.between(30, 50)});
        const Owned target = random_graph(random, {random.between(12, 14), 2, k % 2 ? 2 : 0, random.between(20, 40)});
        const Answer with = solver.solve(query.view(), target.view(), {}, k % 3 == 0 ? early : k % 3 == 1 ? many : both);
        const Answer without = solver.solve(query.view(), target.view(), {}, never);
        CHECK(with.lower == with.upper && with.upper == without.upper);
        CHECK(price(query, target, {}, with.mapping) == with.upper);
        others += with.nodes != without.nodes;
    }
    CHECK(others > 0);
}

// Stars of more columns than two blocks of a vector have: a hub with many neighbours, some of them neighbours of each other.
void same_distance_in_wide_stars(int rounds) {
    Random random(79);
    Solver solver;
    Limits early, never;
    early.steps_after = 0;
    never.steps_after = never.more_steps_after = std::numeric_limits<std::int64_t>::max() / 10;
    int others = 0;
    for (int k = 0; k < rounds; ++k) {
        const Owned query = random_graph(random, {random.between(7, 9), 1, 0, random.between(40, 60)});
        Owned target{std::vector<std::int32_t>(random.between(20, 28), 0), {}, {}};
        for (int v = 1; v < target.nodes(); ++v) {
            target.link(0, v);
            for (int w = 1; w < v; ++w)
                if (random.chance(8)) target.link(v, w);
        }
        const Answer with = solver.solve(query.view(), target.view(), {}, early);
        const Answer without = solver.solve(query.view(), target.view(), {}, never);
        CHECK(with.lower == with.upper && with.upper == without.upper);
        others += with.nodes != without.nodes;
    }
    CHECK(others > 0);
}

}  // namespace

void test_approach(int effort) {
    solves_assignments(50 * effort);
    keeps_what_it_can();
    best_mapping_survives<std::int32_t>(300 * effort, 840);
    best_mapping_survives<std::int64_t>(150 * effort, std::int64_t{1} << 40);
    steps_gain(20);
    same_distance(20 * effort);
    same_distance_in_wide_stars(10 * effort);
}

}  // namespace prune4sed::tests
