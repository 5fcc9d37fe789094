#include "bindings_layers.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>

#include <array>
#include <optional>

#include "gin.hpp"
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

struct Rows {
    Longs starts, first, last, neighbours, labels;

    NodeRows borrow() const { return {view(starts), view(first), view(last), view(neighbours), view(labels)}; }
};

void sums(const Rows& rows, int heads, const std::optional<Floats>& scale, const std::optional<Bools>& keep,
          const std::array<Floats, 5>& weights, Out out) {
    const auto& [embedding, embedding_bias, matrices, biases, folded] = weights;
    const int width = static_cast<int>(embedding_bias.size());
    const int layers = static_cast<int>(biases.size() / (2 * width));
    const nb::gil_scoped_release release;
    gin_sums(rows.borrow(), {heads, view(scale), view(keep)},
             {width, layers, view(embedding), view(embedding_bias), view(matrices), view(biases), view(folded)},
             out.data());
}

void stages(const Rows& rows, const Floats& told, const Longs& query_starts, const std::optional<Longs>& query_of,
            int heads, const std::array<Floats, 16>& w, Out out) {
    const int width = static_cast<int>(w[1].size()), stages = static_cast<int>(w[7].size());
    const nb::gil_scoped_release release;
    aware_stages(rows.borrow(), {view(told), view(query_starts), view(query_of)},
                 {width, stages, heads, view(w[0]), view(w[1]), view(w[2]), view(w[3]), view(w[4]), view(w[5]), view(w[6]),
                  view(w[7]), view(w[8]), view(w[9]), view(w[10]), view(w[11]), view(w[12]), view(w[13]),
                  view(w[14]), view(w[15])},
                 out.data());
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
}

}  // namespace prune4sed
