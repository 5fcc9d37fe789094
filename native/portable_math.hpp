// Logarithm and exponential from additions and multiplications alone. The standard library's may differ in the last
// bit from machine to machine, and a search that is limited by nodes must not.
#pragma once

namespace prune4sed {

// Natural logarithm of x > 0.
inline double portable_log(double x) {
    constexpr double kLn2 = 0.69314718055994530942;
    int halvings = 0;
    for (; x < 0.75; x *= 2) --halvings;
    for (; x > 1.5; x /= 2) ++halvings;
    const double z = (x - 1) / (x + 1), square = z * z;
    double term = z, sum = 0;
    for (int k = 1; k < 60; k += 2, term *= square) sum += term / k;
    return 2 * sum + halvings * kLn2;
}

// e^x for -1 <= x <= 1.
inline double portable_exp(double x) {
    double term = 1, sum = 1;
    for (int k = 1; k < 30; ++k) sum += term *= x / k;
    return sum;
}

}  // namespace prune4sed
