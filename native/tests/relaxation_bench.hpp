// A relaxation by itself, without a search around it.
#pragma once

#include <algorithm>
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

// Links by row, and of two entries that are one edge the one of the earlier row first: so primal-dual steps know which of them
// keeps account.
template <class Cost>
bool links_in_order(const Level<Cost>& level) {
    for (int r = 0; r < level.rows(); ++r) {
        const auto links = level.link_row.begin();
        if (!std::is_sorted(links + level.link_offset[r], links + level.link_offset[r + 1])) return false;
    }
    for (std::size_t p = 0; p < level.column.size(); ++p) {
        const int row = level.pair_row[p], first = level.star_offset[p], columns = level.star_columns[p];
        for (int e = first; e < first + level.degree(row) * columns; ++e) {
            if (level.partner[e] < 0) continue;
            const int to = level.link_row[level.link_offset[row] + (e - first) / columns];
            if ((level.partner[e] > e) != (to > row) || level.partner[level.partner[e]] != e) return false;
        }
    }
    return true;
}

}  // namespace prune4sed::tests
