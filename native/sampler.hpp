// Targets and queries as the paper draws them: ego-nets of a network, and subgraphs grown at random in a target.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include "batch.hpp"
#include "random_stream.hpp"
#include "shape.hpp"

namespace prune4sed {

// One large undirected graph: the neighbours of node v are neighbours[starts[v] .. starts[v + 1]).
struct NetworkView {
    std::span<const std::int64_t> starts;
    std::span<const std::int32_t> neighbours, labels;

    std::size_t size() const { return labels.size(); }
    std::span<const std::int32_t> around(std::int32_t node) const {
        return neighbours.subspan(starts[node], starts[node + 1] - starts[node]);
    }
};

// Which drawn graphs are taken. One shape in `one_in` is strict and kept apart from all others; one_in = 0: no matter.
struct Acceptance {
    int smallest = 1, largest = 1;
    std::uint64_t one_in = 0;
    bool strict = false;

    bool fits(std::size_t nodes) const {
        return nodes >= static_cast<std::size_t>(smallest) && nodes <= static_cast<std::size_t>(largest);
    }
    bool takes(std::uint64_t certificate) const { return one_in == 0 || (certificate % one_in == 0) == strict; }
};

// What is drawn, from which stream.
struct Drawing {
    std::uint64_t seed = 0, stream = 0;
    std::int64_t count = 0;
};

// Flat arrays as GraphSet holds them.
struct DrawnGraphs {
    std::vector<std::int64_t> node_offset{0}, edge_offset{0};
    std::vector<std::int32_t> labels, edges, edge_labels;
    std::vector<std::int64_t> source;  // centre in the network, or target that the query was grown in
};

// Nothing acceptable was found in a great many attempts.
struct NothingFound : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Asked now and then; false ends the drawing early.
using GoOn = std::function<bool()>;

// Induced subgraphs on the nodes within a drawn number of hops of a random centre, which becomes node 0; the others
// follow by distance. The number of hops is drawn once per graph, unless no centre will do, and the centre until the
// graph is acceptable.
DrawnGraphs draw_ego_nets(const NetworkView& network, std::span<const Share> hops, const Acceptance& acceptance,
                          const LabelKeys& keys, const Drawing& drawing, const GoOn& go_on);

// How a query grows: up to a drawn depth, from node 0 of a target (centred) or from a random node of it.
struct Growth {
    std::span<const Share> depths;
    bool centred = true;
    int tries = 20;  // in one target, before another one is drawn
};

// Induced subgraphs of random targets, nodes in random order. Layer by layer, every neighbour that is not yet taken
// is taken with probability one half, once for each node of the layer that it borders on.
DrawnGraphs grow_queries(const GraphSetView& targets, const Growth& growth, const Acceptance& acceptance,
                         const LabelKeys& keys, const Drawing& drawing, const GoOn& go_on);

}  // namespace prune4sed
