// Arrays from Python as the layers take them, and what is wrong with them.
#pragma once

#include <array>
#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "gin.hpp"
#include "query_aware.hpp"

namespace prune4sed {

using Floats = Array<float>;
using Bools = Array<bool>;
using Out = Written<float>;

// Arrays come from Python: what would be read or written beyond their ends is refused, and costs little to look for.
inline void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

inline void check_starts(std::span<const std::int64_t> starts) {
    require(!starts.empty() && starts[0] >= 0, "starts must begin at 0 or more");
    for (std::size_t i = 1; i < starts.size(); ++i) require(starts[i - 1] <= starts[i], "starts must not decrease");
}

// Rows whose labels are among so many, and whose neighbours are in the same graph.
inline void check_rows(const NodeRows& rows, std::size_t labels) {
    check_starts(rows.starts);
    const auto count = static_cast<std::size_t>(rows.starts.back());
    require(rows.first.size() >= count && rows.last.size() >= count && rows.labels.size() >= count,
            "there are fewer rows than starts says");
    for (std::int64_t graph = 0; graph < rows.size(); ++graph) {
        const std::int64_t nodes = rows.starts[graph + 1] - rows.starts[graph];
        for (std::int64_t row = rows.starts[graph]; row < rows.starts[graph + 1]; ++row) {
            require(rows.labels[row] >= 0 && static_cast<std::size_t>(rows.labels[row]) < labels,
                    "a label has no vector");
            require(rows.first[row] >= 0 && rows.first[row] <= rows.last[row] &&
                        static_cast<std::size_t>(rows.last[row]) <= rows.neighbours.size(),
                    "a range of neighbours is not in their array");
            for (std::int64_t at = rows.first[row]; at < rows.last[row]; ++at)
                require(rows.neighbours[at] >= 0 && rows.neighbours[at] < nodes, "a neighbour is in no row of its graph");
        }
    }
}

inline void check_queries(const QueryRows& queries, std::int64_t targets, std::size_t stages, std::size_t width) {
    check_starts(queries.starts);
    const auto count = static_cast<std::int64_t>(queries.starts.size()) - 1;
    require(queries.told.size() == stages * static_cast<std::size_t>(queries.starts.back()) * 2 * width,
            "keys and values must be (stages, query rows, 2 * width)");
    if (queries.query_of.empty()) return require(count >= targets, "there are fewer queries than targets");
    require(static_cast<std::int64_t>(queries.query_of.size()) == targets, "query_of must name a query for every target");
    for (const std::int64_t query : queries.query_of)
        require(query >= 0 && query < count, "query_of names a query that is not there");
}

// The width, which all weights share.
inline std::size_t check_width(const Floats& embedding, const Floats& bias) {
    const std::size_t width = bias.size();
    require(width > 0 && width % 16 == 0, "the width must be a multiple of 16");
    require(embedding.size() % width == 0, "label vectors must have the width of their bias");
    return width;
}

// Label vectors, their bias, matrices, biases, and label vectors times the first matrix.
using GinArrays = std::array<Floats, 5>;

inline GinWeights check_gin(const NodeRows& nodes, int heads, const std::optional<Floats>& scale,
                            const std::optional<Bools>& keep, const GinArrays& arrays) {
    const auto& [embedding, embedding_bias, matrices, biases, folded] = arrays;
    const std::size_t width = check_width(embedding, embedding_bias), layers = biases.size() / (2 * width);
    check_rows(nodes, embedding.size() / width);
    const auto places = static_cast<std::size_t>(nodes.starts.back()) * static_cast<std::size_t>(heads);
    require(heads > 0 && (!scale || scale->size() >= places) && (!keep || keep->size() >= places),
            "scale and keep must be (rows, heads)");
    require(biases.size() == 2 * layers * width && matrices.size() == 2 * layers * width * width &&
                folded.size() == embedding.size() + width,
            "weights and biases must be of as many layers and of one width");
    return {static_cast<int>(width), static_cast<int>(layers), view(embedding), view(embedding_bias),
            view(matrices), view(biases), view(folded)};
}

inline int check_threads(int threads) {
    require(threads > 0, "threads must be 1 or more");
    return threads;
}

struct Rows {
    Longs starts, first, last, neighbours, labels;

    NodeRows borrow() const { return {view(starts), view(first), view(last), view(neighbours), view(labels)}; }
};

}  // namespace prune4sed
