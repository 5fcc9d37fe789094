#include "bindings_sampling.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "sampler.hpp"

namespace nb = nanobind;

namespace prune4sed {
namespace {

using Mix = std::vector<std::pair<std::int32_t, std::uint32_t>>;  // value and weight

// Numpy arrays that take the vector over instead of copying it.
template <class T>
nb::object to_numpy(std::vector<T> values) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    T* data = owned->data();
    const std::size_t size = owned->size();
    nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(data, {size}, owner));
}

std::vector<Share> shares(const Mix& mix) {
    std::vector<Share> result;
    for (const auto& [value, weight] : mix) result.push_back({value, weight});
    return result;
}

// Runs without the GIL and hands the arrays over, unless Ctrl-C came in between.
template <class Draw>
nb::tuple drawn(const Draw& draw) {
    DrawnGraphs graphs;
    {
        const nb::gil_scoped_release release;
        graphs = draw();
    }
    if (PyErr_Occurred()) throw nb::python_error();
    return nb::make_tuple(to_numpy(std::move(graphs.node_offset)), to_numpy(std::move(graphs.labels)),
                          to_numpy(std::move(graphs.edge_offset)), to_numpy(std::move(graphs.edges)),
                          to_numpy(std::move(graphs.edge_labels)), to_numpy(std::move(graphs.source)));
}

nb::tuple ego_nets(const Longs& starts, const Ints& neighbours, const Ints& labels, const Words& keys, const Mix& hops,
                   int smallest, int largest, std::uint64_t one_in, bool strict, std::uint64_t seed,
                   std::uint64_t stream, std::int64_t count) {
    return drawn([&] {
        return draw_ego_nets({view(starts), view(neighbours), view(labels)}, shares(hops),
                             {smallest, largest, one_in, strict}, {view(keys), {}}, {seed, stream, count}, no_signal);
    });
}

GraphSetView set_view(const Longs& node_offsets, const Ints& labels, const Longs& edge_offsets, const Ints& edges,
                      const std::optional<Ints>& edge_labels) {
    return {view(node_offsets), view(edge_offsets), view(labels), view(edges), view(edge_labels), {}, {}};
}

nb::tuple queries(const Longs& node_offsets, const Ints& labels, const Longs& edge_offsets, const Ints& edges,
                  const std::optional<Ints>& edge_labels, const Words& keys, const std::optional<Words>& edge_keys,
                  const Mix& depths, bool centred, int tries, int smallest, int largest, std::uint64_t one_in,
                  bool strict, std::uint64_t seed, std::uint64_t stream, std::int64_t count) {
    return drawn([&] {
        const std::vector<Share> mix = shares(depths);
        return grow_queries(set_view(node_offsets, labels, edge_offsets, edges, edge_labels), {mix, centred, tries},
                            {smallest, largest, one_in, strict}, {view(keys), view(edge_keys)},
                            {seed, stream, count}, no_signal);
    });
}

nb::object shapes(const Longs& node_offsets, const Ints& labels, const Longs& edge_offsets, const Ints& edges,
                  const std::optional<Ints>& edge_labels, const Words& keys, const std::optional<Words>& edge_keys) {
    const GraphSetView set = set_view(node_offsets, labels, edge_offsets, edges, edge_labels);
    std::vector<std::uint64_t> certificates(static_cast<std::size_t>(set.size()));
    {
        const nb::gil_scoped_release release;
        ShapeReader reader;
        for (std::int64_t i = 0; i < set.size(); ++i)
            certificates[i] = reader.certificate(set.graph(i), {view(keys), view(edge_keys)});
    }
    return to_numpy(std::move(certificates));
}

// Item i: a number below n from its own stream.
nb::object random_below(std::uint32_t n, std::uint64_t seed, std::uint64_t stream, std::int64_t count) {
    if (n == 0 && count > 0) throw std::invalid_argument("there is nothing to draw from");
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < count; ++i)
        values.push_back(RandomStream(seed, stream, static_cast<std::uint64_t>(i)).below(n));
    return to_numpy(std::move(values));
}

// The first `count` numbers of a random order of 0 .. n - 1, and once that is used up, of another one, and so on.
nb::object random_order(std::uint64_t n, std::uint64_t seed, std::uint64_t stream, std::uint64_t count) {
    if (n == 0 && count > 0) throw std::invalid_argument("there is nothing to draw from");
    std::vector<std::int64_t> values;
    for (std::uint64_t first = 0, round = 0; first < count; first += n, ++round) {
        const RandomOrder order(seed, stream, round, n);
        for (std::uint64_t i = 0; i < n && first + i < count; ++i)
            values.push_back(static_cast<std::int64_t>(order.at(i)));
    }
    return to_numpy(std::move(values));
}

}  // namespace

void bind_sampling(nb::module_& m) {
    m.def("ego_nets", &ego_nets, nb::arg("starts"), nb::arg("neighbours"), nb::arg("labels"), nb::arg("keys"),
          nb::arg("hops"), nb::arg("smallest"), nb::arg("largest"), nb::arg("one_in"), nb::arg("strict"),
          nb::arg("seed"), nb::arg("stream"), nb::arg("count"));
    m.def("grow_queries", &queries, nb::arg("node_offsets"), nb::arg("labels"), nb::arg("edge_offsets"),
          nb::arg("edges"), nb::arg("edge_labels").none(), nb::arg("keys"), nb::arg("edge_keys").none(),
          nb::arg("depths"), nb::arg("centred"), nb::arg("tries"), nb::arg("smallest"), nb::arg("largest"),
          nb::arg("one_in"), nb::arg("strict"), nb::arg("seed"), nb::arg("stream"), nb::arg("count"));
    m.def("shapes", &shapes, nb::arg("node_offsets"), nb::arg("labels"), nb::arg("edge_offsets"), nb::arg("edges"),
          nb::arg("edge_labels").none(), nb::arg("keys"), nb::arg("edge_keys").none());
    m.def("random_below", &random_below, nb::arg("n"), nb::arg("seed"), nb::arg("stream"), nb::arg("count"));
    m.def("random_order", &random_order, nb::arg("n"), nb::arg("seed"), nb::arg("stream"), nb::arg("count"));
}

}  // namespace prune4sed
