// Interchangeable target nodes: same label, same neighbours with the same edge labels (each other aside).
#pragma once

#include <vector>

#include "instance.hpp"

namespace prune4sed {

// Class of every target node; nodes of one class (>= 0) can be exchanged in any mapping at no cost. -1: no twin.
std::vector<int> target_twins(const Instance& instance);

}  // namespace prune4sed
