// The GIN encoder on a CPU: pruned graphs, a few hundred rows at a time, from labels to sums over nodes.
#pragma once

#include <span>

#include "node_rows.hpp"

namespace prune4sed {

// Several prunings (heads) of the same graphs: factors on the label vectors (rows, heads), and which rows stay.
// Either may be empty, for 1 and for all.
struct Prunings {
    int heads;
    std::span<const float> scale;
    std::span<const bool> keep;
};

// Of a multiple of 16 numbers. Weights are (layers, 2, in, out), biases (layers, 2, out). As sums and products change
// places, label vectors come already multiplied with the first matrix too, their bias behind the last of them.
struct GinWeights {
    int width, layers;
    std::span<const float> embedding, embedding_bias, weights, biases, folded;
};

// Writes (graphs, heads, layers + 1, width): for every pruned graph the sum over its nodes before the first layer and
// after each. Every second layer adds what came in two layers before.
void gin_sums(const NodeRows& rows, const Prunings& prunings, const GinWeights& weights, float* sums);

}  // namespace prune4sed
