// A relaxation by itself, without a search around it.
#pragma once

#include <limits>

#include "random_graphs.hpp"
#include "relaxation.hpp"

namespace prune4sed::tests {

// A relaxation that may use mappings up to `limit`, whatever its search for mappings finds meanwhile.
template <class Cost>
struct Bench {
    Instance instance;
    Incumbent found, fixed;
    LocalSearch local_search{instance, found};
    Relaxation<Cost> relaxation{instance, local_search, fixed};
    StopWatch watch;

    Bench(const Owned& query, const Owned& target, const TickCosts& costs, Cost scale, std::int64_t limit,
          const Limits& limits)
        : watch(limits) {
        instance.load(query.view(), target.view(), costs);
        found.cost = std::numeric_limits<std::int64_t>::max();
        fixed.cost = limit + 1;
        local_search.prepare(watch);
        relaxation.prepare(scale, watch);
    }
};

}  // namespace prune4sed::tests
