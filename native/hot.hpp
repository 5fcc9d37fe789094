// Marks the few loops where nearly all time goes, so that one binary carries versions for several instruction sets.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(PRUNE4SED_SANITIZE)
#define PRUNE4SED_HOT __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PRUNE4SED_HOT
#endif
