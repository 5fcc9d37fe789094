#include "star_lanes.hpp"

#include "hot.hpp"
#include "lane_solver.hpp"

namespace prune4sed {
namespace {

constexpr int kWidths[] = {2, 3, 4, 5, 6, 8, 12, 16, 24, 32};

}  // namespace

int lane_columns(int columns) {
    int k = 0;
    while (kWidths[k] < columns) ++k;
    return kWidths[k];
}

PRUNE4SED_HOT void solve_star_lanes(StarLanes<std::int16_t>& lanes, int rows, int columns) {
    solve_any_width(lanes, rows, columns);
}

}  // namespace prune4sed
