#include "bindings_search.hpp"

#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "screening.hpp"

namespace nb = nanobind;

namespace prune4sed {
namespace {

void fingerprints(const Longs& node_offsets, const Ints& labels, const Longs& edge_offsets, const Ints& edges,
                  const std::optional<Ints>& edge_labels, const Words& label_hashes,
                  const std::optional<Words>& edge_label_hashes, int threads, Written<std::uint64_t> out) {
    const GraphSetView graphs{view(node_offsets), view(edge_offsets), view(labels), view(edges),
                              view(edge_labels),  {},                 {}};
    if (static_cast<std::int64_t>(out.size()) != graphs.size() * kFingerprintWords)
        throw std::invalid_argument("the array for the fingerprints does not fit the graphs");
    bool completed = false;
    {
        const nb::gil_scoped_release release;
        completed = fingerprint_all(graphs, view(label_hashes), view(edge_label_hashes), threads, out.data(), no_signal);
    }
    if (!completed) throw nb::python_error();
}

HashedGraph hashed(const Words& labels, const Ints& edges, const std::optional<Words>& edge_labels) {
    HashedGraph graph;
    graph.labels.assign(labels.data(), labels.data() + labels.size());
    const std::size_t count = edges.size() / 2;
    for (std::size_t e = 0; e < count; ++e) graph.edges.push_back({edges.data()[2 * e], edges.data()[2 * e + 1]});
    graph.edge_labels.assign(count, 1);
    if (edge_labels) graph.edge_labels.assign(edge_labels->data(), edge_labels->data() + edge_labels->size());
    return graph;
}

void bound(const EditBits& query, int most_edits, const Words& fingerprints, const std::optional<Longs>& positions,
           int threads, Written<std::uint8_t> lower, Written<std::uint16_t> missing) {
    const std::size_t count = positions ? positions->size() : fingerprints.size() / kFingerprintWords;
    if (lower.size() != count || missing.size() != count)
        throw std::invalid_argument("the arrays for the bounds do not fit the targets");
    if (count == 0) return;
    bool completed = false;
    {
        const nb::gil_scoped_release release;
        completed = bound_all(query, most_edits, view(fingerprints), view(positions), threads, lower.data(),
                              missing.data(), no_signal);
    }
    if (!completed) throw nb::python_error();
}

}  // namespace

void bind_search(nb::module_& m) {
    m.attr("FINGERPRINT_WORDS") = kFingerprintWords;
    m.def("fingerprints", &fingerprints, nb::arg("node_offsets"), nb::arg("labels"), nb::arg("edge_offsets"),
          nb::arg("edges"), nb::arg("edge_labels").none(), nb::arg("label_hashes"), nb::arg("edge_label_hashes").none(),
          nb::arg("threads"), into("out"));
    nb::class_<EditBits>(m, "EditBits")
        .def("__init__",
             [](EditBits* self, const Words& labels, const Ints& edges, const std::optional<Words>& edge_labels) {
                 new (self) EditBits(hashed(labels, edges, edge_labels));
             },
             nb::arg("labels"), nb::arg("edges"), nb::arg("edge_labels").none())
        .def("prepare", &EditBits::prepare, nb::arg("edits"))
        .def("bound", &bound, nb::arg("most_edits"), nb::arg("fingerprints"), nb::arg("positions").none(),
             nb::arg("threads"), into("lower"), into("missing"));
}

}  // namespace prune4sed
