#include "bindings_layers.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>

#include <array>
#include <limits>
#include <optional>
#include <stdexcept>

#include "gin.hpp"
#include "pair_rounds.hpp"
#include "query_aware.hpp"

namespace nb = nanobind;

namespace prune4sed {
namespace {

template <class T>
using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
using Longs = Array<std::int64_t>;
using Floats = Array<float>;
using Bools = Array<bool>;
using Out = nb::ndarray<float, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const Array<T>& array) {
    return {array.data(), array.size()};
}
template <class T>
std::span<const T> view(const std::optional<Array<T>>& array) {
    return array ? view(*array) : std::span<const T>{};
}

// Arrays come from Python: what would be read or written beyond their ends is refused, and costs little to look for.
void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void check_starts(std::span<const std::int64_t> starts) {
    require(!starts.empty() && starts[0] >= 0, "starts must begin at 0 or more");
    for (std::size_t i = 1; i < starts.size(); ++i) require(starts[i - 1] <= starts[i], "starts must not decrease");
}

// Rows whose labels are among so many, and whose neighbours are in the same graph.
void check_rows(const NodeRows& rows, std::size_t labels) {
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

void check_queries(const QueryRows& queries, std::int64_t targets, std::size_t stages, std::size_t width) {
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
std::size_t check_width(const Floats& embedding, const Floats& bias) {
    const std::size_t width = bias.size();
    require(width > 0 && width % 16 == 0, "the width must be a multiple of 16");
    require(embedding.size() % width == 0, "label vectors must have the width of their bias");
    return width;
}

struct Rows {
    Longs starts, first, last, neighbours, labels;

    NodeRows borrow() const { return {view(starts), view(first), view(last), view(neighbours), view(labels)}; }
};

void sums(const Rows& rows, int heads, const std::optional<Floats>& scale, const std::optional<Bools>& keep,
          const std::array<Floats, 5>& weights, Out out) {
    const auto& [embedding, embedding_bias, matrices, biases, folded] = weights;
    const std::size_t wide = check_width(embedding, embedding_bias), deep = biases.size() / (2 * wide);
    const NodeRows nodes = rows.borrow();
    check_rows(nodes, embedding.size() / wide);
    const auto places = static_cast<std::size_t>(nodes.starts.back()) * static_cast<std::size_t>(heads);
    require(heads > 0 && (!scale || scale->size() >= places) && (!keep || keep->size() >= places),
            "scale and keep must be (rows, heads)");
    require(biases.size() == 2 * deep * wide && matrices.size() == 2 * deep * wide * wide &&
                folded.size() == embedding.size() + wide,
            "weights and biases must be of as many layers and of one width");
    require(out.size() == static_cast<std::size_t>(nodes.size()) * heads * (deep + 1) * wide,
            "out must be (graphs, heads, layers + 1, width)");
    const int width = static_cast<int>(wide), layers = static_cast<int>(deep);
    const nb::gil_scoped_release release;
    gin_sums(nodes, {heads, view(scale), view(keep)},
             {width, layers, view(embedding), view(embedding_bias), view(matrices), view(biases), view(folded)},
             out.data());
}

void stages(const Rows& rows, const Floats& told, const Longs& query_starts, const std::optional<Longs>& query_of,
            int heads, const std::array<Floats, 16>& w, Out out) {
    const std::size_t wide = check_width(w[0], w[1]), deep = w[7].size();
    require(deep > 0 && heads > 0 && wide % heads == 0, "there must be stages, and the width a multiple of the heads");
    const NodeRows nodes = rows.borrow();
    const QueryRows queries{view(told), view(query_starts), view(query_of)};
    check_rows(nodes, w[0].size() / wide);
    check_queries(queries, nodes.size(), deep, wide);
    const std::size_t by_stage = deep * wide, by_layer = by_stage - wide;
    const std::array<std::size_t, 14> sizes{by_stage * wide, by_stage, by_stage * wide, by_stage, by_stage, deep, by_stage,
                                            by_stage, by_layer * wide, by_layer, by_layer * wide, by_layer, by_layer,
                                            by_layer};
    for (std::size_t i = 0; i < sizes.size(); ++i)
        require(w[i + 2].size() == sizes[i], "weights must be of as many stages and of one width");
    require(out.size() >= static_cast<std::size_t>(nodes.starts.back()) * by_stage, "out must be (rows, stages, width)");
    const int width = static_cast<int>(wide), stages = static_cast<int>(deep);
    const nb::gil_scoped_release release;
    aware_stages(nodes, queries,
                 {width, stages, heads, view(w[0]), view(w[1]), view(w[2]), view(w[3]), view(w[4]), view(w[5]), view(w[6]),
                  view(w[7]), view(w[8]), view(w[9]), view(w[10]), view(w[11]), view(w[12]), view(w[13]),
                  view(w[14]), view(w[15])},
                 out.data());
}

void rounds(const Rows& queries, const Bools& there, const Floats& edges, const Floats& log_keep, int width, int heads,
            float bound, const std::array<Floats, 8>& w, Out features) {
    const NodeRows nodes = queries.borrow();
    check_rows(nodes, std::numeric_limits<std::size_t>::max());
    const auto pairs = static_cast<std::size_t>(nodes.size());
    const std::size_t columns = pairs ? there.size() / pairs : 0;
    require(there.size() == pairs * columns && log_keep.size() == there.size() && edges.size() == columns * there.size(),
            "there, log_keep and edges must be of as many pairs and candidates");
    for (std::size_t pair = 0; pair < pairs; ++pair)
        require(columns > 0 && there.data()[pair * columns], "the first candidate must be there");
    require(width > 0 && heads > 0, "width and heads must be 1 or more");
    const auto wide = static_cast<std::size_t>(width), m = static_cast<std::size_t>(heads), deep = w[7].size() / wide;
    const std::array<std::size_t, 8> sizes{wide * m,  m,        m,        (wide + 4 * m) * 2 * wide,
                                           2 * wide, 2 * wide, 2 * wide * wide, wide};
    for (std::size_t i = 0; i < w.size(); ++i)
        require(w[i].size() == deep * sizes[i], "weights must be of as many rounds and of one width");
    require(features.size() >= static_cast<std::size_t>(nodes.starts.back()) * columns * wide,
            "features must be (rows, candidates, width)");
    const nb::gil_scoped_release release;
    pair_rounds(nodes, {static_cast<std::int64_t>(columns), view(there), view(edges), view(log_keep)},
                {static_cast<int>(deep), width, heads, bound, view(w[0]), view(w[1]), view(w[2]), view(w[3]), view(w[4]),
                 view(w[5]), view(w[6]), view(w[7])},
                features.data());
}

}  // namespace

void bind_layers(nb::module_& m) {
    nb::class_<Rows>(m, "NodeRows")
        .def(nb::init<Longs, Longs, Longs, Longs, Longs>(), nb::arg("starts"), nb::arg("first"), nb::arg("last"),
             nb::arg("neighbours"), nb::arg("labels"));
    m.def("gin_sums", &sums, nb::arg("rows"), nb::arg("heads"), nb::arg("scale").none(), nb::arg("keep").none(),
          nb::arg("weights"), nb::arg("out"));
    m.def("aware_stages", &stages, nb::arg("rows"), nb::arg("told"), nb::arg("query_starts"),
          nb::arg("query_of").none(), nb::arg("heads"), nb::arg("weights"), nb::arg("out"));
    m.def("pair_rounds", &rounds, nb::arg("queries"), nb::arg("there"), nb::arg("edges"), nb::arg("log_keep"),
          nb::arg("width"), nb::arg("heads"), nb::arg("bound"), nb::arg("weights"), nb::arg("features"));
}

}  // namespace prune4sed
