// Query-aware node features of targets on a CPU: attention over the query and GATv2 layers in turn.
#pragma once

#include <span>

#include "node_rows.hpp"

namespace prune4sed {

// What target nodes look at: keys and values (stages, query rows, 2 * width), the first row of every query and one
// past the last of all, and which query belongs to each target (empty: the i-th to the i-th).
struct QueryRows {
    std::span<const float> told;
    std::span<const std::int64_t> starts, query_of;
};

// Widths are multiples of 16, matrices (in, out). A stage asks by a linear layer, finds something, and weighs its node
// by sigmoid(relu(found * middle + middle_bias) . vector + level); `scale` and `shift` are the batch normalisation after
// that. Between stages there is a GATv2 layer.
struct AwareWeights {
    int width, stages, heads;
    std::span<const float> embedding, embedding_bias;
    std::span<const float> ask, ask_bias, middle, middle_bias, vector, level, scale, shift;
    std::span<const float> source, source_bias, end, end_bias, attention, bias;
};

// Writes (rows, stages, width): the features after every stage.
void aware_stages(const NodeRows& rows, const QueryRows& queries, const AwareWeights& weights, float* stages);

}  // namespace prune4sed
