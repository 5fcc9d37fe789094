// Graphs as the engine sees them: a borrowed view of flat arrays, and the compressed adjacency built from it.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace prune4sed {

// Borrowed arrays of one graph. Labels are codes that are only ever compared for equality; a map, if given,
// translates the codes of a stored vocabulary into codes shared by query and target.
struct GraphView {
    std::span<const std::int32_t> labels;
    std::span<const std::int32_t> edges;        // endpoints, two per edge
    std::span<const std::int32_t> edge_labels;  // one per edge, or empty
    std::span<const std::int32_t> label_map;
    std::span<const std::int32_t> edge_label_map;

    int num_nodes() const { return static_cast<int>(labels.size()); }
    int num_edges() const { return static_cast<int>(edges.size() / 2); }
    std::int32_t label(int node) const { return translate(labels[node], label_map, "node label"); }
    std::int32_t edge_label(int edge) const {
        return edge_labels.empty() ? 0 : translate(edge_labels[edge], edge_label_map, "edge label");
    }

  private:
    static std::int32_t translate(std::int32_t code, std::span<const std::int32_t> map, const char* what) {
        if (map.empty()) return code;
        if (code < 0 || static_cast<std::size_t>(code) >= map.size())
            throw std::invalid_argument(std::string(what) + " code " + std::to_string(code) +
                                        " is not in the vocabulary");
        return map[code];
    }
};

// Neighbours of every node in one array, ascending per node, with the number of the edge they come from.
class Adjacency {
  public:
    void build(const GraphView& graph);

    int num_nodes() const { return static_cast<int>(offset_.size()) - 1; }
    int num_edges() const { return static_cast<int>(neighbour_.size() / 2); }
    int degree(int node) const { return offset_[node + 1] - offset_[node]; }
    std::span<const int> neighbours(int node) const { return slice(neighbour_, node); }
    std::span<const int> edge_ids(int node) const { return slice(edge_id_, node); }
    // Where `node` stands among the neighbours of each of its neighbours.
    std::span<const int> back_positions(int node) const { return slice(back_, node); }

  private:
    std::span<const int> slice(const std::vector<int>& values, int node) const {
        return {values.data() + offset_[node], static_cast<std::size_t>(degree(node))};
    }
    std::vector<int> offset_{0}, neighbour_, edge_id_, back_;
    std::vector<int> cursor_, unsorted_, unsorted_edge_, seen_at_;  // scratch of build()
};

}  // namespace prune4sed
