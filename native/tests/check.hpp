// The smallest of test frameworks: CHECK counts, tells where it failed, and goes on.
#pragma once

#include <cstdio>

namespace prune4sed::tests {

struct Tally {
    long passed = 0, failed = 0;
};
inline Tally tally;

constexpr long kShownFailures = 20;

inline void check(bool holds, const char* what, const char* file, int line) {
    ++(holds ? tally.passed : tally.failed);
    if (!holds && tally.failed <= kShownFailures) std::printf("%s:%d: failed: %s\n", file, line, what);
}

}  // namespace prune4sed::tests

#define CHECK(condition) ::prune4sed::tests::check((condition), #condition, __FILE__, __LINE__)
#define CHECK_THROWS(expression, exception)      \
    do {                                         \
        bool thrown = false;                     \
        try {                                    \
            expression;                          \
        } catch (const exception&) {             \
            thrown = true;                       \
        }                                        \
        ::prune4sed::tests::check(thrown, #expression " throws " #exception, __FILE__, __LINE__); \
    } while (false)
