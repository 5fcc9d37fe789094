#include "bindings_layers.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>

#include <array>
#include <limits>

#include "gin.hpp"
#include "layer_arrays.hpp"
#include "pair_rounds.hpp"
#include "split.hpp"

namespace nb = nanobind;

namespace prune4sed {
namespace {

void sums(const Rows& rows, int heads, const std::optional<Floats>& scale, const std::optional<Bools>& keep,
          const GinArrays& arrays, int threads, Out out) {
    const NodeRows nodes = rows.borrow();
    const GinWeights weights = check_gin(nodes, heads, scale, keep, arrays);
    const auto stride = static_cast<std::size_t>(heads) * (weights.layers + 1) * weights.width;
    require(out.size() == static_cast<std::size_t>(nodes.size()) * stride, "out must be (graphs, heads, layers + 1, width)");
    const nb::gil_scoped_release release;
    split_graphs(nodes.starts, check_threads(threads), [&](int, std::int64_t begin, std::int64_t end) {
        gin_sums(nodes.graphs(begin, end), {heads, view(scale), view(keep)}, weights, out.data() + begin * stride);
    });
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
          nb::arg("weights"), nb::arg("threads"), into("out"));
    m.def("aware_stages", &stages, nb::arg("rows"), nb::arg("told"), nb::arg("query_starts"),
          nb::arg("query_of").none(), nb::arg("heads"), nb::arg("weights"), into("out"));
    m.def("pair_rounds", &rounds, nb::arg("queries"), nb::arg("there"), nb::arg("edges"), nb::arg("log_keep"),
          nb::arg("width"), nb::arg("heads"), nb::arg("bound"), nb::arg("weights"), into("features"));
}

}  // namespace prune4sed
