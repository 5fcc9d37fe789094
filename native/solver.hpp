// Subgraph edit distance of one pair: bounds that meet, or the best bounds the limits allow.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graph.hpp"
#include "instance.hpp"
#include "limits.hpp"

namespace prune4sed {

struct Answer {
    std::int64_t lower = 0, upper = 0;  // ticks
    std::vector<int> mapping;           // target node of every query node, -1 if deleted; costs `upper`
    std::int64_t nodes = 0;
    double seconds = 0;
};

// Keeps its memory from pair to pair; one per thread.
class Solver {
  public:
    Solver();
    ~Solver();
    Answer solve(const GraphView& query, const GraphView& target, const TickCosts& costs, const Limits& limits);

  private:
    template <class Cost>
    class Run;
    Instance instance_;
    std::unique_ptr<Run<std::int32_t>> narrow_;  // costs that fit 32 bits, which is nearly always
    std::unique_ptr<Run<std::int64_t>> wide_;
};

}  // namespace prune4sed
