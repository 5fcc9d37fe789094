// What the engine refuses: it trusts no index, because files are mapped and not checked.
#include <array>
#include <stdexcept>

#include "check.hpp"
#include "random_graphs.hpp"
#include "solver.hpp"
#include "suites.hpp"

namespace prune4sed::tests {
namespace {

void refuse(const Owned& bad) {
    const Owned good{{0, 0, 0}, {0, 1, 1, 2}, {}};
    Solver solver;
    CHECK_THROWS(solver.solve(bad.view(), good.view(), {}, {}), std::invalid_argument);
    CHECK_THROWS(solver.solve(good.view(), bad.view(), {}, {}), std::invalid_argument);
    const Answer answer = solver.solve(good.view(), good.view(), {}, {});  // the solver survives a refusal
    CHECK(answer.lower == 0 && answer.upper == 0);
}

void refuse_bad_edges() {
    refuse({{0, 0}, {0, 2}, {}});
    refuse({{0, 0}, {-1, 1}, {}});
    refuse({{0, 0}, {1, 1}, {}});
    refuse({{0, 0}, {0, 1, 1, 0}, {}});
    refuse({{}, {0, 1}, {}});
    refuse({{0, 0}, {2147483647, 0}, {}});
}

void refuse_codes_outside_the_vocabulary() {
    const std::array<std::int32_t, 2> map{7, 8}, labels{0, 2}, edges{0, 1}, far{-1, 0}, bond{5};
    const Owned good{{7, 8}, {0, 1}, {}};
    Solver solver;
    CHECK_THROWS(solver.solve({labels, edges, {}, map, {}}, good.view(), {}, {}), std::invalid_argument);
    CHECK_THROWS(solver.solve(good.view(), {far, edges, {}, map, {}}, {}, {}), std::invalid_argument);
    CHECK_THROWS(solver.solve({{}, {}, {}, map, {}}, {far, edges, bond, {}, map}, {}, {}), std::invalid_argument);
}

void translate_labels() {
    const std::array<std::int32_t, 2> forward{7, 8}, backward{8, 7}, zero_one{0, 1}, one_zero{1, 0}, edges{0, 1};
    Solver solver;
    const Answer same = solver.solve({zero_one, edges, {}, forward, {}}, {one_zero, edges, {}, backward, {}}, {}, {});
    CHECK(same.upper == 0 && same.lower == 0);
    const Answer twice = solver.solve({{zero_one.data(), 1}, {}, {}, forward, {}}, {{zero_one.data(), 1}, {}, {}, backward, {}},
                                      {}, {});
    CHECK(twice.lower == 1 && twice.upper == 1);
}

void refuse_costs_beyond_exact_arithmetic() {
    const Owned g{{0, 0, 0}, {0, 1, 1, 2}, {}};
    Solver solver;
    const std::int64_t huge = std::int64_t{1} << 52;
    CHECK_THROWS(solver.solve(g.view(), g.view(), {huge, huge, huge, huge}, {}), std::invalid_argument);
}

}  // namespace

void test_graphs() {
    refuse_bad_edges();
    refuse_codes_outside_the_vocabulary();
    translate_labels();
    refuse_costs_beyond_exact_arithmetic();
}

}  // namespace prune4sed::tests
