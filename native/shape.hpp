// A number for the shape of a labelled graph: the same for isomorphic graphs, on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph.hpp"

namespace prune4sed {

// Fixed random-looking numbers for the labels; codes will not do, they differ between processes and files.
struct LabelKeys {
    std::span<const std::uint64_t> node, edge;  // by code; edge may be empty
};

// Colour refinement with hashed colours. Different shapes may share a certificate (refinement does not tell all graphs
// apart), equal shapes never differ. Holds scratch space, so one per thread.
class ShapeReader {
  public:
    std::uint64_t certificate(const GraphView& graph, const LabelKeys& keys);

  private:
    std::size_t count_colours();

    std::vector<std::uint64_t> colour_, heard_, sorted_, bond_;
};

}  // namespace prune4sed
