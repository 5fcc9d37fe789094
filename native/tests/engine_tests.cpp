// Tests of the engine without Python. `engine_tests 10` tries ten times as many random cases.
#include <cstdio>
#include <cstdlib>

#include "check.hpp"
#include "suites.hpp"

int main(int count, char** arguments) {
    using namespace prune4sed::tests;
    const int effort = count > 1 ? std::atoi(arguments[1]) : 1;
    if (effort < 1) {
        std::fprintf(stderr, "usage: engine_tests [EFFORT]  (a whole number, 1 by default)\n");
        return 2;
    }
    test_assignment(effort);
    test_star_matching(effort);
    test_graphs();
    test_math();
    test_growth(effort);
    test_solver(effort);
    test_approach(effort);
    test_look_ahead(effort);
    test_children(effort);
    test_rings(effort);
    test_symmetries(effort);
    test_limits(effort);
    test_batch(effort);
    test_fingerprints(effort);
    test_sampling(effort);
    test_layers(effort);
    test_gradients(effort);
    std::printf("%ld passed, %ld failed\n", tally.passed, tally.failed);
    return tally.failed == 0 ? 0 : 1;
}
