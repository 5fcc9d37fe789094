// Assignment against every way to give each row a column of its own, and its duals against what they promise.
#include "assignment.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "check.hpp"
#include "random_graphs.hpp"
#include "suites.hpp"

namespace prune4sed::tests {
namespace {

template <class Cost>
struct Problem {
    std::vector<int> offset{0}, column;
    std::vector<Cost> cost;
    std::vector<char> alive;
    int columns = 0;

    int rows() const { return static_cast<int>(offset.size()) - 1; }
};

template <class Cost>
Problem<Cost> random_problem(Random& random, Cost unit) {
    Problem<Cost> problem;
    problem.columns = random.between(1, 20);  // more than one vector width now and then
    const int rows = random.between(1, std::min(6, problem.columns + 1)), density = random.between(30, 100);
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < problem.columns; ++c) {
            if (!random.chance(density)) continue;
            problem.column.push_back(c);
            problem.cost.push_back(unit * static_cast<Cost>(random.between(-7, 7)));
            problem.alive.push_back(random.chance(85));
        }
        problem.offset.push_back(static_cast<int>(problem.column.size()));
    }
    return problem;
}

template <class Cost>
void place(const Problem<Cost>& problem, int row, Cost sum, std::vector<char>& used, std::optional<Cost>& best) {
    if (row == problem.rows()) {
        best = best ? std::min(*best, sum) : sum;
        return;
    }
    for (int i = problem.offset[row]; i < problem.offset[row + 1]; ++i) {
        const int c = problem.column[i];
        if (!problem.alive[i] || used[c]) continue;
        used[c] = 1;
        place(problem, row + 1, static_cast<Cost>(sum + problem.cost[i]), used, best);
        used[c] = 0;
    }
}

template <class Cost>
std::optional<Cost> least(const Problem<Cost>& problem) {
    std::vector<char> used(problem.columns, 0);
    std::optional<Cost> best;
    place(problem, 0, Cost{0}, used, best);
    return best;
}

template <class Cost>
void check_duals(const Problem<Cost>& problem, const Assignment<Cost>& assignment) {
    std::vector<char> taken(problem.columns, 0), offered(problem.columns, 0);
    Cost primal = 0, dual = 0;
    bool feasible = true;
    for (int r = 0; r < problem.rows(); ++r) {
        const int matched = assignment.matched_column(r);
        CHECK(!taken[matched]);
        taken[matched] = 1;
        dual += assignment.row_dual(r);
        bool found = false;
        for (int i = problem.offset[r]; i < problem.offset[r + 1]; ++i) {
            if (!problem.alive[i]) continue;
            const int c = problem.column[i];
            const Cost slack = problem.cost[i] - assignment.row_dual(r) - assignment.column_dual(c);
            feasible = feasible && slack >= 0 && assignment.column_dual(c) <= 0;
            if (!offered[c]) dual += assignment.column_dual(c);
            offered[c] = 1;
            if (c != matched) continue;
            found = true;
            primal += problem.cost[i];
            CHECK(slack == 0);
        }
        CHECK(found);
    }
    CHECK(feasible);
    CHECK(primal == assignment.value());
    CHECK(dual == assignment.value());
}

template <class Cost>
void against_brute_force(int rounds, Cost unit) {
    Random random(11);
    Assignment<Cost> assignment;  // one for all, as the engine uses it: nothing may linger between problems
    for (int k = 0; k < rounds; ++k) {
        const auto problem = random_problem<Cost>(random, unit);
        assignment.reset_columns(problem.columns);
        const bool solved = assignment.solve(problem.offset, problem.column, problem.cost, problem.alive) ==
                            Assignment<Cost>::Status::Solved;
        const auto best = least(problem);
        CHECK(solved == best.has_value());
        if (!solved || !best) continue;
        CHECK(assignment.value() == *best);
        check_duals(problem, assignment);
    }
}

}  // namespace

void test_assignment(int effort) {
    against_brute_force<std::int32_t>(1500 * effort, 1);
    against_brute_force<std::int32_t>(500 * effort, 1 << 22);
    against_brute_force<std::int64_t>(1000 * effort, std::int64_t{1} << 45);
}

}  // namespace prune4sed::tests
