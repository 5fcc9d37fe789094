// Layers with gradients, for training on a CPU; weights get one sum of gradients from every thread.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>

#include <array>
#include <limits>

#include "bindings_layers.hpp"
#include "gin_gradient.hpp"
#include "graph_attention.hpp"
#include "layer_arrays.hpp"
#include "query_attention.hpp"
#include "split.hpp"

namespace nb = nanobind;

namespace prune4sed {
namespace {

constexpr std::size_t kAnyLabel = std::numeric_limits<std::size_t>::max();

void gin(const Rows& rows, int heads, const std::optional<Floats>& scale, const std::optional<Bools>& keep,
         const GinArrays& arrays, const Floats& turned, const Floats& told, int threads, const std::array<Out, 5>& to,
         std::optional<Out> to_scale) {
    const NodeRows nodes = rows.borrow();
    const GinWeights weights = check_gin(nodes, heads, scale, keep, arrays);
    const auto parts = static_cast<std::size_t>(check_threads(threads));
    const auto stride = static_cast<std::size_t>(heads) * (weights.layers + 1) * weights.width;
    require(turned.size() == weights.weights.size(), "turned must be of as many numbers as the matrices");
    require(told.size() == static_cast<std::size_t>(nodes.size()) * stride, "told must be (graphs, heads, layers + 1, width)");
    for (std::size_t i = 0; i < to.size(); ++i)
        require(to[i].size() == parts * arrays[i].size(), "gradients must be as many as weights, for every thread");
    require(!to_scale || (scale && to_scale->size() == scale->size()), "the gradient of scale must be as large as scale");
    const nb::gil_scoped_release release;
    split_graphs(nodes.starts, threads, [&](int part, std::int64_t begin, std::int64_t end) {
        const auto own = [&](std::size_t i) {
            return std::span(to[i].data() + part * arrays[i].size(), arrays[i].size());
        };
        const std::span<float> factors = to_scale ? std::span(to_scale->data(), to_scale->size()) : std::span<float>{};
        gin_gradients(nodes.graphs(begin, end), {heads, view(scale), view(keep)}, weights, view(turned),
                      told.data() + begin * stride, {own(0), own(1), own(2), own(3), own(4), factors});
    });
}

// Rows of any label, as features (rows, width) go with them.
NodeRows check_features(const Rows& rows, std::size_t width, std::initializer_list<std::size_t> sizes) {
    const NodeRows nodes = rows.borrow();
    check_rows(nodes, kAnyLabel);
    require(width > 0 && width % 16 == 0, "the width must be a multiple of 16");
    for (const std::size_t size : sizes)
        require(size >= static_cast<std::size_t>(nodes.starts.back()) * width, "features must be (rows, width)");
    return nodes;
}

void graph_look(const Rows& rows, const Floats& source, const Floats& end, const Floats& attention, int threads, Out out,
                Out log_mass) {
    const std::size_t width = attention.size();
    const NodeRows nodes = check_features(rows, width, {source.size(), end.size(), out.size(), log_mass.size() * width});
    const GraphLook look{static_cast<int>(width), source.data(), end.data(), attention.data()};
    const nb::gil_scoped_release release;
    split_graphs(nodes.starts, check_threads(threads), [&](int, std::int64_t begin, std::int64_t last) {
        graph_means(nodes.graphs(begin, last), look, out.data(), log_mass.data());
    });
}

void graph_look_back(const Rows& rows, const Floats& source, const Floats& end, const Floats& attention,
                     const Floats& log_mass, const Floats& told, const Floats& inner, int threads, Out to_source, Out to_end,
                     Out to_attention) {
    const std::size_t width = attention.size();
    const NodeRows nodes = check_features(rows, width, {source.size(), end.size(), told.size(), to_source.size(), to_end.size(),
                                                        log_mass.size() * width, inner.size() * width});
    require(to_attention.size() == check_threads(threads) * width, "the attention must have a gradient for every thread");
    const GraphLook look{static_cast<int>(width), source.data(), end.data(), attention.data()};
    const nb::gil_scoped_release release;
    split_graphs(nodes.starts, threads, [&](int part, std::int64_t begin, std::int64_t last) {
        graph_mean_gradients(nodes.graphs(begin, last), look, log_mass.data(), told.data(), inner.data(),
                             {to_source.data(), to_end.data(), to_attention.data() + part * width});
    });
}

using Features = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Whose rows ask, and what they may see.
struct Asking {
    std::span<const std::int64_t> starts;
    QueryRows queries;
    std::size_t width;

    Asking(const Longs& starts_, const Features& asked, const Floats& told, const Longs& query_starts,
           const std::optional<Longs>& query_of, int heads)
        : starts(view(starts_)), queries{view(told), view(query_starts), view(query_of)}, width(asked.shape(1)) {
        check_starts(starts);
        require(heads > 0 && width > 0 && width % heads == 0, "the width must be a multiple of the heads");
        check_queries(queries, static_cast<std::int64_t>(starts.size()) - 1, 1, width);
        require(asked.shape(0) >= rows(), "what is asked must be (rows, width)");
    }

    QueryRows part(std::int64_t begin, std::int64_t end) const {
        if (!queries.query_of.empty()) return {queries.told, queries.starts, queries.query_of.subspan(begin, end - begin)};
        return {queries.told, queries.starts.subspan(begin, end - begin + 1), {}};
    }

    auto graphs(std::int64_t begin, std::int64_t end) const { return starts.subspan(begin, end - begin + 1); }
    std::size_t rows() const { return static_cast<std::size_t>(starts.back()); }
};

void query_look(const Longs& starts, const Features& asked, const Floats& told, const Longs& query_starts,
                const std::optional<Longs>& query_of, int heads, int threads, Out found, Out log_mass) {
    const Asking a(starts, asked, told, query_starts, query_of, heads);
    require(found.size() >= a.rows() * a.width && log_mass.size() >= a.rows() * heads,
            "found must be (rows, width), log_mass (rows, heads)");
    const nb::gil_scoped_release release;
    split_graphs(a.starts, check_threads(threads), [&](int, std::int64_t begin, std::int64_t end) {
        const QueryRows queries = a.part(begin, end);
        query_means(a.graphs(begin, end), {static_cast<int>(a.width), heads, asked.data(), queries}, found.data(),
                    log_mass.data());
    });
}

void query_look_back(const Longs& starts, const Features& asked, const Floats& told, const Longs& query_starts, int heads,
                     const Floats& log_mass, const Floats& found, const Floats& from, int threads, Out to_asked, Out to_told) {
    const Asking a(starts, asked, told, query_starts, std::nullopt, heads);
    const std::size_t size = a.rows() * a.width;
    require(found.size() >= size && from.size() >= size && to_asked.size() >= size && log_mass.size() >= a.rows() * heads &&
                to_told.size() == told.size(),
            "gradients must be as large as what they are of");
    const nb::gil_scoped_release release;
    split_graphs(a.starts, check_threads(threads), [&](int, std::int64_t begin, std::int64_t end) {
        const QueryRows queries = a.part(begin, end);
        query_mean_gradients(a.graphs(begin, end), {static_cast<int>(a.width), heads, asked.data(), queries},
                             log_mass.data(), found.data(), from.data(), to_asked.data(), to_told.data());
    });
}

}  // namespace

void bind_gradients(nb::module_& m) {
    m.def("gin_gradients", &gin, nb::arg("rows"), nb::arg("heads"), nb::arg("scale").none(), nb::arg("keep").none(),
          nb::arg("weights"), nb::arg("turned"), nb::arg("told"), nb::arg("threads"), into("gradients"),
          into("scale_gradient").none());
    m.def("graph_means", &graph_look, nb::arg("rows"), nb::arg("source"), nb::arg("end"), nb::arg("attention"),
          nb::arg("threads"), into("out"), into("log_mass"));
    m.def("graph_mean_gradients", &graph_look_back, nb::arg("rows"), nb::arg("source"), nb::arg("end"), nb::arg("attention"),
          nb::arg("log_mass"), nb::arg("told"), nb::arg("inner"), nb::arg("threads"), into("source_gradient"),
          into("end_gradient"), into("attention_gradient"));
    m.def("query_means", &query_look, nb::arg("starts"), nb::arg("asked"), nb::arg("told"), nb::arg("query_starts"),
          nb::arg("query_of").none(), nb::arg("heads"), nb::arg("threads"), into("found"), into("log_mass"));
    m.def("query_mean_gradients", &query_look_back, nb::arg("starts"), nb::arg("asked"), nb::arg("told"),
          nb::arg("query_starts"), nb::arg("heads"), nb::arg("log_mass"), nb::arg("found"), nb::arg("from"),
          nb::arg("threads"), into("asked_gradient"), into("told_gradient"));
}

}  // namespace prune4sed
