#include "shape.hpp"

#include <algorithm>
#include <stdexcept>

#include "random_stream.hpp"

namespace prune4sed {
namespace {

std::uint64_t key_of(std::span<const std::uint64_t> keys, std::int32_t code) {
    if (code < 0 || static_cast<std::size_t>(code) >= keys.size())
        throw std::invalid_argument("label code " + std::to_string(code) + " has no key");
    return keys[code];
}

}  // namespace

std::uint64_t ShapeReader::certificate(const GraphView& graph, const LabelKeys& keys) {
    const std::size_t n = graph.labels.size(), m = graph.edges.size() / 2;
    colour_.resize(n);
    for (std::size_t v = 0; v < n; ++v) colour_[v] = mix64(key_of(keys.node, graph.labels[v]));
    bond_.assign(m, 0);
    if (!graph.edge_labels.empty())
        for (std::size_t e = 0; e < m; ++e) bond_[e] = mix64(key_of(keys.edge, graph.edge_labels[e]));
    for (const std::int32_t end : graph.edges)
        if (end < 0 || static_cast<std::size_t>(end) >= n)
            throw std::invalid_argument("an edge ends at node " + std::to_string(end) + " of " + std::to_string(n));

    // A node hears the sum of what its neighbours are: no order among them, so no sorting. Each round splits classes
    // or changes nothing, and how many rounds that takes is the same for isomorphic graphs.
    for (std::size_t classes = count_colours();;) {
        heard_.assign(n, 0);
        for (std::size_t e = 0; e < m; ++e) {
            const std::int32_t a = graph.edges[2 * e], b = graph.edges[2 * e + 1];
            heard_[a] += mix64(colour_[b] ^ bond_[e]);
            heard_[b] += mix64(colour_[a] ^ bond_[e]);
        }
        for (std::size_t v = 0; v < n; ++v) colour_[v] = mix64(3 * colour_[v] + mix64(heard_[v] + 1));
        const std::size_t now = count_colours();
        if (now == classes) break;
        classes = now;
    }
    std::uint64_t all = 0;
    for (const std::uint64_t colour : colour_) all += mix64(colour + 1);
    return mix64(mix64(all + n) + m);
}

std::size_t ShapeReader::count_colours() {
    sorted_ = colour_;
    std::sort(sorted_.begin(), sorted_.end());
    return static_cast<std::size_t>(std::unique(sorted_.begin(), sorted_.end()) - sorted_.begin());
}

}  // namespace prune4sed
