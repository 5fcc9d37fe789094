// What engine_tests runs, one file each; `effort` multiplies the number of random cases.
#pragma once

namespace prune4sed::tests {

void test_assignment(int effort);
void test_star_matching(int effort);
void test_graphs();
void test_math();
void test_growth(int effort);
void test_solver(int effort);
void test_approach(int effort);
void test_look_ahead(int effort);
void test_children(int effort);
void test_rings(int effort);
void test_symmetries(int effort);
void test_limits(int effort);
void test_batch(int effort);
void test_fingerprints(int effort);
void test_sampling(int effort);
void test_layers(int effort);
void test_gradients(int effort);

}  // namespace prune4sed::tests
