#include "gin_gradient.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "gin_layer.hpp"
#include "hot.hpp"

namespace prune4sed {
namespace {

using std::size_t;

constexpr int kRows = 128;  // with all that is kept of every layer, so many stay in a core's second cache

// All of a layer's rows, forwards and on the way back. Tiles overrun the last row.
struct Memory {
    std::vector<std::vector<float>> x, hidden;  // before every layer and after the last; within every layer
    std::vector<float> kept;                    // two layers before, then its gradient
    std::vector<float> first;                   // label vectors times the first matrix, then their gradient
    std::vector<float> back, other;             // gradients of the layer at hand
    std::vector<float> tile;

    void resize(int rows, int width, int layers) {
        const size_t size = static_cast<size_t>(rows + kTile) * width;
        x.resize(layers + 1), hidden.resize(layers);
        for (auto* all : {&x, &hidden})
            for (auto& one : *all) grow(one, size);
        for (auto* one : {&kept, &first, &back, &other}) grow(*one, size);
        grow(tile, static_cast<size_t>(kTile) * width);
    }

    static void grow(std::vector<float>& one, size_t size) {
        if (one.size() < size) one.resize(size);
    }
};

PRUNE4SED_HOT void embed(const LabelRows& from, const GinWeights& weights, Memory& memory) {
    embed_labels(from, weights, memory.x[0].data(), memory.kept.data(), memory.first.data());
}

PRUNE4SED_HOT void go(const Block& block, const GinWeights& weights, int which, Memory& memory) {
    const auto& from = which ? memory.x[which] : memory.first;
    for (int begin = 0; begin < block.rows(); begin += kTile) {
        const size_t place = static_cast<size_t>(begin) * weights.width;
        gin_tile(block, weights, which, from.data(),
                 {begin, std::min(kTile, block.rows() - begin), memory.tile.data(), memory.hidden[which].data() + place,
                  memory.kept.data() + place, memory.x[which + 1].data() + place});
    }
}

// to += the gradient of a graph's sums, for each of its nodes.
PRUNE4SED_HOT void add_told(const Block& block, const float* told, size_t stride, int width, float* to) {
    for (size_t g = 0; g + 1 < block.group.size(); ++g, told += stride)
        for (int row = block.group[g]; row < block.group[g + 1]; ++row)
            for (int j = 0; j < width; j += kLanes) {
                float* at = to + static_cast<size_t>(row) * width + j;
                store(at, load(at) + load(told + j));
            }
}

constexpr int kSums = 8;

// to += a^T b, of so many rows of `width` numbers each; to is (width, width).
PRUNE4SED_HOT void add_products(const float* a, const float* b, int rows, int width, float* to) {
    for (int k = 0; k < width; k += kSums)
        for (int j = 0; j < width; j += kLanes) {
            Lanes sum[kSums];
            for (int i = 0; i < kSums; ++i) sum[i] = load(to + static_cast<size_t>(k + i) * width + j);
            for (int row = 0; row < rows; ++row) {
                const float* left = a + static_cast<size_t>(row) * width + k;
                const Lanes right = load(b + static_cast<size_t>(row) * width + j);
                for (int i = 0; i < kSums; ++i) sum[i] += right * left[i];
            }
            for (int i = 0; i < kSums; ++i) store(to + static_cast<size_t>(k + i) * width + j, sum[i]);
        }
}

PRUNE4SED_HOT void add_rows(const float* x, int rows, int width, float* to) {
    for (int j = 0; j < width; j += kLanes) {
        Lanes sum = load(to + j);
        for (int row = 0; row < rows; ++row) sum += load(x + static_cast<size_t>(row) * width + j);
        store(to + j, sum);
    }
}

// Where a unit was off nothing goes back.
PRUNE4SED_HOT void mask(const float* x, size_t count, float* back) {
    for (size_t j = 0; j < count; ++j) back[j] = x[j] > 0 ? back[j] : 0.0f;
}

// back = other * matrix.
PRUNE4SED_HOT void times(const float* other, int rows, int width, const float* matrix, const float* nothing, float* back) {
    for (int begin = 0; begin < rows; begin += kTile) {
        const size_t place = static_cast<size_t>(begin) * width;
        tile_times(other + place, width, matrix, nothing, width, back + place);
    }
}

PRUNE4SED_HOT void mix_all(const Block& block, const float* x, int width, float* to) {
    mix(block, x, 0, block.rows(), width, to);
}

class Back {
public:
    Back(const NodeRows& rows, const Prunings& prunings, const GinWeights& weights, std::span<const float> turned,
         const GinGradients& gradients)
        : rows_(rows), prunings_(prunings), weights_(weights), turned_(turned), to_(gradients), nothing_(weights.width) {}

    void run(const float* told) {
        const size_t stride = static_cast<size_t>(weights_.layers + 1) * weights_.width;
        for (std::int64_t graph = 0; graph < rows_.size();) {
            const float* here = told + graph * prunings_.heads * stride;
            block_.clear();
            do {
                block_.add(rows_, graph++, prunings_);
            } while (graph < rows_.size() && block_.rows() < kRows);
            memory_.resize(block_.rows(), weights_.width, weights_.layers);
            embed({block_, rows_, prunings_, weights_.width}, weights_, memory_);
            for (int layer = 0; layer < weights_.layers; ++layer) go(block_, weights_, layer, memory_);
            come_back(here, stride);
        }
    }

private:
    void come_back(const float* told, size_t stride) {
        const int width = weights_.width;
        const size_t count = static_cast<size_t>(block_.rows()) * width;
        std::fill_n(memory_.kept.begin(), count, 0.0f);
        std::fill_n(memory_.back.begin(), count, 0.0f);
        for (int layer = weights_.layers - 1; layer >= 0; --layer) {
            add_told(block_, told + static_cast<size_t>(layer + 1) * width, stride, width, memory_.back.data());
            undo(layer);
        }
        add_told(block_, told, stride, width, memory_.kept.data());
        leave();
    }

    // From the gradient of what a layer made, in `back`, to that of what it was given.
    void undo(int layer) {
        const int width = weights_.width, rows = block_.rows();
        const size_t count = static_cast<size_t>(rows) * width, matrix = static_cast<size_t>(width) * width;
        float *back = memory_.back.data(), *other = memory_.other.data();
        mask(memory_.x[layer + 1].data(), count, back);
        if (layer % 2) {  // its own way, and what later layers added of it
            for (size_t j = 0; j < count; ++j) back[j] += memory_.kept[j];
            std::copy_n(back, count, memory_.kept.begin());
        }
        const size_t first = 2 * layer * matrix, second = first + matrix, first_bias = size_t{2} * layer * width;
        add_rows(back, rows, width, to_.biases.data() + first_bias + width);
        add_products(memory_.hidden[layer].data(), back, rows, width, to_.weights.data() + second);
        times(back, rows, width, turned_.data() + second, nothing_.data(), other);
        mask(memory_.hidden[layer].data(), count, other);
        add_rows(other, rows, width, to_.biases.data() + first_bias);
        if (!layer) return mix_all(block_, other, width, memory_.first.data());
        // Sums over neighbours and products change places, as edges go both ways.
        mix_all(block_, other, width, back);
        add_products(memory_.x[layer].data(), back, rows, width, to_.weights.data() + first);
        std::swap(memory_.back, memory_.other);
        times(memory_.other.data(), rows, width, turned_.data() + first, nothing_.data(), memory_.back.data());
    }

    // Into label vectors, and factors on them.
    void leave() {
        const int width = weights_.width;
        const LabelRows from{block_, rows_, prunings_, width};
        const float *x = memory_.kept.data(), *first = memory_.first.data();
        float* first_bias = to_.folded.data() + to_.folded.size() - width;
        for (int row = 0; row < block_.rows(); ++row, x += width, first += width) {
            const size_t label = from.label(row);
            const float scale = from.scale(row);
            float grown = 0;
            for (int j = 0; j < width; ++j) {
                to_.embedding[label + j] += scale * x[j];
                to_.embedding_bias[j] += x[j];
                to_.folded[label + j] += scale * first[j];
                first_bias[j] += first[j];
                grown += weights_.embedding[label + j] * x[j] + weights_.folded[label + j] * first[j];
            }
            if (!to_.scale.empty()) to_.scale[from.place(row)] += grown;
        }
    }

    const NodeRows& rows_;
    const Prunings& prunings_;
    const GinWeights& weights_;
    std::span<const float> turned_;
    const GinGradients& to_;
    const std::vector<float> nothing_;
    Block block_;
    Memory memory_;
};

}  // namespace

void gin_gradients(const NodeRows& rows, const Prunings& prunings, const GinWeights& weights, std::span<const float> turned,
                   const float* sums, const GinGradients& gradients) {
    Back(rows, prunings, weights, turned, gradients).run(sums);
}

}  // namespace prune4sed
