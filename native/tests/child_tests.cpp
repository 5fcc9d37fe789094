// Children of a tightened root: every mapping within the limit that uses the fixed pair must still be there.
#include <algorithm>

#include "check.hpp"
#include "oracle.hpp"
#include "relaxation_bench.hpp"
#include "suites.hpp"

namespace prune4sed::tests {
namespace {

struct Priced {
    std::vector<int> mapping;  // -1: deleted
    std::int64_t cost;
};

void all_within(const Owned& query, const Owned& target, const TickCosts& costs, std::int64_t limit,
                std::vector<int>& mapping, std::vector<Priced>& found) {
    if (static_cast<int>(mapping.size()) == query.nodes()) {
        const std::int64_t cost = price(query, target, costs, mapping);
        if (cost <= limit) found.push_back({mapping, cost});
        return;
    }
    for (int v = -1; v < target.nodes(); ++v) {
        if (v >= 0 && std::find(mapping.begin(), mapping.end(), v) != mapping.end()) continue;
        mapping.push_back(v);
        all_within(query, target, costs, limit, mapping, found);
        mapping.pop_back();
    }
}

template <class Cost>
bool holds(const Level<Cost>& level, const std::vector<int>& mapping, int num_target) {
    for (int r = 0; r < level.rows(); ++r) {
        const int u = level.node[r], column = mapping[u] < 0 ? num_target + u : mapping[u];
        const auto begin = level.column.begin();
        const auto end = begin + level.pair_offset[r + 1];
        if (std::find(begin + level.pair_offset[r], end, column) == end) return false;
    }
    return true;
}

// Without deletions among the candidates (they are not needed where no label differs, say) other mappings are as good.
bool uses_columns(const Instance& instance, const std::vector<int>& mapping) {
    return instance.deletions() || std::find(mapping.begin(), mapping.end(), -1) == mapping.end();
}

template <class Cost>
void lose_nothing(int rounds, Cost scale) {
    Random random(83);
    const Limits limits;
    for (int k = 0; k < rounds; ++k) {
        const auto [query, target] = random_pair(random, 6, 5);
        const TickCosts costs = k % 2 ? random_costs(random) : TickCosts{};
        const std::int64_t limit = brute_force(query, target, costs) + random.between(0, 3);
        std::vector<Priced> within;
        std::vector<int> mapping;
        all_within(query, target, costs, limit, mapping, within);
        Bench<Cost> bench(query, target, costs, scale, limit, limits);
        Relaxation<Cost>& relaxation = bench.relaxation;
        std::vector<std::vector<int>> candidates;
        CHECK(relaxation.root_assignment() && relaxation.root_candidates(candidates));
        Level<Cost> root, child;
        relaxation.build(root, candidates);
        CHECK(relaxation.evaluate(root) && relaxation.tighten(root, random.between(1, 6), 1000));
        for (int row = 0; row < root.rows(); ++row) {
            relaxation.leave_out(root, row);
            for (int p = root.pair_offset[row]; p < root.pair_offset[row + 1]; ++p) {
                if (!root.alive[p]) continue;
                const int node = root.node[row];
                relaxation.assigned()[node] = root.column[p];
                const bool open = relaxation.derive(root, child, row, p);
                relaxation.assigned()[node] = -1;
                const int image = root.column[p] < target.nodes() ? root.column[p] : -1;
                for (const Priced& one : within) {
                    if (one.mapping[node] != image || !uses_columns(bench.instance, one.mapping)) continue;
                    CHECK(open && holds(child, one.mapping, target.nodes()));
                    CHECK(child.bound <= static_cast<Cost>(one.cost) * scale);
                }
            }
        }
    }
}

}  // namespace

void test_children(int effort) {
    lose_nothing<std::int32_t>(150 * effort, 840);
    lose_nothing<std::int64_t>(50 * effort, std::int64_t{1} << 40);
}

}  // namespace prune4sed::tests
