// The same for weights that 16 bits do not hold, as with costs of the user's own; apart, for it takes long to compile.
#include "hot.hpp"
#include "lane_solver.hpp"

namespace prune4sed {

PRUNE4SED_HOT void solve_star_lanes(StarLanes<std::int32_t>& lanes, int rows, int columns) {
    solve_any_width(lanes, rows, columns);
}

}  // namespace prune4sed
