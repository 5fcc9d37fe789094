// Random inputs of the networks' layers, and what they make of them, plainly and in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "gin.hpp"
#include "node_rows.hpp"
#include "random_graphs.hpp"

namespace prune4sed::tests {

using Floats = std::vector<float>;
using Row = std::vector<double>;

inline Floats random_floats(Random& random, std::size_t count) {
    Floats made(count);
    for (float& x : made) x = static_cast<float>(random.between(-1000, 1000)) / 2500.0f;
    return made;
}

// Graphs as the layers take them, with room for nothing but what is there.
struct OwnedRows {
    std::vector<std::int64_t> starts{0}, first, last, neighbours, labels;

    void add(const Owned& graph) {
        for (int v = 0; v < graph.nodes(); ++v) {
            first.push_back(static_cast<std::int64_t>(neighbours.size()));
            for (std::size_t e = 0; e + 1 < graph.edges.size(); e += 2) {
                if (graph.edges[e] == v) neighbours.push_back(graph.edges[e + 1]);
                if (graph.edges[e + 1] == v) neighbours.push_back(graph.edges[e]);
            }
            last.push_back(static_cast<std::int64_t>(neighbours.size()));
            labels.push_back(graph.labels[v]);
        }
        starts.push_back(static_cast<std::int64_t>(labels.size()));
    }

    NodeRows view() const { return {starts, first, last, neighbours, labels}; }
    std::int64_t rows() const { return starts.back(); }
    std::vector<std::int64_t> near(std::int64_t graph, std::int64_t row) const {
        std::vector<std::int64_t> found;
        for (std::int64_t at = first[row]; at < last[row]; ++at) found.push_back(starts[graph] + neighbours[at]);
        return found;
    }
};

inline OwnedRows random_rows(Random& random, int graphs, int largest, int labels) {
    OwnedRows made;
    for (int g = 0; g < graphs; ++g)
        made.add(random_graph(random, {random.between(0, largest), labels, 0, random.between(5, 60)}));
    return made;
}

// x * weight + bias, with weight (in, out).
inline Row times(const Row& x, const float* weight, const float* bias) {
    Row out(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
        out[j] = bias[j];
        for (std::size_t k = 0; k < x.size(); ++k) out[j] += x[k] * weight[k * x.size() + j];
    }
    return out;
}

inline double relu(double x) { return std::max(0.0, x); }

inline bool close(double a, double b) { return std::abs(a - b) < 1e-3 * (1 + std::abs(b)); }

struct GinCase {
    OwnedRows rows;
    int heads, width, layers;
    Floats scale, embedding, bias, weights, biases;
    std::unique_ptr<bool[]> keep;

    Prunings prunings() const { return {heads, scale, {keep.get(), scale.size()}}; }
    GinWeights view(const Floats& first) const { return {width, layers, embedding, bias, weights, biases, first}; }

    // Label vectors and their bias times the first matrix, as the caller of gin_sums has them.
    Floats folded() const {
        Floats all = embedding, made;
        all.insert(all.end(), bias.begin(), bias.end());
        const Floats nothing(width, 0.0f);
        for (std::size_t at = 0; at < all.size(); at += width)
            for (const double x : times(Row(all.begin() + at, all.begin() + at + width), weights.data(), nothing.data()))
                made.push_back(static_cast<float>(x));
        return made;
    }

    // The sums of one pruned graph, (layers + 1, width).
    Row expected(std::int64_t graph, int head) const {
        const std::int64_t begin = rows.starts[graph], end = rows.starts[graph + 1];
        const auto stays = [&](std::int64_t row) { return keep[row * heads + head]; };
        std::vector<Row> x(end - begin, Row(width, 0.0)), kept;
        for (std::int64_t row = begin; row < end; ++row)
            for (int j = 0; stays(row) && j < width; ++j)
                x[row - begin][j] = embedding[rows.labels[row] * width + j] * scale[row * heads + head] + bias[j];
        Row sums;
        const auto add_up = [&] {
            for (int j = 0; j < width; ++j) {
                sums.push_back(0);
                for (const Row& one : x) sums.back() += one[j];
            }
        };
        add_up();
        kept = x;
        for (int layer = 0; layer < layers; ++layer) {
            std::vector<Row> next = x;
            for (std::int64_t row = begin; row < end; ++row) {
                if (!stays(row)) continue;
                Row mixed = x[row - begin];
                for (const std::int64_t other : rows.near(graph, row))
                    for (int j = 0; j < width; ++j) mixed[j] += x[other - begin][j];
                const float *weight = &weights[2 * layer * width * width], *shift = &biases[2 * layer * width];
                Row hidden = times(mixed, weight, shift);
                for (double& h : hidden) h = relu(h);
                next[row - begin] = times(hidden, weight + width * width, shift + width);
                for (int j = 0; j < width; ++j) {
                    double& made = next[row - begin][j];
                    if (layer % 2) kept[row - begin][j] = made += kept[row - begin][j];
                    made = relu(made);
                }
            }
            x = std::move(next);
            add_up();
        }
        return sums;
    }
};

inline GinCase random_gin_case(Random& random) {
    const int labels = random.between(1, 4), width = 16 * random.between(1, 2);
    GinCase c;
    c.rows = random_rows(random, random.between(1, 5), 20, labels);
    c.heads = random.between(1, 3), c.width = width, c.layers = random.between(1, 4);
    const std::size_t cells = c.rows.rows() * c.heads, matrix = static_cast<std::size_t>(width) * width;
    c.scale = random_floats(random, cells);
    c.embedding = random_floats(random, static_cast<std::size_t>(labels) * width);
    c.bias = random_floats(random, width);
    c.weights = random_floats(random, 2 * c.layers * matrix);
    c.biases = random_floats(random, 2 * static_cast<std::size_t>(c.layers) * width);
    c.keep = std::make_unique<bool[]>(std::max<std::size_t>(1, cells));
    for (std::size_t i = 0; i < cells; ++i) c.keep[i] = random.chance(70);
    return c;
}

// The mean of values, weighted by the softmax of their scores; `beside` is what else has a share and is worth nothing.
inline double softmax_mean(const Row& scores, const std::function<double(std::size_t)>& value, double beside) {
    double mass = beside, sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        mass += std::exp(scores[i]);
        sum += std::exp(scores[i]) * value(i);
    }
    return sum / mass;
}

}  // namespace prune4sed::tests
