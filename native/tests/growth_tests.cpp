// Growing: whatever the graphs, every query node has a target node of its own or is deleted.
#include <limits>

#include "check.hpp"
#include "local_search.hpp"
#include "oracle.hpp"
#include "suites.hpp"

namespace prune4sed::tests {
namespace {

bool is_mapping(const Instance& instance, const std::vector<int>& mapping) {
    std::vector<char> taken(instance.nt(), 0);
    for (int u = 0; u < instance.nq(); ++u) {
        const int column = mapping[u];
        if (column == instance.nt() + u) continue;
        if (column < 0 || column >= instance.nt() || taken[column]++) return false;
    }
    return true;
}

}  // namespace

void test_growth(int effort) {
    Random random(97);
    const Limits limits;
    for (int k = 0; k < 200 * effort; ++k) {
        const auto [query, target] = random_pair(random, 6, k % 3 ? 7 : 3);
        const TickCosts costs = k % 2 ? random_costs(random) : TickCosts{};
        const std::int64_t truth = brute_force(query, target, costs);
        Instance instance;
        instance.load(query.view(), target.view(), costs);
        Incumbent incumbent;
        incumbent.cost = std::numeric_limits<std::int64_t>::max();
        LocalSearch search(instance, incumbent);
        StopWatch watch(limits);
        std::vector<int> first, second, again;
        search.prepare(watch);
        CHECK(search.grow(first) && search.grow(second));
        CHECK(is_mapping(instance, first) && is_mapping(instance, second));
        CHECK(instance.map_cost(first) >= truth);
        search.prepare(watch);
        search.grow(again);
        CHECK(again == first);
    }
}

}  // namespace prune4sed::tests
