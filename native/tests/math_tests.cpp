// The portable logarithm and exponential against the standard library's.
#include <cmath>

#include "check.hpp"
#include "portable_math.hpp"
#include "suites.hpp"

namespace prune4sed::tests {

void test_math() {
    for (double x = 1e-5; x < 1e5; x *= 1.01) CHECK(std::abs(portable_log(x) - std::log(x)) < 1e-13);
    for (double x = -1; x <= 1; x += 0.01) CHECK(std::abs(portable_exp(x) - std::exp(x)) < 1e-14);
}

}  // namespace prune4sed::tests
