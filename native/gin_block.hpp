// The nodes of some pruned graphs, side by side, few enough for a core's caches.
#pragma once

#include <vector>

#include "gin.hpp"
#include "lanes.hpp"

namespace prune4sed {

// The kept nodes of some graphs under all prunings, side by side, and the arcs between them.
struct Block {
    std::vector<std::int64_t> node;     // row of the batch
    std::vector<int> head;              // which pruning
    std::vector<int> group;             // first row of every pruned graph, and one past the last
    std::vector<int> arc, source;       // row i takes source[arc[i]:arc[i + 1]]
    std::vector<int> number;            // of the nodes of the graph at hand, or -1

    int rows() const { return static_cast<int>(node.size()); }

    void clear() {
        node.clear(), head.clear(), source.clear();
        group.assign(1, 0), arc.assign(1, 0);
    }

    void add(const NodeRows& rows, std::int64_t graph, const Prunings& prunings) {
        const std::int64_t begin = rows.starts[graph], nodes = rows.starts[graph + 1] - begin;
        number.resize(nodes);
        for (int m = 0; m < prunings.heads; ++m) {
            const int first = this->rows();
            for (std::int64_t v = 0; v < nodes; ++v) {
                const bool stays = prunings.keep.empty() || prunings.keep[(begin + v) * prunings.heads + m];
                number[v] = stays ? this->rows() : -1;
                if (!stays) continue;
                node.push_back(begin + v);
                head.push_back(m);
            }
            for (int row = first; row < this->rows(); ++row) {
                for (std::int64_t at = rows.first[node[row]]; at < rows.last[node[row]]; ++at)
                    if (const int other = number[rows.neighbours[at]]; other >= 0) source.push_back(other);
                arc.push_back(static_cast<int>(source.size()));
            }
            group.push_back(this->rows());
        }
    }
};

// What so many rows from `begin` on and their neighbours have, added up.
PRUNE4SED_INLINE void mix(const Block& block, const float* x, int begin, int count, int width, float* to) {
    for (int r = 0; r < count; ++r)
        for (int j = 0; j < width; j += kLanes) {
            Lanes sum = load(x + static_cast<std::int64_t>(begin + r) * width + j);
            for (int at = block.arc[begin + r]; at < block.arc[begin + r + 1]; ++at)
                sum += load(x + static_cast<std::int64_t>(block.source[at]) * width + j);
            store(to + r * width + j, sum);
        }
}

}  // namespace prune4sed
