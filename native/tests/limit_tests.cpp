// Limits and thresholds: whatever stops the search, its bounds hold, and node limits give the same answer twice.
#include <algorithm>
#include <limits>

#include "check.hpp"
#include "oracle.hpp"
#include "solver.hpp"
#include "suites.hpp"

namespace prune4sed::tests {
namespace {

bool same(const Answer& a, const Answer& b) {
    return a.lower == b.lower && a.upper == b.upper && a.mapping == b.mapping && a.nodes == b.nodes;
}

Limits up_to(std::int64_t nodes) {
    Limits limits;
    if (nodes % 2 == 1) limits.rings_after = 0;
    if (nodes % 3 == 0) limits.steps_after = 0;
    limits.nodes = nodes;
    return limits;
}

// A search that knows of no limit; one that drags on is ended from outside, and its pair is not used.
Answer unlimited(const Owned& query, const Owned& target, const TickCosts& costs) {
    int asked = 0;  // every 50 ms
    Limits limits;
    limits.poll = [](void* count) { return ++*static_cast<int*>(count) == 8; };
    limits.poll_context = &asked;
    return Solver().solve(query.view(), target.view(), costs, limits);
}

void check_bounds(const Answer& answer, const Owned& query, const Owned& target, const TickCosts& costs,
                  std::int64_t truth) {
    CHECK(answer.lower <= truth);
    CHECK(truth <= answer.upper);
    CHECK(is_injective(query, target, answer.mapping));
    CHECK(price(query, target, costs, answer.mapping) == answer.upper);
}

void tiny_node_limits(int rounds, std::int64_t unit) {
    Random random(41);
    Solver solver, fresh;
    for (int k = 0; k < rounds; ++k) {
        const auto [query, target] = random_pair(random, 6, 7);
        const TickCosts costs = random_costs(random, unit);
        const std::int64_t truth = brute_force(query, target, costs);
        for (std::int64_t nodes : {0, 1, 2, 3, 5, 8}) {
            const Answer answer = solver.solve(query.view(), target.view(), costs, up_to(nodes));
            check_bounds(answer, query, target, costs, truth);
            CHECK(answer.nodes <= nodes);
            CHECK(same(answer, fresh.solve(query.view(), target.view(), costs, up_to(nodes))));
        }
    }
}

// Pairs that take hundreds of nodes, so that a limited search also deepens and anneals. The truth to hold
// them against comes from `unlimited`, which only ever goes one way, straight down.
void larger_node_limits(int rounds) {
    Random random(43);
    Solver solver, fresh;
    for (int k = 0; k < rounds; ++k) {
        const int bonds = k % 4 ? 0 : 2;
        const Owned query = random_graph(random, {random.between(8, 13), random.between(1, 6), bonds, random.between(30, 70)});
        const Owned target = random_graph(random, {random.between(12, 18), random.between(1, 6), bonds, random.between(10, 35)});
        const TickCosts costs = k % 2 ? random_costs(random) : TickCosts{10, random.between(1, 10), random.between(1, 5), 1};
        const Answer full = unlimited(query, target, costs);
        if (full.lower < full.upper) continue;
        for (double share : {0.3, 0.7, 1.5, 3.0, 6.0}) {
            const auto nodes = static_cast<std::int64_t>(share * static_cast<double>(full.nodes)) + 1;
            const Answer answer = solver.solve(query.view(), target.view(), costs, up_to(nodes));
            check_bounds(answer, query, target, costs, full.upper);
            CHECK(answer.nodes <= nodes);
            CHECK(same(answer, fresh.solve(query.view(), target.view(), costs, up_to(nodes))));
        }
    }
}

// A pair on which a limited search once claimed to have proven 182; the distance is 180.
void known_pair() {
    const Owned query{{3, 5, 1, 4, 0, 5, 0, 2, 5, 3, 2, 2, 1},
                      {0, 1,  1, 3,  2,  3,  0, 4,  1, 4,  2, 4,  3, 4,  1, 5,  3, 5,  4,  5,  0,  6,  1, 6,
                       2, 6,  4, 6,  5,  6,  0, 7,  2, 7,  3, 7,  4, 7,  6, 7,  0, 8,  1,  8,  2,  8,  3, 8,
                       5, 8,  7, 8,  1,  9,  2, 9,  5, 9,  7, 9,  8, 9,  0, 10, 2, 10, 4,  10, 6,  10, 7, 10,
                       8, 10, 9, 10, 0,  11, 1, 11, 3, 11, 5, 11, 6, 11, 8, 11, 1, 12, 2,  12, 3,  12, 4, 12,
                       5, 12, 6, 12, 8,  12, 10, 12, 11, 12},
                      {}};
    const Owned target{{3, 2, 1, 0, 3, 0, 0, 0, 2, 0, 1, 0, 2, 3, 1, 3, 3},
                       {1, 2,  2,  3,  1,  4,  6,  8,  3, 9,  5,  9,  3, 11, 7,  11, 2,  12, 2,
                        13, 3, 13, 11, 13, 13, 14, 2,  15, 11, 15, 5,  16, 11, 16, 13, 16, 14, 16},
                       {}};
    const TickCosts costs{10, 1, 5, 1};
    Solver solver;
    for (std::int64_t nodes = 50; nodes < 800; nodes += 50)
        check_bounds(solver.solve(query.view(), target.view(), costs, up_to(nodes)), query, target, costs, 180);
    check_bounds(solver.solve(query.view(), target.view(), costs, {}), query, target, costs, 180);
}

void thresholds(int rounds, std::int64_t unit) {
    Random random(47);
    Solver solver;
    for (int k = 0; k < rounds; ++k) {
        const auto [query, target] = random_pair(random, 6, 7);
        const TickCosts costs = random_costs(random, unit);
        const std::int64_t truth = brute_force(query, target, costs);
        for (std::int64_t threshold : {std::int64_t{0}, truth / 2, truth - 1, truth, truth + 1, 2 * truth + 3}) {
            Limits limits = up_to(k % 2 ? 3 : std::numeric_limits<std::int64_t>::max());
            limits.threshold = std::max<std::int64_t>(0, threshold);
            const Answer answer = solver.solve(query.view(), target.view(), costs, limits);
            check_bounds(answer, query, target, costs, truth);
            if (k % 2) continue;
            CHECK(answer.lower > limits.threshold || answer.lower == answer.upper);
            CHECK((answer.lower > limits.threshold) == (truth > limits.threshold));
        }
    }
}

void threshold_with_node_limits(int rounds) {
    Random random(53);
    Solver solver;
    for (int k = 0; k < rounds; ++k) {
        const Owned query = random_graph(random, {random.between(7, 10), 1, 0, random.between(40, 60)});
        const Owned target = random_graph(random, {random.between(11, 16), 1, 0, random.between(15, 35)});
        const Answer full = unlimited(query, target, {});
        if (full.lower < full.upper) continue;
        for (std::int64_t threshold = 0; threshold <= full.upper + 1; ++threshold)
            for (std::int64_t nodes : {1, 4, 16, 64}) {
                Limits limits = up_to(nodes);
                limits.threshold = threshold;
                check_bounds(solver.solve(query.view(), target.view(), {}, limits), query, target, {}, full.upper);
            }
    }
}

// A deadline in the past stops the search at once, the first bounds a little later; a request stops both.
void stop_watch() {
    Limits limits;
    limits.seconds = 0;
    bool grace = false;
    for (int k = 0; k < 5 && !grace; ++k) {  // another process may hold the core for longer than the grace
        StopWatch watch(limits);
        CHECK(!watch.stopped());
        grace = watch.check() && !watch.overdue();
    }
    CHECK(grace);
    StopWatch late(limits);
    while (late.elapsed() < 0.01) continue;
    CHECK(late.overdue() && late.stopped());

    std::atomic<bool> stop{false};
    limits = {};
    limits.stop_request = &stop;
    StopWatch asked(limits);
    CHECK(!asked.check() && !asked.overdue());
    stop = true;
    CHECK(asked.check() && asked.overdue());
    stop = false;
    CHECK(asked.check() && asked.overdue());  // once yes, always yes
}

struct Hard {
    Owned query, target;
    Hard() {
        Random random(59);
        query = random_graph(random, {25, 1, 0, 25});
        target = random_graph(random, {60, 1, 0, 20});
    }
};

void outside_requests() {
    const Hard pair;
    Solver solver;
    Limits limits;
    limits.seconds = 0;
    check_bounds(solver.solve(pair.query.view(), pair.target.view(), {}, limits), pair.query, pair.target, {},
                 solver.solve(pair.query.view(), pair.target.view(), {}, up_to(50)).upper);

    const std::atomic<bool> stop{true};
    limits = {};
    limits.stop_request = &stop;
    CHECK(solver.solve(pair.query.view(), pair.target.view(), {}, limits).seconds < 1.0);

    int asked = 0;
    limits = {};
    limits.seconds = 60;
    limits.poll = [](void* count) { return ++*static_cast<int*>(count) == 3; };
    limits.poll_context = &asked;
    const Answer answer = solver.solve(pair.query.view(), pair.target.view(), {}, limits);
    CHECK(asked == 3);
    CHECK(answer.seconds < 5.0);
    CHECK(answer.lower < answer.upper);
}

void time_limit_is_honoured() {
    const Hard pair;
    Solver solver;
    for (double seconds : {0.01, 0.1, 0.3}) {
        Limits limits;
        limits.seconds = seconds;
        double least = 1e9;  // of three: another process may hold the core now and then
        for (int k = 0; k < 3; ++k)
            least = std::min(least, solver.solve(pair.query.view(), pair.target.view(), {}, limits).seconds);
#ifdef PRUNE4SED_SANITIZE
        CHECK(least <= seconds + 0.5);
#else
        CHECK(least <= seconds + std::max(0.02, 0.05 * seconds));
#endif
    }
}

}  // namespace

void test_limits(int effort) {
    tiny_node_limits(400 * effort, 1);
    tiny_node_limits(100 * effort, 10'000'000);
    larger_node_limits(25 * effort);
    known_pair();
    thresholds(400 * effort, 1);
    thresholds(100 * effort, 10'000'000);
    threshold_with_node_limits(10 * effort);
    stop_watch();
    outside_requests();
    time_limit_is_honoured();
}

}  // namespace prune4sed::tests
