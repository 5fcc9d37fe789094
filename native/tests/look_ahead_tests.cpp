// Looking ahead: what it says of a pair against the best of all mappings that use the pair.
#include <algorithm>
#include <limits>

#include "check.hpp"
#include "oracle.hpp"
#include "relaxation_bench.hpp"
#include "suites.hpp"

namespace prune4sed::tests {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

// best[u][column]: the least cost of a mapping that sends u there; the last column stands for deletion.
void best_by_pair(const Owned& query, const Owned& target, const TickCosts& costs, std::vector<int>& mapping,
                  std::vector<std::vector<std::int64_t>>& best) {
    const int u = static_cast<int>(mapping.size());
    if (u == query.nodes()) {
        const std::int64_t cost = price(query, target, costs, mapping);
        for (int w = 0; w < u; ++w) {
            std::int64_t& place = best[w][mapping[w] < 0 ? target.nodes() : mapping[w]];
            place = std::min(place, cost);
        }
        return;
    }
    for (int v = -1; v < target.nodes(); ++v) {
        if (v >= 0 && std::find(mapping.begin(), mapping.end(), v) != mapping.end()) continue;
        mapping.push_back(v);
        best_by_pair(query, target, costs, mapping, best);
        mapping.pop_back();
    }
}

template <class Cost>
void never_too_much(int rounds, Cost scale) {
    Random random(79);
    const Limits limits;
    for (int k = 0; k < rounds; ++k) {
        const auto [query, target] = random_pair(random, 4, 5);
        const TickCosts costs = k % 2 ? random_costs(random) : TickCosts{};
        std::vector<std::vector<std::int64_t>> best(query.nodes(), std::vector<std::int64_t>(target.nodes() + 1, kNone));
        std::vector<int> mapping;
        best_by_pair(query, target, costs, mapping, best);
        const std::int64_t limit = brute_force(query, target, costs) + random.between(0, 2);
        Bench<Cost> bench(query, target, costs, scale, limit, limits);
        std::vector<std::vector<int>> candidates;
        CHECK(bench.relaxation.root_assignment() && bench.relaxation.root_candidates(candidates));
        Level<Cost> level;
        bench.relaxation.build(level, candidates);
        CHECK(bench.relaxation.evaluate(level) && bench.relaxation.tighten(level, 3, 1000));
        for (std::size_t p = 0; p < level.column.size(); ++p) {
            const int column = std::min(level.column[p], target.nodes());
            const std::int64_t truth = best[level.node[level.pair_row[p]]][column];
            if (!level.alive[p]) CHECK(truth > limit);
            else if (truth <= limit) CHECK(level.bound + level.slack[p] <= static_cast<Cost>(truth) * scale);
        }
    }
}

}  // namespace

void test_look_ahead(int effort) {
    never_too_much<std::int32_t>(600 * effort, 840);
    never_too_much<std::int64_t>(200 * effort, std::int64_t{1} << 40);
}

}  // namespace prune4sed::tests
