// The portable logarithms and exponentials against the standard library's.
#include <cmath>

#include "check.hpp"
#include "lanes.hpp"
#include "portable_math.hpp"
#include "suites.hpp"

namespace prune4sed::tests {

void test_math() {
    for (double x = 1e-5; x < 1e5; x *= 1.01) CHECK(std::abs(portable_log(x) - std::log(x)) < 1e-13);
    for (float x = 1; x < 1e30f; x *= 1.01f)
        CHECK(std::abs(log_above(Lanes{} + x)[3] - std::log(static_cast<double>(x))) < 1e-7 * (1 + std::log(x)));
    CHECK(log_above(Lanes{} + 1.0f)[0] == 0.0f);
    for (float x = 0; x > -80; x -= 0.01f) CHECK(std::abs(exp_below(Lanes{} + x)[5] / std::exp(x) - 1) < 1e-6);
    for (double x = -1; x <= 1; x += 0.01) CHECK(std::abs(portable_exp(x) - std::exp(x)) < 1e-14);
}

}  // namespace prune4sed::tests
