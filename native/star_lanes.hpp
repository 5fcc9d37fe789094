// Many stars solved side by side, one to a lane; this is where most of the engine's time goes.
#pragma once

#include <cstdint>
#include <limits>

namespace prune4sed {

// Weights of unit costs mostly fit 16 bits, and twice as many of those fit a register.
template <class Int>
constexpr int kStarLanes = 32 / sizeof(Int);
constexpr int kLaneColumns = 32, kLaneRows = 32;
// Largest weights. Prices do not exceed them, nor does the length of a path that goes on, so no distance exceeds three; a
// key is twice a distance and one more.
constexpr std::int32_t kNarrowLaneWeight = 5'000, kLaneWeight = 1 << 23;
static_assert(2 * 3 * kNarrowLaneWeight + 1 < std::numeric_limits<std::int16_t>::max());
static_assert(2LL * 3 * kLaneWeight + 1 < std::numeric_limits<std::int32_t>::max());

// Room for the weights of one group: entry (i, j) of the star in lane k is at (i * columns + j) * kStarLanes + k.
template <class Int>
struct StarLanes {
    alignas(64) Int weight[kLaneRows * kLaneColumns * kStarLanes<Int>];
    alignas(64) Int row_price[kLaneRows * kStarLanes<Int>];
    alignas(64) Int column_price[kLaneColumns * kStarLanes<Int>];
    alignas(64) Int row_of[kLaneColumns * kStarLanes<Int>];  // column -> the row matched to it, or -1
};

// The columns that a group of stars with at most this many takes: the loops are compiled for a few widths.
int lane_columns(int columns);

// Solves all lanes by the contract of StarMatching::solve, for rows <= kLaneRows and `columns` as lane_columns gives
// it. Rows and columns of zeros change nothing, so stars of several sizes may share a group.
void solve_star_lanes(StarLanes<std::int16_t>& lanes, int rows, int columns);
void solve_star_lanes(StarLanes<std::int32_t>& lanes, int rows, int columns);

}  // namespace prune4sed
