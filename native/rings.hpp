// Rings of the query of which the target has too few.
//
// What is kept of the query lies in the target one to one, so a ring that is kept whole is a ring of the target, of the
// same length. Of r rings of length n, at most as many stay whole as the target has, t, and each of the others loses an
// edge: counted ring by ring, at most r (n - 1) + t edges are kept.
#pragma once

#include <cstdint>
#include <vector>

#include "graph.hpp"

namespace prune4sed {

using Ring = std::vector<int>;  // edges of the query

// Rings of one length, fewer of which are in the target.
struct ScarceRings {
    std::vector<Ring> rings;
    int in_target = 0;
};

// Looks at a shortest ring through each query edge, at kMostRings of them at most. Lengths that the target has enough
// rings of, or too many to count with so many steps, are left out.
constexpr int kMostRings = 64;
std::vector<ScarceRings> scarce_rings(const Adjacency& query, const Adjacency& target, std::int64_t steps);

}  // namespace prune4sed
