// One layer of the GIN encoder, and what comes before the first, on a block of rows.
#pragma once

#include <cstddef>

#include "gin_block.hpp"
#include "lanes.hpp"

namespace prune4sed {

// What a pruning makes of labels.
struct LabelRows {
    const Block& block;
    const NodeRows& rows;
    const Prunings& prunings;
    int width;

    std::size_t label(int row) const { return static_cast<std::size_t>(rows.labels[block.node[row]]) * width; }
    std::size_t place(int row) const { return block.node[row] * prunings.heads + block.head[row]; }
    float scale(int row) const { return prunings.scale.empty() ? 1.0f : prunings.scale[place(row)]; }
};

// Label vectors, once more for the layer after the next, and times the first matrix.
PRUNE4SED_INLINE void embed_labels(const LabelRows& from, const GinWeights& weights, float* x, float* kept, float* first) {
    const int width = weights.width;
    const float* first_bias = weights.folded.data() + weights.folded.size() - width;
    for (int row = 0; row < from.block.rows(); ++row, x += width, kept += width, first += width) {
        const float scale = from.scale(row);
        const std::size_t label = from.label(row);
        for (int j = 0; j < width; ++j) {
            x[j] = kept[j] = weights.embedding[label + j] * scale + weights.embedding_bias[j];
            first[j] = weights.folded[label + j] * scale + first_bias[j];
        }
    }
}

// Some rows of a block: `count` from `begin` on, kTile at most. All else is theirs alone, and has room for kTile rows.
struct GinTile {
    int begin, count;
    float *mixed, *hidden;  // sums over neighbours, and the middle of the layer
    float* kept;            // what came in two layers before, for every second layer, which leaves its own
    float* to;              // what the layer makes
};

// `from` is of all rows: features, for the first layer those times its first matrix.
PRUNE4SED_INLINE void gin_tile(const Block& block, const GinWeights& weights, int which, const float* from, const GinTile& t) {
    const int width = weights.width, size = t.count * width;
    const float* first = weights.weights.data() + std::size_t{2} * which * width * width;
    const float* second = first + static_cast<std::size_t>(width) * width;
    const float* first_bias = weights.biases.data() + std::size_t{2} * which * width;
    if (which) {
        mix(block, from, t.begin, t.count, width, t.mixed);
        tile_times(t.mixed, width, first, first_bias, width, t.hidden);
    } else {
        mix(block, from, t.begin, t.count, width, t.hidden);
        for (int r = 0; r < t.count; ++r)
            for (int j = 0; j < width; j += kLanes) {
                float* at = t.hidden + r * width + j;
                store(at, load(at) + load(first_bias + j));
            }
    }
    for (int j = 0; j < size; j += kLanes) store(t.hidden + j, relu(load(t.hidden + j)));
    tile_times(t.hidden, width, second, first_bias + width, width, t.to);
    for (int j = 0; j < size; j += kLanes) {
        Lanes made = load(t.to + j);
        if (which % 2) {
            made += load(t.kept + j);
            store(t.kept + j, made);
        }
        store(t.to + j, relu(made));
    }
}

}  // namespace prune4sed
