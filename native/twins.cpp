#include "twins.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace prune4sed {
namespace {

using Signature = std::vector<std::pair<int, int>>;  // neighbour, class of the edge; then the node's own label

Signature signature(const Instance& instance, int v) {
    Signature sign;
    const auto neighbours = instance.target().neighbours(v);
    const auto ids = instance.target().edge_ids(v);
    for (std::size_t i = 0; i < neighbours.size(); ++i)
        sign.emplace_back(neighbours[i], instance.target_edge_class(ids[i]));
    sign.emplace_back(-1, instance.target_class(v));
    return sign;
}

// Adjacent twins see each other: each node is entered among its own neighbours. The class given to that entry must
// equal the class of the edge between the twins, which is only known beforehand if all edges are of one class.
Signature closed_signature(const Instance& instance, int v, int edge_class) {
    Signature sign = signature(instance, v);
    sign.insert(std::lower_bound(sign.begin(), sign.end() - 1, std::pair(v, 0)), {v, edge_class});
    return sign;
}

}  // namespace

std::vector<int> target_twins(const Instance& instance) {
    std::vector<int> twin_class(instance.nt(), -1);
    int next = 0;
    std::map<Signature, int> first;
    const auto join = [&](int v, Signature sign) {
        const auto [it, fresh] = first.emplace(std::move(sign), v);
        if (fresh) return;
        if (twin_class[it->second] < 0) twin_class[it->second] = next++;
        twin_class[v] = twin_class[it->second];
    };
    for (int v = 0; v < instance.nt(); ++v) join(v, signature(instance, v));

    const int edges = instance.target().num_edges();
    for (int e = 1; e < edges; ++e)
        if (instance.target_edge_class(e) != instance.target_edge_class(0)) return twin_class;
    first.clear();
    for (int v = 0; v < instance.nt(); ++v)
        if (twin_class[v] < 0 && instance.target().degree(v) > 0)
            join(v, closed_signature(instance, v, instance.target_edge_class(0)));
    return twin_class;
}

}  // namespace prune4sed
