#include "graph.hpp"

namespace prune4sed {

void Adjacency::build(const GraphView& graph) {
    const int n = graph.num_nodes(), m = graph.num_edges();
    offset_.assign(n + 1, 0);
    for (int e = 0; e < m; ++e) {
        const int a = graph.edges[2 * e], b = graph.edges[2 * e + 1];
        // Memory-mapped files are not checked when opened, so the engine trusts no index.
        if (a < 0 || b < 0 || a >= n || b >= n || a == b)
            throw std::invalid_argument("edge " + std::to_string(e) + " is (" + std::to_string(a) + ", " +
                                        std::to_string(b) + ") in a graph of " + std::to_string(n) + " nodes");
        ++offset_[a + 1];
        ++offset_[b + 1];
    }
    for (int v = 0; v < n; ++v) offset_[v + 1] += offset_[v];

    // Two bucket passes: the second visits sources in ascending order, which leaves every list sorted.
    unsorted_.resize(2 * m);
    unsorted_edge_.resize(2 * m);
    cursor_.assign(offset_.begin(), offset_.end() - 1);
    for (int e = 0; e < m; ++e) {
        const int a = graph.edges[2 * e], b = graph.edges[2 * e + 1];
        unsorted_[cursor_[a]] = b;
        unsorted_edge_[cursor_[a]++] = e;
        unsorted_[cursor_[b]] = a;
        unsorted_edge_[cursor_[b]++] = e;
    }
    neighbour_.resize(2 * m);
    edge_id_.resize(2 * m);
    cursor_.assign(offset_.begin(), offset_.end() - 1);
    for (int v = 0; v < n; ++v)
        for (int i = offset_[v]; i < offset_[v + 1]; ++i) {
            const int x = unsorted_[i];
            neighbour_[cursor_[x]] = v;
            edge_id_[cursor_[x]++] = unsorted_edge_[i];
        }
    // Sorted lists again: the k-th time a node turns up as a neighbour, the owner is its k-th neighbour.
    back_.resize(2 * m);
    seen_at_.assign(n, 0);
    for (int v = 0; v < n; ++v)
        for (int i = offset_[v]; i < offset_[v + 1]; ++i) back_[i] = seen_at_[neighbour_[i]]++;
    for (int v = 0; v < n; ++v)
        for (int i = offset_[v] + 1; i < offset_[v + 1]; ++i)
            if (neighbour_[i] == neighbour_[i - 1])
                throw std::invalid_argument("edge (" + std::to_string(v) + ", " + std::to_string(neighbour_[i]) +
                                            ") appears twice");
}

}  // namespace prune4sed
