// Attention of target nodes over the nodes of their query on a CPU, and what it says of both.
#pragma once

#include <span>

#include "query_aware.hpp"

namespace prune4sed {

// What the rows of targets ask (rows, width), and what they may see; any width that is a multiple of the heads.
struct QueryLook {
    int width, heads;
    const float* asked;
    QueryRows queries;
};

// What they find (rows, width), and the logarithms of the sums of shares (rows, heads).
void query_means(std::span<const std::int64_t> starts, const QueryLook& look, float* found, float* log_mass);

// From the gradient of what they find: writes that of what they ask, (rows, width), and adds to that of keys and
// values, (query rows, 2 * width).
void query_mean_gradients(std::span<const std::int64_t> starts, const QueryLook& look, const float* log_mass,
                          const float* found, const float* told, float* asked, float* keys);

}  // namespace prune4sed
