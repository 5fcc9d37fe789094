// The batch: the same answers as one by one, on any number of threads; it stops when told, and tells of bad pairs.
#include "batch.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "check.hpp"
#include "random_graphs.hpp"
#include "suites.hpp"

namespace prune4sed::tests {
namespace {

struct Set {
    std::vector<std::int64_t> node_offset{0}, edge_offset{0};
    std::vector<std::int32_t> labels, edges, edge_labels;

    void add(const Owned& graph) {
        labels.insert(labels.end(), graph.labels.begin(), graph.labels.end());
        edges.insert(edges.end(), graph.edges.begin(), graph.edges.end());
        edge_labels.insert(edge_labels.end(), graph.edge_labels.begin(), graph.edge_labels.end());
        node_offset.push_back(static_cast<std::int64_t>(labels.size()));
        edge_offset.push_back(static_cast<std::int64_t>(edges.size() / 2));
    }
    GraphSetView view() const { return {node_offset, edge_offset, labels, edges, edge_labels, {}, {}}; }
};

struct Table {
    std::vector<std::int64_t> lower, upper, nodes;
    std::vector<double> seconds;
    std::vector<std::int32_t> mapping;
    std::int64_t width;

    Table(std::size_t count, std::int64_t columns)
        : lower(count), upper(count), nodes(count), seconds(count), mapping(count * columns, -7), width(columns) {}
    BatchOutput output() { return {lower.data(), upper.data(), nodes.data(), seconds.data(), mapping.data(), width}; }
};

bool go_on(std::span<const std::int64_t>) { return true; }

struct Sample {
    std::vector<Owned> queries, targets;
    Set query_set, target_set;
    std::vector<std::int64_t> pairs;

    Sample(int count, std::uint32_t seed, const Recipe& query, const Recipe& target) {
        Random random(seed);
        for (int i = 0; i < count; ++i) {
            Recipe one = query, other = target;
            one.nodes = random.between(0, query.nodes);
            other.nodes = random.between(0, target.nodes);
            queries.push_back(random_graph(random, one));
            targets.push_back(random_graph(random, other));
            query_set.add(queries.back());
            target_set.add(targets.back());
        }
        for (int i = 0; i < 3 * count; ++i) {
            pairs.push_back(random.below(count));
            pairs.push_back(random.below(count));
        }
    }
};

void equals_one_by_one(int count, int edge_labels) {
    const Sample sample(count, 61 + edge_labels, {9, 2, edge_labels, 45}, {12, 2, edge_labels, 30});
    Limits limits;
    limits.nodes = 20;
    const TickCosts costs{3, 2, 1, 1};
    for (int threads : {1, 2, 5, 1000}) {
        Table table(sample.pairs.size() / 2, 10);
        std::vector<int> handed_over(sample.pairs.size() / 2);
        const auto count_rows = [&](std::span<const std::int64_t> finished) {
            for (const std::int64_t k : finished) ++handed_over[k];
            return true;
        };
        CHECK(solve_batch(sample.query_set.view(), sample.target_set.view(), sample.pairs, costs, limits, threads,
                          table.output(), count_rows));
        CHECK(std::ranges::all_of(handed_over, [](int times) { return times == 1; }));
        Solver solver;
        for (std::size_t k = 0; k < sample.pairs.size() / 2; ++k) {
            const Owned& query = sample.queries[sample.pairs[2 * k]];
            const Answer answer =
                solver.solve(query.view(), sample.targets[sample.pairs[2 * k + 1]].view(), costs, limits);
            CHECK(table.lower[k] == answer.lower && table.upper[k] == answer.upper && table.nodes[k] == answer.nodes);
            bool row = true;
            for (int u = 0; u < 10; ++u)
                row = row && table.mapping[k * 10 + u] == (u < query.nodes() ? answer.mapping[u] : -1);
            CHECK(row);
        }
    }
}

void nothing_to_do() {
    const Set empty;
    Table table(0, 0);
    CHECK(solve_batch(empty.view(), empty.view(), {}, {}, {}, 4, table.output(), go_on));
}

// Each pair would take minutes; the batch must end as soon as `attend` says no.
void stops_when_told() {
    Random random(67);
    Set queries, targets;
    queries.add(random_graph(random, {25, 1, 0, 50}));
    targets.add(random_graph(random, {60, 1, 0, 20}));
    const std::vector<std::int64_t> pairs(100, 0);
    Table table(50, 25);
    Limits limits;
    limits.seconds = 60;
    const StopWatch watch(limits);
    int asked = 0;
    const auto no = [&](std::span<const std::int64_t> finished) {
        CHECK(finished.empty());
        return ++asked < 3;
    };
    CHECK(!solve_batch(queries.view(), targets.view(), pairs, {}, limits, 2, table.output(), no));
    CHECK(asked == 3);
    CHECK(watch.elapsed() < 5.0);

    const auto burst = [](std::span<const std::int64_t>) -> bool { throw std::runtime_error("from attend"); };
    CHECK_THROWS(solve_batch(queries.view(), targets.view(), pairs, {}, limits, 2, table.output(), burst),
                 std::runtime_error);
}

std::string complaint(const Set& queries, const Set& targets, const std::vector<std::int64_t>& pairs) {
    Table table(pairs.size() / 2, 8);
    try {
        solve_batch(queries.view(), targets.view(), pairs, {}, {}, 2, table.output(), go_on);
    } catch (const std::invalid_argument& problem) {
        return problem.what();
    }
    return "";
}

void names_the_bad_pair() {
    Set good, bad;
    for (int i = 0; i < 3; ++i) good.add({{0, 1}, {0, 1}, {}});
    bad = good;
    bad.edges[3] = 9;  // of graph 1
    CHECK(complaint(good, good, {0, 0, 1, 1, 2, 2}).empty());
    CHECK(complaint(good, bad, {0, 0, 2, 1}).find("pair 1 (query 2, target 1)") != std::string::npos);
    CHECK(!complaint(bad, good, {1, 1}).empty());
    CHECK(!complaint(good, good, {0, 3}).empty());
    CHECK(!complaint(good, good, {-1, 0}).empty());
    bad = good;
    bad.node_offset[3] = 1000;
    CHECK(!complaint(good, bad, {0, 2}).empty());
    bad.node_offset = {0, 4, 2, 6};
    CHECK(!complaint(good, bad, {0, 1}).empty());
    bad = good;
    bad.edge_offset = {-1, 1, 2, 3};
    CHECK(!complaint(bad, good, {0, 0}).empty());
}

}  // namespace

void test_batch(int effort) {
    equals_one_by_one(60 * effort, 0);
    equals_one_by_one(60 * effort, 2);
    nothing_to_do();
    stops_when_told();
    names_the_bad_pair();
}

}  // namespace prune4sed::tests
