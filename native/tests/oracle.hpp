// The distance straight from its definition, sharing no code with the engine.
#pragma once

#include <cstdint>
#include <vector>

#include "random_graphs.hpp"

namespace prune4sed::tests {

// -1: deleted.
std::int64_t price(const Owned& query, const Owned& target, const TickCosts& costs, const std::vector<int>& mapping);

// Tries every injective partial map.
std::int64_t brute_force(const Owned& query, const Owned& target, const TickCosts& costs);

// Whether every query node has an image in range, or none, and no two share one.
bool is_injective(const Owned& query, const Owned& target, const std::vector<int>& mapping);

}  // namespace prune4sed::tests
