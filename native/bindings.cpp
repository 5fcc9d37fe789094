// Python module _native: flat numpy arrays in, numpy arrays out. All checks of meaning are done in Python.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "batch.hpp"
#include "bindings_layers.hpp"
#include "bindings_sampling.hpp"
#include "bindings_search.hpp"
#include "solver.hpp"

namespace nb = nanobind;
using namespace prune4sed;

namespace {

// Runs inside a long call without the GIL; true: a signal (Ctrl-C) came and its exception is set.
bool interrupted(void*) { return !no_signal(); }

Limits make_limits(double seconds, std::int64_t nodes, std::int64_t threshold) {
    Limits limits;
    limits.seconds = seconds;
    limits.nodes = nodes;
    limits.threshold = threshold;
    return limits;
}

nb::tuple mapping_tuple(const std::vector<int>& mapping) {
    nb::object result = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(mapping.size())));
    for (std::size_t u = 0; u < mapping.size(); ++u) {
        PyObject* image = mapping[u] < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(mapping[u]);
        PyTuple_SET_ITEM(result.ptr(), static_cast<Py_ssize_t>(u), image);
    }
    return nb::steal<nb::tuple>(result.release());
}

nb::tuple sed(const Ints& query_labels, const Ints& query_edges, const std::optional<Ints>& query_edge_labels,
              const Ints& target_labels, const Ints& target_edges, const std::optional<Ints>& target_edge_labels,
              std::int64_t node_deletion, std::int64_t node_relabel, std::int64_t edge_deletion,
              std::int64_t edge_relabel, double seconds, std::int64_t nodes, std::int64_t threshold) {
    thread_local Solver solver;
    Limits limits = make_limits(seconds, nodes, threshold);
    limits.poll = interrupted;
    const GraphView query{view(query_labels), view(query_edges), view(query_edge_labels), {}, {}};
    const GraphView target{view(target_labels), view(target_edges), view(target_edge_labels), {}, {}};
    Answer answer;
    {
        const nb::gil_scoped_release release;
        answer = solver.solve(query, target, {node_deletion, node_relabel, edge_deletion, edge_relabel}, limits);
    }
    if (PyErr_Occurred()) throw nb::python_error();
    return nb::make_tuple(answer.lower, answer.upper, mapping_tuple(answer.mapping), answer.nodes, answer.seconds);
}

// What GraphSet hands over; keeps the arrays alive while native code reads them.
struct SetArrays {
    Longs node_offset;
    Ints labels;
    Longs edge_offset;
    Ints edges;
    std::optional<Ints> edge_labels;
    Ints label_map;
    std::optional<Ints> edge_label_map;

    GraphSetView borrow() const {
        return {view(node_offset), view(edge_offset), view(labels),        view(edges),
                view(edge_labels), view(label_map),   view(edge_label_map)};
    }
};

using OutLongs = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutDoubles = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutInts = nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::object to_numpy(std::span<const std::int64_t> values) {
    auto* copy = new std::int64_t[values.size()];
    std::ranges::copy(values, copy);
    nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<std::int64_t*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, std::int64_t>(copy, {values.size()}, owner));
}

// Fills the caller's arrays; `finished` is called with the numbers of the rows that are full since its last call.
void sed_pairs(const SetArrays& queries, const SetArrays& targets, const Longs& pairs, std::int64_t node_deletion,
               std::int64_t node_relabel, std::int64_t edge_deletion, std::int64_t edge_relabel, double seconds,
               std::int64_t nodes, std::int64_t threshold, double batch_seconds, int threads, OutLongs lower, OutLongs upper,
               OutInts mapping, OutLongs visited, OutDoubles time, const nb::object& finished) {
    const std::size_t count = pairs.size() / 2;
    if (lower.size() != count || upper.size() != count || visited.size() != count || time.size() != count ||
        mapping.shape(0) != count)
        throw std::invalid_argument("the arrays for the answers do not fit the pairs");
    const BatchOutput output{lower.data(), upper.data(),   visited.data(),
                             time.data(),  mapping.data(), static_cast<std::int64_t>(mapping.shape(1))};
    Limits limits = make_limits(seconds, nodes, threshold);
    limits.batch_seconds = batch_seconds;
    const bool report = !finished.is_none();
    const auto attend = [&](std::span<const std::int64_t> rows) {
        const nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) return false;
        if (!report) return true;
        PyObject* answer = PyObject_CallOneArg(finished.ptr(), to_numpy(rows).ptr());
        Py_XDECREF(answer);
        return answer != nullptr;
    };
    bool completed = false;
    {
        const nb::gil_scoped_release release;
        completed = solve_batch(queries.borrow(), targets.borrow(), view(pairs),
                                {node_deletion, node_relabel, edge_deletion, edge_relabel},
                                limits, threads, output, attend);
    }
    if (!completed) throw nb::python_error();
}

}  // namespace

NB_MODULE(_native, m) {
    m.doc() = "The exact engine of prune4sed.";
    nb::class_<SetArrays>(m, "SetArrays")
        .def("__init__",
             [](SetArrays* self, const Longs& node_offset, const Ints& labels, const Longs& edge_offset,
                const Ints& edges, const std::optional<Ints>& edge_labels, const Ints& label_map,
                const std::optional<Ints>& edge_label_map) {
                 new (self) SetArrays{node_offset, labels, edge_offset, edges, edge_labels, label_map, edge_label_map};
             },
             nb::arg("node_offsets"), nb::arg("labels"), nb::arg("edge_offsets"), nb::arg("edges"),
             nb::arg("edge_labels").none(), nb::arg("label_map"), nb::arg("edge_label_map").none());
    m.def("sed", &sed, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
          nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
    m.def("sed_pairs", &sed_pairs, nb::arg("queries"), nb::arg("targets"), nb::arg("pairs"), nb::arg("node_deletion"),
          nb::arg("node_relabel"), nb::arg("edge_deletion"), nb::arg("edge_relabel"), nb::arg("seconds"),
          nb::arg("nodes"), nb::arg("threshold"), nb::arg("batch_seconds"), nb::arg("threads"), into("lower"), into("upper"),
          into("mapping"), into("visited"), into("time"), nb::arg("finished").none());
    bind_sampling(m);
    bind_layers(m);
    bind_gradients(m);
    bind_search(m);
}
