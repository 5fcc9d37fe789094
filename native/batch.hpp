// Many pairs on many threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solver.hpp"

namespace prune4sed {

// Borrowed flat arrays of many graphs: graph i owns labels [node_offset[i], node_offset[i + 1]) and edges likewise.
struct GraphSetView {
    std::span<const std::int64_t> node_offset, edge_offset;
    std::span<const std::int32_t> labels, edges, edge_labels, label_map, edge_label_map;

    std::int64_t size() const { return static_cast<std::int64_t>(node_offset.size()) - 1; }
    GraphView graph(std::int64_t i) const;
};

// One row per pair; mapping rows are `width` wide, -1 beyond the query's nodes and for deleted nodes.
struct BatchOutput {
    std::int64_t* lower;
    std::int64_t* upper;
    std::int64_t* nodes;
    double* seconds;
    std::int32_t* mapping;
    std::int64_t width;
};

// Takes the rows finished since it was called last; false ends the batch.
using Attend = std::function<bool(std::span<const std::int64_t> finished)>;

// Solves pair k = (pairs[2k], pairs[2k + 1]) with the same limits for each. The calling thread does not work but
// calls `attend` every few milliseconds and once at the end, so that every row is handed over exactly once; once it
// returns false, the workers stop and so does the batch. An error in a pair ends the batch and is thrown here. Pairs that
// the batch has no time for are left out: their rows are never handed over and stay as they were.
bool solve_batch(const GraphSetView& queries, const GraphSetView& targets, std::span<const std::int64_t> pairs,
                 const TickCosts& costs, const Limits& limits, int threads, const BatchOutput& output,
                 const Attend& attend);

}  // namespace prune4sed
