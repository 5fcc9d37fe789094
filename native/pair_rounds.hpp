// Rounds of messages between pairs (query node, candidate) on a CPU: every query node claims candidates, sees what its
// neighbours and its rivals claim, and thinks again.
#pragma once

#include <span>

#include "node_rows.hpp"

namespace prune4sed {

// The candidates of every query, as many columns for each: the first is "deleted", which is always there, has no
// neighbours and room for all.
struct Candidates {
    std::int64_t columns;
    std::span<const bool> there;      // (queries, columns); other columns are padding
    std::span<const float> edges;     // (queries, columns, columns), not 0 between neighbours
    std::span<const float> log_keep;  // (queries, columns)
};

// Of several rounds, one behind the other; matrices are (in, out). A claim is the softmax over candidates of
// x * score + trust * log_keep; an edge is paid for where the other end claims less than exp(floor). What is seen,
// 4 numbers a head, goes with x through a layer of 2 * width units, which bend by their slopes, and another into what
// is added to x. No x is larger than a bound that is not 0.
struct RoundWeights {
    int rounds, width, heads;
    float bound;
    std::span<const float> score, trust, floor, first, first_bias, slopes, second, second_bias;
};

// Changes the features (query rows, columns, width) of all pairs that are no padding.
void pair_rounds(const NodeRows& queries, const Candidates& candidates, const RoundWeights& weights, float* features);

}  // namespace prune4sed
