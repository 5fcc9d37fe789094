#include "query_aware.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "attention_lanes.hpp"
#include "hot.hpp"

namespace prune4sed {
namespace {

constexpr std::int64_t kRows = 256;  // a block of so many rows, or a little more, stays in a core's second cache

// Rows of features that tiles may overrun.
struct Rows {
    std::vector<float> data;
    void resize(std::int64_t rows, int width) { data.resize((rows + kTile) * width); }
    float* operator[](std::int64_t at) { return data.data() + at; }
};

PRUNE4SED_HOT void linear(Rows& x, std::int64_t rows, int width, const float* weight, const float* bias, Rows& to) {
    for (std::int64_t row = 0; row < rows; row += kTile)
        tile_times(x[row * width], width, weight, bias, width, to[row * width]);
}

// A perceptron with one hidden layer of as many numbers, and one number out, for sixteen rows (width, 16).
PRUNE4SED_INLINE Lanes judge(const float* found, int width, const float* middle, const float* bias, const float* vector) {
    constexpr int kSums = 8;
    Lanes out{};
    for (int j = 0; j < width; j += kSums) {
        Lanes sum[kSums];
        for (int i = 0; i < kSums; ++i) sum[i] = Lanes{} - (-bias[j + i]);
        for (int k = 0; k < width; ++k) {
            const Lanes x = load(found + k * kLanes);
            const float* row = middle + static_cast<std::int64_t>(k) * width + j;
            for (int i = 0; i < kSums; ++i) sum[i] += x * row[i];
        }
        for (int i = 0; i < kSums; ++i) out += relu(sum[i]) * vector[j + i];
    }
    return out;
}

class Aware {
public:
    Aware(const NodeRows& rows, const QueryRows& queries, const AwareWeights& weights, float* stages)
        : rows_(rows), queries_(queries), weights_(weights), width_(weights.width), stages_(stages) {}

    void run() {
        for (std::int64_t begin = 0, end; begin < rows_.size(); begin = end) {
            for (end = begin + 1; end < rows_.size() && rows_.starts[end] - rows_.starts[begin] < kRows;) ++end;
            first_ = rows_.starts[begin], count_ = rows_.starts[end] - first_;
            for (Rows* x : {&x_, &asked_, &source_, &end_}) x->resize(count_, width_);
            embed();
            for (int stage = 0; stage < weights_.stages; ++stage) {
                if (stage) graph_attention(stage - 1, begin, end);
                query_attention(stage, begin, end);
            }
        }
    }

private:
    void embed() {
        for (std::int64_t r = 0; r < count_; ++r) {
            const float* vector = weights_.embedding.data() + rows_.labels[first_ + r] * width_;
            for (int j = 0; j < width_; ++j) *x_[r * width_ + j] = vector[j] + weights_.embedding_bias[j];
        }
    }

    void query_attention(int stage, std::int64_t begin, std::int64_t end) {
        const std::int64_t matrix = static_cast<std::int64_t>(stage) * width_ * width_;
        linear(x_, count_, width_, weights_.ask.data() + matrix, weights_.ask_bias.data() + stage * width_, asked_);
        const float* told = queries_.told.data() + stage * queries_.starts.back() * 2 * width_;
        for (std::int64_t graph = begin; graph < end; ++graph) {
            const std::int64_t query = queries_.query_of.empty() ? graph : queries_.query_of[graph];
            const std::int64_t from = queries_.starts[query];
            keys_ = {static_cast<int>(queries_.starts[query + 1] - from), told + from * 2 * width_};
            scores_.resize(static_cast<std::size_t>(keys_.nodes + 2 * width_) * kLanes);
            weigh(stage, rows_.starts[graph] - first_, rows_.starts[graph + 1] - first_);
        }
    }

    // Scales and normalises the rows of a graph, and writes them out.
    void weigh(int stage, std::int64_t begin, std::int64_t end) {
        float* to = stages_ + ((first_ + begin) * weights_.stages + stage) * width_;
        const std::size_t at = static_cast<std::size_t>(stage) * width_;
        weigh_rows({keys_, asked_[begin * width_], x_[begin * width_], to, end - begin, width_, weights_.heads,
                    static_cast<std::int64_t>(weights_.stages) * width_, weights_.middle.data() + at * width_,
                    weights_.middle_bias.data() + at, weights_.vector.data() + at, weights_.level[stage],
                    weights_.scale.data() + at, weights_.shift.data() + at, scores_.data()});
    }

    struct Weighing {
        const Keys& keys;
        const float* asked;
        float *x, *to;
        std::int64_t rows;
        int width, heads;
        std::int64_t stride;
        const float *middle, *middle_bias, *vector;
        float level;
        const float *scale, *shift;
        float* scores;
    };

    PRUNE4SED_HOT static void weigh_rows(const Weighing& w) {
        float* turned = w.scores + static_cast<std::size_t>(w.keys.nodes) * kLanes;
        float* seen = turned + static_cast<std::size_t>(w.width) * kLanes;
        for (std::int64_t begin = 0; begin < w.rows; begin += kLanes) {
            const int count = static_cast<int>(std::min<std::int64_t>(kLanes, w.rows - begin));
            for (int r = 0; r < count; ++r)
                for (int j = 0; j < w.width; ++j) turned[j * kLanes + r] = w.asked[(begin + r) * w.width + j];
            look(w.keys, turned, w.width, w.heads, w.scores, seen);
            float found[kLanes];
            store(found, judge(seen, w.width, w.middle, w.middle_bias, w.vector));
            for (int r = 0; r < count; ++r) {
                const float weight = 1.0f / (1.0f + std::exp(-found[r] - w.level));
                float *x = w.x + (begin + r) * w.width, *to = w.to + (begin + r) * w.stride;
                for (int j = 0; j < w.width; j += kLanes) {
                    const Lanes made = load(x + j) * weight * load(w.scale + j) + load(w.shift + j);
                    store(x + j, made);
                    store(to + j, made);
                }
            }
        }
    }

    void graph_attention(int layer, std::int64_t begin, std::int64_t end) {
        const std::int64_t matrix = static_cast<std::int64_t>(layer) * width_ * width_;
        const std::size_t at = static_cast<std::size_t>(layer) * width_;
        linear(x_, count_, width_, weights_.source.data() + matrix, weights_.source_bias.data() + at, source_);
        linear(x_, count_, width_, weights_.end.data() + matrix, weights_.end_bias.data() + at, end_);
        for (std::int64_t graph = begin; graph < end; ++graph)
            for (std::int64_t row = rows_.starts[graph]; row < rows_.starts[graph + 1]; ++row) {
                const std::int64_t degree = rows_.last[row] - rows_.first[row];
                scores_.resize(degree + 1 + kLanes);
                near_.resize(degree + 1);
                near_[0] = row - first_;
                for (std::int64_t i = 0; i < degree; ++i)
                    near_[i + 1] = rows_.starts[graph] - first_ + rows_.neighbours[rows_.first[row] + i];
                attend({source_[0], end_[(row - first_) * width_], weights_.attention.data() + at, near_.data(),
                        static_cast<int>(near_.size()), width_, scores_.data()},
                       weights_.bias.data() + at, x_[(row - first_) * width_]);
            }
    }

    // A weighted mean over a row and its neighbours, and ReLU.
    PRUNE4SED_HOT static void attend(const Nearby& a, const float* bias, float* to) {
        const float level = 1.0f / near_shares(a).sum;
        for (int j = 0; j < a.width; j += kLanes) {
            Lanes mean{};
            for (int i = 0; i < a.count; ++i) mean += load(a.sources + a.near[i] * a.width + j) * a.shares[i];
            store(to + j, relu(mean * level + load(bias + j)));
        }
    }

    const NodeRows& rows_;
    const QueryRows& queries_;
    const AwareWeights& weights_;
    const int width_;
    float* stages_;
    std::int64_t first_ = 0, count_ = 0;  // rows of the block at hand
    Rows x_, asked_, source_, end_;
    Keys keys_;
    std::vector<float> scores_;
    std::vector<std::int64_t> near_;
};

}  // namespace

void aware_stages(const NodeRows& rows, const QueryRows& queries, const AwareWeights& weights, float* stages) {
    Aware(rows, queries, weights, stages).run();
}

}  // namespace prune4sed
