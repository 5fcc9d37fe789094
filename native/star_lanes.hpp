// Many stars of equally many rows solved side by side, one to a lane; this is where most of the engine's time goes.
#pragma once

#include <cstdint>

namespace prune4sed {

constexpr int kStarLanes = 8;
constexpr int kLaneColumns = 32, kLaneRows = 32;
constexpr std::int32_t kLaneWeight = 1 << 23;  // keys hold a sum of three weights and six more bits

// Room for the weights of one group: entry (i, j) of the star in lane k is at (i * columns + j) * kStarLanes + k.
struct StarLanes {
    alignas(64) std::int32_t weight[kLaneRows * kLaneColumns * kStarLanes];
    alignas(64) std::int32_t row_price[kLaneRows * kStarLanes];
    alignas(64) std::int32_t column_price[kLaneColumns * kStarLanes];
};

// The columns that a group of stars with at most this many takes: the loops are compiled for a few widths.
int lane_columns(int columns);

// Solves all lanes by the contract of StarMatching::solve, for rows <= kLaneRows and `columns` as lane_columns gives
// it. Rows and columns of zeros change nothing, so stars of several sizes may share a group.
void solve_star_lanes(StarLanes& lanes, int rows, int columns);

}  // namespace prune4sed
