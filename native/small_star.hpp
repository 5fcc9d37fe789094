// Single stars of up to 16 columns, solved in vector registers; many at a time are the business of star_lanes.hpp.
#pragma once

#include <cstdint>

namespace prune4sed {

constexpr int kSmallStarColumns = 16, kSmallStarRows = 32;
constexpr std::int32_t kSmallStarWeight = 1 << 24;  // keys hold a weight and five more bits

// Same contract as StarMatching::solve, for 3 <= rows <= kSmallStarRows, 2 <= columns <= kSmallStarColumns and
// weights below kSmallStarWeight; sixteen elements from the start of any row must be readable. If row_of is given, it
// receives the row that each column is matched to, or -1.
std::int32_t solve_small_star(const std::int32_t* weight, int rows, int columns, std::int32_t* row_price,
                              std::int32_t* column_price, int* row_of = nullptr);

}  // namespace prune4sed
