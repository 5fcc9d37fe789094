// Growing: whatever the graphs, every query node has a target node of its own or is deleted.
#include <limits>
#include <set>

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

// A piece of a path whose labels are all different: a growth that begins right must find the rest, and over
// many calls some do. Queries beyond the bound are refused.
void test_growth_follows_labels() {
    const auto path = [](int first, int nodes) {
        Owned graph;
        for (int v = 0; v < nodes; ++v) graph.labels.push_back(first + v);
        for (int v = 0; v + 1 < nodes; ++v) graph.link(v, v + 1);
        return graph;
    };
    const auto costs_of = [](const Owned& query, const Owned& target, int calls) {
        Instance instance;
        instance.load(query.view(), target.view(), TickCosts{});
        Incumbent incumbent;
        incumbent.cost = std::numeric_limits<std::int64_t>::max();
        LocalSearch search(instance, incumbent);
        const Limits limits;
        StopWatch watch(limits);
        search.prepare(watch);
        std::set<std::int64_t> costs;
        std::vector<int> mapping;
        for (int k = 0; k < calls; ++k)
            if (search.grow(mapping)) costs.insert(instance.map_cost(mapping));
        return costs;
    };
    const auto found = costs_of(path(4, 5), path(0, 12), 60);
    CHECK(found.count(0) == 1);
    CHECK(found.size() > 1);
    CHECK(costs_of(path(0, 129), path(0, 129), 1).empty());
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
        // Moves are priced one by one; in the end the sum must be what the mapping costs.
        std::int64_t cost = instance.map_cost(first);
        search.descend(first, cost);
        CHECK(cost == instance.map_cost(first));
        incumbent.offer(second, instance.map_cost(second));
        search.anneal(second, 300, 0.7, 0.2, 0);
        CHECK(incumbent.cost == instance.map_cost(incumbent.mapping));
    }
    test_growth_follows_labels();
}

}  // namespace prune4sed::tests
