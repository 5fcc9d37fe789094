#include "gin.hpp"

#include <utility>
#include <vector>

#include "gin_block.hpp"
#include "hot.hpp"
#include "lanes.hpp"

namespace prune4sed {
namespace {

constexpr int kRows = 256;  // a block of so many rows, or a little more, stays in a core's second cache

// Features of the rows of a block: as they are, two layers before, and the next ones (before the first layer, those
// that are there times its first matrix).
struct Features {
    std::vector<float> now, kept, next, mixed, hidden, made;

    void resize(int rows, int width) {
        const std::size_t size = static_cast<std::size_t>(rows) * width;
        if (now.size() < size) now.resize(size), kept.resize(size), next.resize(size);
        for (auto* tile : {&mixed, &hidden, &made}) tile->resize(static_cast<std::size_t>(kTile) * width);
    }
};

PRUNE4SED_HOT void embed(const Block& block, std::span<const std::int64_t> labels, const Prunings& prunings,
                         const GinWeights& weights, Features& x) {
    const int width = weights.width;
    const float* folded_bias = weights.folded.data() + weights.folded.size() - width;
    for (int row = 0; row < block.rows(); ++row) {
        const std::int64_t label = labels[block.node[row]] * width, place = static_cast<std::int64_t>(row) * width;
        const float scale =
            prunings.scale.empty() ? 1.0f : prunings.scale[block.node[row] * prunings.heads + block.head[row]];
        for (int j = 0; j < width; ++j) {
            x.now[place + j] = x.kept[place + j] = weights.embedding[label + j] * scale + weights.embedding_bias[j];
            x.next[place + j] = weights.folded[label + j] * scale + folded_bias[j];
        }
    }
}

PRUNE4SED_HOT void layer(const Block& block, const GinWeights& weights, int which, Features& x) {
    const int width = weights.width, rows = block.rows();
    const float* first = weights.weights.data() + std::int64_t{2} * which * width * width;
    const float* second = first + static_cast<std::int64_t>(width) * width;
    const float* first_bias = weights.biases.data() + std::int64_t{2} * which * width;
    const float* second_bias = first_bias + width;
    float* to = which ? x.next.data() : x.now.data();  // the first layer reads `next`
    for (int begin = 0; begin < rows; begin += kTile) {
        const int count = rows - begin < kTile ? rows - begin : kTile;
        float* hidden = x.hidden.data();
        if (which) {
            mix(block, x.now.data(), begin, count, width, x.mixed.data());
            tile_times(x.mixed.data(), width, first, first_bias, width, hidden);
        } else {
            mix(block, x.next.data(), begin, count, width, hidden);
            for (int r = 0; r < count; ++r)
                for (int j = 0; j < width; j += kLanes)
                    store(hidden + r * width + j, load(hidden + r * width + j) + load(first_bias + j));
        }
        for (int j = 0; j < kTile * width; j += kLanes) store(hidden + j, relu(load(hidden + j)));
        tile_times(x.hidden.data(), width, second, second_bias, width, x.made.data());
        for (int j = 0; j < count * width; j += kLanes) {
            const std::int64_t place = static_cast<std::int64_t>(begin) * width + j;
            Lanes made = load(x.made.data() + j);
            if (which % 2) {
                made += load(x.kept.data() + place);
                store(x.kept.data() + place, made);
            }
            store(to + place, relu(made));
        }
    }
    if (which) std::swap(x.now, x.next);
}

PRUNE4SED_HOT void add_up(const Block& block, const std::vector<float>& x, int width, float* to, std::int64_t stride) {
    for (std::size_t g = 0; g + 1 < block.group.size(); ++g, to += stride)
        for (int j = 0; j < width; j += kLanes) {
            Lanes sum{};
            for (int row = block.group[g]; row < block.group[g + 1]; ++row)
                sum += load(x.data() + static_cast<std::int64_t>(row) * width + j);
            store(to + j, sum);
        }
}

}  // namespace

void gin_sums(const NodeRows& rows, const Prunings& prunings, const GinWeights& weights, float* sums) {
    Block block;
    Features x;
    const std::int64_t stride = static_cast<std::int64_t>(weights.layers + 1) * weights.width;
    for (std::int64_t graph = 0; graph < rows.size();) {
        float* to = sums + graph * prunings.heads * stride;
        block.clear();
        do {
            block.add(rows, graph++, prunings);
        } while (graph < rows.size() && block.rows() < kRows);
        x.resize(block.rows(), weights.width);
        embed(block, rows.labels, prunings, weights, x);
        add_up(block, x.now, weights.width, to, stride);
        for (int i = 0; i < weights.layers; ++i) {
            layer(block, weights, i, x);
            add_up(block, x.now, weights.width, to + (i + 1) * weights.width, stride);
        }
    }
}

}  // namespace prune4sed
