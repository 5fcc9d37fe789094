// What the GIN encoder's sums say of its weights, for training on a CPU.
#pragma once

#include "gin.hpp"

namespace prune4sed {

// Sums of gradients, of the shapes of GinWeights; `scale` is (rows, heads), empty if there are no factors.
struct GinGradients {
    std::span<float> embedding, embedding_bias, weights, biases, folded, scale;
};

// Adds to the gradients what follows from those of the sums (graphs, heads, layers + 1, width). Everything in between
// is computed again, a few graphs at a time, so that it never leaves the caches. `turned` are the matrices as
// (layers, 2, out, in).
void gin_gradients(const NodeRows& rows, const Prunings& prunings, const GinWeights& weights, std::span<const float> turned,
                   const float* sums, const GinGradients& gradients);

}  // namespace prune4sed
