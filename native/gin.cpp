#include "gin.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "gin_layer.hpp"
#include "hot.hpp"

namespace prune4sed {
namespace {

constexpr int kRows = 256;  // a block of so many rows, or a little more, stays in a core's second cache

// Features of the rows of a block: as they are, two layers before, and the next ones (before the first layer, those
// that are there times its first matrix). Tiles overrun the last row.
struct Features {
    std::vector<float> now, kept, next, mixed, hidden;

    void resize(int rows, int width) {
        const std::size_t size = static_cast<std::size_t>(rows + kTile) * width;
        if (now.size() < size) now.resize(size), kept.resize(size), next.resize(size);
        for (auto* tile : {&mixed, &hidden}) tile->resize(static_cast<std::size_t>(kTile) * width);
    }
};

PRUNE4SED_HOT void embed(const LabelRows& from, const GinWeights& weights, Features& x) {
    embed_labels(from, weights, x.now.data(), x.kept.data(), x.next.data());
}

PRUNE4SED_HOT void layer(const Block& block, const GinWeights& weights, int which, Features& x) {
    // The first layer reads `next`, all others what they are given.
    auto &from = which ? x.now : x.next, &to = which ? x.next : x.now;
    for (int begin = 0; begin < block.rows(); begin += kTile) {
        const std::int64_t place = static_cast<std::int64_t>(begin) * weights.width;
        gin_tile(block, weights, which, from.data(),
                 {begin, std::min(kTile, block.rows() - begin), x.mixed.data(), x.hidden.data(), x.kept.data() + place,
                  to.data() + place});
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
        embed({block, rows, prunings, weights.width}, weights, x);
        add_up(block, x.now, weights.width, to, stride);
        for (int i = 0; i < weights.layers; ++i) {
            layer(block, weights, i, x);
            add_up(block, x.now, weights.width, to + (i + 1) * weights.width, stride);
        }
    }
}

}  // namespace prune4sed
