// Children of tightened levels: every mapping within the limit that uses the fixed pairs must still be there.
#include <algorithm>
#include <limits>
#include <memory>
#include <tuple>

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
        bool found = false;
        for (int p = level.pair_offset[r]; p < level.pair_offset[r + 1]; ++p) found |= level.column[p] == column && level.alive[p];
        if (!found) return false;
    }
    return true;
}

// Without deletions among the candidates (they are not needed where no label differs, say) other mappings are as good.
bool uses_columns(const Instance& instance, const std::vector<int>& mapping) {
    return instance.deletions() || std::find(mapping.begin(), mapping.end(), -1) == mapping.end();
}

// A relaxation, and all mappings within its limit.
template <class Cost>
struct Case {
    Owned query, target;
    TickCosts costs;
    std::vector<Priced> within;
    std::unique_ptr<Bench<Cost>> bench;

    Case(Random& random, Cost scale, const Limits& limits) {
        std::tie(query, target) = random_pair(random, 6, 5);
        if (random.chance(50)) costs = random_costs(random);
        const std::int64_t limit = brute_force(query, target, costs) + random.between(0, 3);
        std::vector<int> mapping;
        all_within(query, target, costs, limit, mapping, within);
        bench = std::make_unique<Bench<Cost>>(query, target, costs, scale, limit, limits);
    }
};

// Any rings will do for a penalty that is valid, and any of a level's may be given back in its children.
RingSet some_of(Random& random, RingSet rings) {
    RingSet some = 0;
    for (RingSet left = rings; left != 0; left &= left - 1)
        if (random.chance(70)) some |= left & (~left + 1);
    return some;
}

// Primal-dual ones, which half of all levels do without.
int some_steps(Random& random) { return random.chance(50) ? random.between(1, 30) : 0; }

// Checks a child against the mappings that use what is fixed on the way to it.
template <class Cost>
void check_child(const Case<Cost>& one, const Level<Cost>& child, bool open) {
    Bench<Cost>& bench = *one.bench;
    const std::vector<int>& assigned = bench.relaxation.assigned();
    const int num_target = one.target.nodes();
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Priced& priced : one.within) {
        bool same = uses_columns(bench.instance, priced.mapping);
        for (int u = 0; u < one.query.nodes(); ++u)
            same &= assigned[u] < 0 || priced.mapping[u] == (assigned[u] < num_target ? assigned[u] : -1);
        if (!same) continue;
        least = std::min(least, priced.cost);
        CHECK(open && holds(child, priced.mapping, num_target));
        CHECK(child.bound <= static_cast<Cost>(priced.cost) * bench.relaxation.scale());
    }
    CHECK(!open || links_in_order(child));
    if (!open || child.has_open_edges()) return;
    CHECK(child.rings == 0);
    const bool exact = child.bound == static_cast<Cost>(least) * bench.relaxation.scale();
    CHECK(exact || least == std::numeric_limits<std::int64_t>::max());
}

// All children of a level, and all of one of them, down to where nothing is open.
template <class Cost>
void check_below(Random& random, const Case<Cost>& one, Level<Cost>& level) {
    Relaxation<Cost>& relaxation = one.bench->relaxation;
    Level<Cost> child;
    const int next_row = random.below(level.rows());
    int next = -1;
    for (int row = 0; row < level.rows(); ++row) {
        relaxation.leave_out(level, row);
        for (int p = level.pair_offset[row]; p < level.pair_offset[row + 1]; ++p) {
            if (!level.alive[p]) continue;
            relaxation.assigned()[level.node[row]] = level.column[p];
            const bool open = relaxation.derive(level, child, row, p);
            check_child(one, child, open);
            relaxation.assigned()[level.node[row]] = -1;
            if (open && row == next_row && (next < 0 || random.chance(40))) next = p;
        }
    }
    if (next < 0) return;
    relaxation.leave_out(level, next_row);
    relaxation.assigned()[level.node[next_row]] = level.column[next];
    const bool open = relaxation.derive(level, child, next_row, next) &&
                      relaxation.tighten(child, random.between(1, 4), 1000, some_steps(random));
    check_child(one, child, open);
    if (!open || !child.has_open_edges()) return;
    child.wanted = some_of(random, child.rings);
    check_below(random, one, child);
}

template <class Cost>
void lose_nothing(int rounds, Cost scale) {
    Random random(83);
    const Limits limits;
    int ringed = 0;
    for (int k = 0; k < rounds; ++k) {
        const Case<Cost> one(random, scale, limits);
        Relaxation<Cost>& relaxation = one.bench->relaxation;
        const Instance& instance = one.bench->instance;
        std::vector<std::vector<int>> candidates;
        CHECK(relaxation.root_assignment() && relaxation.root_candidates(candidates));
        if (one.query.nodes() == 0) continue;
        RingSet rings = 0;
        if (k % 2 && relaxation.set_rings(scarce_rings(instance.query(), instance.target(), 100'000)))
            rings = some_of(random, relaxation.all_rings());
        ringed += rings != 0;
        Level<Cost> root;
        relaxation.build(root, candidates, rings);
        CHECK(relaxation.evaluate(root) && relaxation.tighten(root, random.between(1, 6), 1000, some_steps(random)));
        root.wanted = some_of(random, root.rings);
        check_below(random, one, root);
    }
    CHECK(ringed > rounds / 20);  // the query of most pairs has no ring that the target lacks
}

}  // namespace

void test_children(int effort) {
    lose_nothing<std::int32_t>(150 * effort, 840);
    lose_nothing<std::int64_t>(50 * effort, std::int64_t{1} << 40);
}

}  // namespace prune4sed::tests
