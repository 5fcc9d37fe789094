#include "instance.hpp"

#include <algorithm>

namespace prune4sed {
namespace {

constexpr int kDenseNodes = 4096;    // above, adjacency tests fall back to binary search (the matrix is 16 MB)
constexpr int kDenseClasses = 250;   // edge classes must fit a byte

int class_of(const std::vector<std::int32_t>& distinct, std::int32_t code) {
    const auto it = std::lower_bound(distinct.begin(), distinct.end(), code);
    return it != distinct.end() && *it == code ? static_cast<int>(it - distinct.begin()) : -1;
}

void sort_unique(std::vector<std::int32_t>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

void Instance::load(const GraphView& query, const GraphView& target, const TickCosts& costs) {
    forget_matrix();
    costs_ = costs;
    costs_.edge_relabel = std::min(costs.edge_relabel, costs.edge_deletion);
    query_.build(query);
    target_.build(target);
    deletions_ = nq() > nt() || costs.node_deletion < costs.node_relabel;
    classify_labels(query, target);
    classify_edges(query, target);
    build_matrix();
}

void Instance::classify_labels(const GraphView& query, const GraphView& target) {
    distinct_.clear();
    for (int u = 0; u < nq(); ++u) distinct_.push_back(query.label(u));
    sort_unique(distinct_);
    num_label_classes_ = static_cast<int>(distinct_.size());
    query_class_.resize(nq());
    target_class_.resize(nt());
    query_label_count_.assign(num_label_classes_, 0);
    target_label_count_.assign(num_label_classes_, 0);
    for (int u = 0; u < nq(); ++u) ++query_label_count_[query_class_[u] = class_of(distinct_, query.label(u))];
    for (int v = 0; v < nt(); ++v)
        if ((target_class_[v] = class_of(distinct_, target.label(v))) >= 0) ++target_label_count_[target_class_[v]];
}

void Instance::classify_edges(const GraphView& query, const GraphView& target) {
    distinct_.clear();
    for (int e = 0; e < query.num_edges(); ++e) distinct_.push_back(query.edge_label(e));
    sort_unique(distinct_);
    num_edge_classes_ = static_cast<int>(distinct_.size());
    const int foreign = num_edge_classes_ + 1;
    query_edge_class_.resize(query.num_edges());
    target_edge_class_.resize(target.num_edges());
    for (int e = 0; e < query.num_edges(); ++e) query_edge_class_[e] = class_of(distinct_, query.edge_label(e));
    incident_class_.clear();
    incident_offset_.clear();
    for (int u = 0; u < nq(); ++u) {
        incident_offset_.push_back(static_cast<int>(incident_class_.size()));
        for (int e : query_.edge_ids(u)) incident_class_.push_back(query_edge_class_[e]);
    }
    for (int e = 0; e < target.num_edges(); ++e) {
        const int c = class_of(distinct_, target.edge_label(e));
        target_edge_class_[e] = c >= 0 ? c + 1 : foreign;
    }
    gain_stride_ = foreign + 1;
    gain_.assign(static_cast<std::size_t>(num_edge_classes_) * gain_stride_, costs_.edge_deletion - costs_.edge_relabel);
    for (int a = 0; a < num_edge_classes_; ++a) {
        gain_[a * gain_stride_] = 0;
        gain_[a * gain_stride_ + a + 1] = costs_.edge_deletion;
    }
}

void Instance::build_matrix() {
    dense_ = nt() <= kDenseNodes && num_edge_classes_ <= kDenseClasses;
    if (!dense_) return;
    const std::size_t cells = static_cast<std::size_t>(nt()) * nt();
    if (matrix_.size() < cells) matrix_.resize(cells, 0);
    for (int v = 0; v < nt(); ++v) {
        const auto neighbours = target_.neighbours(v);
        const auto ids = target_.edge_ids(v);
        for (std::size_t i = 0; i < neighbours.size(); ++i)
            matrix_[static_cast<std::size_t>(v) * nt() + neighbours[i]] =
                static_cast<std::uint8_t>(target_edge_class_[ids[i]]);
    }
}

void Instance::forget_matrix() {
    if (!dense_) return;
    for (int v = 0; v < nt(); ++v)
        for (int x : target_.neighbours(v)) matrix_[static_cast<std::size_t>(v) * nt() + x] = 0;
    dense_ = false;
}

std::int64_t Instance::sparse_gain(int a, int v, int x) const {
    if (target_.degree(v) > target_.degree(x)) std::swap(v, x);
    const auto neighbours = target_.neighbours(v);
    const auto it = std::lower_bound(neighbours.begin(), neighbours.end(), x);
    if (it == neighbours.end() || *it != x) return 0;
    return class_gain(a, target_edge_class_[target_.edge_ids(v)[it - neighbours.begin()]]);
}

std::int64_t Instance::map_cost(const std::vector<int>& mapping) const {
    std::int64_t cost = all_edges_cost();
    for (int u = 0; u < nq(); ++u) {
        cost += node_cost(u, mapping[u]);
        const auto neighbours = query_.neighbours(u);
        const int* classes = incident_classes(u);
        for (std::size_t i = 0; i < neighbours.size(); ++i)
            if (neighbours[i] > u) cost -= column_gain(classes[i], mapping[u], mapping[neighbours[i]]);
    }
    return cost;
}

std::int64_t Instance::worst_cost() const {
    return nq() * std::max(costs_.node_deletion, costs_.node_relabel) + all_edges_cost();
}

std::int64_t Instance::counting_bound() const {
    std::int64_t unmatched = 0;
    for (int c = 0; c < num_label_classes_; ++c) unmatched += std::max(0, query_label_count_[c] - target_label_count_[c]);
    const std::int64_t deleted = std::max(0, nq() - nt());
    const std::int64_t changed = std::max<std::int64_t>(0, unmatched - deleted);
    const std::int64_t lost_edges = std::max(0, query_.num_edges() - target_.num_edges());
    return deleted * costs_.node_deletion + changed * std::min(costs_.node_relabel, costs_.node_deletion) +
           lost_edges * costs_.edge_deletion;
}

}  // namespace prune4sed
