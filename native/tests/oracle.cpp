#include "oracle.hpp"

#include <algorithm>
#include <limits>

namespace prune4sed::tests {
namespace {

// Label of the edge between two nodes; -1: there is none.
std::vector<std::vector<int>> edge_table(const Owned& graph) {
    std::vector<std::vector<int>> table(graph.nodes(), std::vector<int>(graph.nodes(), -1));
    for (std::size_t e = 0; e < graph.edges.size() / 2; ++e) {
        const int label = graph.edge_labels.empty() ? 0 : graph.edge_labels[e];
        table[graph.edges[2 * e]][graph.edges[2 * e + 1]] = table[graph.edges[2 * e + 1]][graph.edges[2 * e]] = label;
    }
    return table;
}

class Enumeration {
  public:
    Enumeration(const Owned& query, const Owned& target, const TickCosts& costs)
        : query_(query), target_(target), costs_(costs), ours_(edge_table(query)), theirs_(edge_table(target)) {}

    std::int64_t least() {
        mapping_.assign(query_.nodes(), -1);
        used_.assign(target_.nodes(), 0);
        best_ = std::numeric_limits<std::int64_t>::max();
        place(0, 0);
        return best_;
    }

    // What query node u adds to the cost once it goes to v and the nodes before it are placed.
    std::int64_t added(const std::vector<int>& mapping, int u, int v) const {
        std::int64_t cost = v < 0 ? costs_.node_deletion : query_.labels[u] != target_.labels[v] ? costs_.node_relabel : 0;
        for (int w = 0; w < u; ++w) {
            if (ours_[u][w] < 0) continue;
            const int image = v < 0 || mapping[w] < 0 ? -1 : theirs_[v][mapping[w]];
            if (image < 0) cost += costs_.edge_deletion;
            else if (image != ours_[u][w]) cost += std::min(costs_.edge_relabel, costs_.edge_deletion);
        }
        return cost;
    }

  private:
    void place(int u, std::int64_t cost) {
        if (cost >= best_) return;  // costs are never negative
        if (u == query_.nodes()) {
            best_ = cost;
            return;
        }
        for (int v = -1; v < target_.nodes(); ++v) {
            if (v >= 0 && used_[v]) continue;
            if (v >= 0) used_[v] = 1;
            mapping_[u] = v;
            place(u + 1, cost + added(mapping_, u, v));
            if (v >= 0) used_[v] = 0;
        }
    }

    const Owned &query_, &target_;
    const TickCosts& costs_;
    std::vector<std::vector<int>> ours_, theirs_;
    std::vector<int> mapping_;
    std::vector<char> used_;
    std::int64_t best_ = 0;
};

}  // namespace

std::int64_t price(const Owned& query, const Owned& target, const TickCosts& costs, const std::vector<int>& mapping) {
    const Enumeration terms(query, target, costs);
    std::int64_t cost = 0;
    for (int u = 0; u < query.nodes(); ++u) cost += terms.added(mapping, u, mapping[u]);
    return cost;
}

std::int64_t brute_force(const Owned& query, const Owned& target, const TickCosts& costs) {
    return Enumeration(query, target, costs).least();
}

bool is_injective(const Owned& query, const Owned& target, const std::vector<int>& mapping) {
    if (static_cast<int>(mapping.size()) != query.nodes()) return false;
    std::vector<char> used(target.nodes(), 0);
    for (int v : mapping) {
        if (v == -1) continue;
        if (v < 0 || v >= target.nodes() || used[v]) return false;
        used[v] = 1;
    }
    return true;
}

}  // namespace prune4sed::tests
