// One query-target pair made ready for the solver: adjacency, label classes and integer costs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graph.hpp"

namespace prune4sed {

// Edit costs as whole numbers of a common tick, so that every bound and every proof is exact arithmetic.
struct TickCosts {
    std::int64_t node_deletion = 1, node_relabel = 1, edge_deletion = 1, edge_relabel = 1;
};

// A mapping sends query node u to a column: target node v < nt, or nt + u, u's private "deleted" column.
// Cost of a mapping = sum of node_cost + |E_q| * edge_deletion - sum of edge_gain over query edges.
class Instance {
  public:
    ~Instance() { forget_matrix(); }
    void load(const GraphView& query, const GraphView& target, const TickCosts& costs);

    int nq() const { return query_.num_nodes(); }
    int nt() const { return target_.num_nodes(); }
    // Deleting a node is never needed when a free target node is always at hand and relabelling is no dearer.
    bool deletions() const { return deletions_; }
    int num_columns() const { return nt() + (deletions_ ? nq() : 0); }
    const Adjacency& query() const { return query_; }
    const Adjacency& target() const { return target_; }
    const TickCosts& costs() const { return costs_; }
    std::int64_t all_edges_cost() const { return query_.num_edges() * costs_.edge_deletion; }
    std::int64_t worst_cost() const;

    bool is_target(int column) const { return column < nt(); }
    int label_class(int u) const { return query_class_[u]; }
    int target_class(int v) const { return target_class_[v]; }
    const std::vector<int>& label_classes() const { return query_class_; }
    const std::vector<int>& target_classes() const { return target_class_; }
    const std::vector<int>& query_edge_classes() const { return query_edge_class_; }
    const std::vector<int>& target_edge_classes() const { return target_edge_class_; }
    int num_label_classes() const { return num_label_classes_; }
    int num_edge_classes() const { return num_edge_classes_; }
    int query_edge_class(int edge) const { return query_edge_class_[edge]; }
    // Classes of the edges to query().neighbours(u), in the same order.
    const int* incident_classes(int u) const { return incident_class_.data() + incident_offset_[u]; }
    int target_edge_class(int edge) const { return target_edge_class_[edge]; }

    std::int64_t node_cost(int u, int column) const {
        if (!is_target(column)) return costs_.node_deletion;
        return query_class_[u] == target_class_[column] ? 0 : costs_.node_relabel;
    }
    // What keeping a query edge of class a saves against deleting it, if its ends go to target nodes v and x.
    std::int64_t edge_gain(int a, int v, int x) const {
        if (dense_) return gain_[a * gain_stride_ + matrix_[static_cast<std::size_t>(v) * nt() + x]];
        return sparse_gain(a, v, x);
    }
    std::int64_t class_gain(int a, int target_edge_class) const {
        return gain_[a * gain_stride_ + target_edge_class];
    }
    // For loops over many columns: what a target node has towards all others, for class_gain; null if it is not at hand.
    const std::uint8_t* edge_classes_of(int v) const {
        return dense_ ? matrix_.data() + static_cast<std::size_t>(v) * nt() : nullptr;
    }
    bool adjacent(int c1, int c2) const {
        if (!is_target(c1) || !is_target(c2)) return false;
        if (dense_) return matrix_[static_cast<std::size_t>(c1) * nt() + c2] != 0;
        const auto neighbours = target_.neighbours(c1);
        return std::binary_search(neighbours.begin(), neighbours.end(), c2);
    }
    std::int64_t map_cost(const std::vector<int>& mapping) const;
    // The same as edge_gain for columns: a deleted end keeps nothing.
    std::int64_t column_gain(int a, int c1, int c2) const {
        return is_target(c1) && is_target(c2) ? edge_gain(a, c1, c2) : 0;
    }

    // Cheapest valid bound: label counts and edge counts.
    std::int64_t counting_bound() const;

  private:
    void classify_labels(const GraphView& query, const GraphView& target);
    void classify_edges(const GraphView& query, const GraphView& target);
    void build_matrix();
    void forget_matrix();
    std::int64_t sparse_gain(int a, int v, int x) const;

    Adjacency query_, target_;
    TickCosts costs_;
    bool deletions_ = false, dense_ = false;
    int num_label_classes_ = 0, num_edge_classes_ = 0, gain_stride_ = 2;
    std::vector<int> query_class_, target_class_;            // -1: a target label the query does not have
    std::vector<int> query_edge_class_, target_edge_class_;  // target: 1 + class, num_edge_classes + 1 if foreign
    std::vector<int> incident_class_, incident_offset_;
    std::vector<std::int64_t> gain_;                         // [query class][0 = no edge, 1 + class, foreign]
    std::vector<int> query_label_count_, target_label_count_;
    std::vector<std::int32_t> distinct_;
    // All zero between two pairs; entries are set and cleared edge by edge, never swept.
    std::vector<std::uint8_t> matrix_;
};

}  // namespace prune4sed
