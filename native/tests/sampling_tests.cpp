// The sampler: its generator against published numbers, its graphs against what they must be.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include "check.hpp"
#include "random_graphs.hpp"
#include "sampler.hpp"
#include "suites.hpp"

namespace prune4sed::tests {
namespace {

const std::vector<std::uint64_t> kKeys{11, 22, 33, 44};
const LabelKeys kBoth{kKeys, kKeys};

void match_published_numbers() {
    std::uint64_t state = 1234567;  // from the reference implementation of splitmix64
    for (const std::uint64_t expected : {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
                                         4593380528125082431ULL, 16408922859458223821ULL})
        CHECK(splitmix64(state) == expected);
    RandomStream random(std::array<std::uint64_t, 4>{1, 2, 3, 4});  // from that of xoshiro256**
    for (const std::uint64_t expected : {11520ULL, 0ULL, 1509978240ULL, 1215971899390074240ULL,
                                         1216172134540287360ULL, 607988272756665600ULL})
        CHECK(random.next() == expected);
}

void keep_streams_apart() {
    std::set<std::uint64_t> firsts;
    for (std::uint64_t seed = 0; seed < 10; ++seed)
        for (std::uint64_t stream = 0; stream < 10; ++stream)
            for (std::uint64_t item = 0; item < 10; ++item) firsts.insert(RandomStream(seed, stream, item).next());
    CHECK(firsts.size() == 1000);
    CHECK(RandomStream(7, 8, 9).next() == RandomStream(7, 8, 9).next());
}

// Bounds of five standard deviations: the numbers are fixed, so this passes always or never.
void draw_evenly() {
    RandomStream random(1, 2, 3);
    std::array<int, 7> seen{};
    for (int i = 0; i < 70'000; ++i) ++seen[random.below(7)];
    for (const int count : seen) CHECK(std::abs(count - 10'000) < 470);
    int heads = 0;
    for (int i = 0; i < 100'000; ++i) heads += random.coin();
    CHECK(std::abs(heads - 50'000) < 800);
    const std::array<Share, 3> shares{{{1, 10}, {5, 70}, {9, 20}}};
    std::map<int, int> picked;
    for (int i = 0; i < 100'000; ++i) ++picked[random.pick(shares)];
    CHECK(picked.size() == 3);
    CHECK(std::abs(picked[1] - 10'000) < 480 && std::abs(picked[5] - 70'000) < 730);
    CHECK(random.below(1) == 0);
    // Just over half the range: the plain product would draw some numbers twice as often as others.
    const std::uint32_t most = 3'000'000'000u;
    int low = 0;
    for (int i = 0; i < 100'000; ++i) {
        const std::uint32_t value = random.below(most);
        CHECK(value < most);
        low += value < most / 3;
    }
    CHECK(std::abs(low - 33'333) < 750);
}

void order_every_number_once() {
    for (const std::uint64_t n : {1, 2, 3, 4, 5, 16, 17, 100, 1000, 4097}) {
        const RandomOrder order(5, 6, 0, n);
        std::set<std::uint64_t> seen;
        for (std::uint64_t i = 0; i < n; ++i) seen.insert(order.at(i));
        CHECK(seen.size() == n && *seen.rbegin() == n - 1);
    }
    int same = 0;
    const RandomOrder first(5, 6, 0, 1000), second(5, 6, 1, 1000);
    for (std::uint64_t i = 0; i < 1000; ++i) same += first.at(i) == second.at(i);
    CHECK(same < 10);
}

Owned permuted(const Owned& graph, Random& random) {
    std::vector<std::int32_t> place(graph.labels.size());
    std::iota(place.begin(), place.end(), 0);
    for (int i = graph.nodes() - 1; i > 0; --i) std::swap(place[i], place[random.below(i + 1)]);
    Owned result{std::vector<std::int32_t>(graph.labels.size()), {}, {}};
    for (int v = 0; v < graph.nodes(); ++v) result.labels[place[v]] = graph.labels[v];
    for (std::size_t e = graph.edges.size() / 2; e-- > 0;) {
        result.link(place[graph.edges[2 * e + 1]], place[graph.edges[2 * e]]);
        if (!graph.edge_labels.empty()) result.edge_labels.push_back(graph.edge_labels[e]);
    }
    return result;
}

void give_isomorphic_graphs_one_shape(int effort) {
    Random random(17);
    ShapeReader reader;
    for (int i = 0; i < 300 * effort; ++i) {
        const Owned graph = random_pair(random, 12, 1).first;
        CHECK(reader.certificate(graph.view(), kBoth) == reader.certificate(permuted(graph, random).view(), kBoth));
    }
}

void tell_shapes_apart() {
    ShapeReader reader;
    const std::vector<Owned> graphs{
        {{}, {}, {}},
        {{0}, {}, {}},
        {{1}, {}, {}},
        {{0, 0}, {}, {}},
        {{0, 0}, {0, 1}, {}},
        {{0, 1}, {0, 1}, {}},
        {{0, 0}, {0, 1}, {0}},
        {{0, 0}, {0, 1}, {1}},
        {{0, 0, 0}, {0, 1, 1, 2}, {}},
        {{0, 0, 0}, {0, 1, 1, 2, 2, 0}, {}},
        {{0, 1, 0}, {0, 1, 1, 2}, {}},
        {{0, 0, 1}, {0, 1, 1, 2}, {}},
        {{0, 0, 0, 0}, {0, 1, 1, 2, 2, 3}, {}},
        {{0, 0, 0, 0}, {0, 1, 0, 2, 0, 3}, {}},
    };
    std::set<std::uint64_t> certificates;
    for (const Owned& graph : graphs) certificates.insert(reader.certificate(graph.view(), kBoth));
    CHECK(certificates.size() == graphs.size());
    // The same from every compiler, on every machine: the split of the datasets, and with it shipped labels, needs it.
    CHECK(reader.certificate(graphs[10].view(), kBoth) == 0xc5a7130b084a224aULL);
    CHECK_THROWS(reader.certificate(Owned{{9}, {}, {}}.view(), kBoth), std::invalid_argument);
    CHECK_THROWS(reader.certificate(Owned{{0}, {0, 5}, {}}.view(), kBoth), std::invalid_argument);
}

struct OwnedNetwork {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> neighbours, labels;

    NetworkView view() const { return {starts, neighbours, labels}; }
};

OwnedNetwork random_network(Random& random, int nodes, int percent) {
    const Owned graph = random_graph(random, {nodes, 3, 0, percent});
    Adjacency adjacency;
    adjacency.build(graph.view());
    OwnedNetwork network;
    network.labels = graph.labels;
    for (int v = 0; v < nodes; ++v) {
        for (const int w : adjacency.neighbours(v)) network.neighbours.push_back(w);
        network.starts.push_back(static_cast<std::int64_t>(network.neighbours.size()));
    }
    return network;
}

GraphSetView set_of(const DrawnGraphs& drawn) {
    return {drawn.node_offset, drawn.edge_offset, drawn.labels, drawn.edges, drawn.edge_labels, {}, {}};
}

// Distances by the dullest of means, to compare ego-nets with.
std::set<int> within(const NetworkView& network, int centre, int hops) {
    std::set<int> found{centre};
    for (; hops > 0; --hops) {
        std::set<int> more = found;
        for (const int v : found)
            for (const std::int32_t w : network.around(v)) more.insert(w);
        found = more;
    }
    return found;
}

void cut_whole_ego_nets(int effort) {
    Random random(5);
    for (int i = 0; i < 20 * effort; ++i) {
        const OwnedNetwork owned = random_network(random, random.between(10, 60), random.between(3, 12));
        const NetworkView network = owned.view();
        const int hops = random.between(1, 4);
        const std::array<Share, 1> mix{{{hops, 1}}};
        const DrawnGraphs drawn =
            draw_ego_nets(network, mix, {1, 1000, 0, false}, kBoth, {1, static_cast<std::uint64_t>(i), 20}, {});
        CHECK(set_of(drawn).size() == 20);
        for (int g = 0; g < 20; ++g) {
            const GraphView graph = set_of(drawn).graph(g);
            const std::set<int> nodes = within(network, static_cast<int>(drawn.source[g]), hops);
            std::multiset<int> expected, labels(graph.labels.begin(), graph.labels.end());
            int edges = 0;
            for (const int v : nodes) {
                expected.insert(network.labels[v]);
                for (const std::int32_t w : network.around(v)) edges += w > v && nodes.count(w) > 0;
            }
            CHECK(labels == expected && graph.num_edges() == edges);
            CHECK(graph.labels[0] == network.labels[drawn.source[g]]);
        }
    }
}

bool connected(const GraphView& graph) {
    Adjacency adjacency;
    adjacency.build(graph);
    std::vector<int> stack{0};
    std::set<int> seen{0};
    while (!stack.empty()) {
        const int v = stack.back();
        stack.pop_back();
        for (const int w : adjacency.neighbours(v))
            if (seen.insert(w).second) stack.push_back(w);
    }
    return static_cast<int>(seen.size()) == graph.num_nodes();
}

void grow_connected_queries_that_targets_contain(int effort) {
    Random random(6);
    const std::array<Share, 2> hops{{{1, 1}, {2, 3}}}, depths{{{2, 1}, {4, 1}}};
    for (int i = 0; i < 5 * effort; ++i) {
        const OwnedNetwork owned = random_network(random, 60, 6);
        const auto stream = static_cast<std::uint64_t>(i);
        const DrawnGraphs targets = draw_ego_nets(owned.view(), hops, {5, 40, 0, false}, kBoth, {2, stream, 10}, {});
        const DrawnGraphs queries = grow_queries(set_of(targets), {depths, i % 2 == 0, 20}, {5, 12, 0, false}, kBoth,
                                                 {3, stream, 20}, {});
        Solver solver;
        for (int g = 0; g < 20; ++g) {
            const GraphView query = set_of(queries).graph(g);
            CHECK(query.num_nodes() >= 5 && query.num_nodes() <= 12 && connected(query));
            const Answer answer = solver.solve(query, set_of(targets).graph(queries.source[g]), {}, {});
            CHECK(answer.lower == 0 && answer.upper == 0);
        }
    }
}

void keep_strict_shapes_apart() {
    Random random(8);
    const OwnedNetwork owned = random_network(random, 200, 2);
    const std::array<Share, 1> hops{{{2, 1}}};
    ShapeReader reader;
    for (const bool strict : {false, true}) {
        const DrawnGraphs drawn = draw_ego_nets(owned.view(), hops, {5, 100, 4, strict}, kBoth, {0, 0, 50}, {});
        for (int g = 0; g < 50; ++g) {
            const GraphView graph = set_of(drawn).graph(g);
            CHECK((reader.certificate(graph, kBoth) % 4 == 0) == strict);
            CHECK(graph.num_nodes() >= 5 && graph.num_nodes() <= 100);
        }
    }
}

void carry_edge_labels() {
    // A path whose edges are labelled by position: any piece of it has consecutive labels.
    DrawnGraphs path;
    for (int v = 0; v < 9; ++v) path.labels.push_back(0);
    for (int v = 0; v + 1 < 9; ++v) {
        path.edges.insert(path.edges.end(), {v, v + 1});
        path.edge_labels.push_back(v);
    }
    path.node_offset.push_back(9);
    path.edge_offset.push_back(8);
    const std::array<Share, 1> depths{{{5, 1}}};
    const std::vector<std::uint64_t> keys(9, 1);
    const DrawnGraphs drawn =
        grow_queries(set_of(path), {depths, false, 20}, {3, 9, 0, false}, {keys, keys}, {0, 0, 50}, {});
    CHECK(drawn.edge_labels.size() == drawn.edges.size() / 2);
    for (int g = 0; g < 50; ++g) {
        const GraphView query = set_of(drawn).graph(g);
        std::set<int> labels(query.edge_labels.begin(), query.edge_labels.end());
        CHECK(static_cast<int>(labels.size()) == query.num_nodes() - 1);
        CHECK(*labels.rbegin() - *labels.begin() == query.num_nodes() - 2);
    }
}

void stop_when_there_is_nothing_to_find() {
    const OwnedNetwork pair{{0, 1, 2}, {1, 0}, {0, 0}};
    const std::array<Share, 1> mix{{{1, 1}}}, nothing{{{1, 0}}};
    CHECK_THROWS(draw_ego_nets(pair.view(), mix, {3, 9, 0, false}, kBoth, {0, 0, 1}, {}), NothingFound);
    CHECK_THROWS(draw_ego_nets({pair.starts, {}, {}}, mix, {1, 9, 0, false}, kBoth, {0, 0, 1}, {}),
                 std::invalid_argument);
    CHECK_THROWS(draw_ego_nets(pair.view(), nothing, {1, 9, 0, false}, kBoth, {0, 0, 1}, {}), std::invalid_argument);
    const OwnedNetwork empty{{0}, {}, {}}, astray{{0, 1, 1}, {7}, {0, 0}};
    CHECK_THROWS(draw_ego_nets(empty.view(), mix, {1, 9, 0, false}, kBoth, {0, 0, 1}, {}), NothingFound);
    CHECK_THROWS(draw_ego_nets(astray.view(), mix, {1, 9, 0, false}, kBoth, {0, 0, 1}, {}), std::invalid_argument);
    const OwnedNetwork path{{0, 1, 3, 4}, {1, 0, 2, 1}, {0, 0, 0}};  // no ball of 0 hops has 3 nodes
    const std::array<Share, 2> mostly{{{0, 2}, {2, 1}}};
    const DrawnGraphs rare = draw_ego_nets(path.view(), mostly, {3, 3, 0, false}, kBoth, {0, 0, 1}, {});
    CHECK(rare.labels.size() == 3);
    const DrawnGraphs target = draw_ego_nets(pair.view(), mix, {2, 2, 0, false}, kBoth, {0, 0, 1}, {});
    CHECK_THROWS(grow_queries(set_of(target), {mix, true, 20}, {3, 9, 0, false}, kBoth, {0, 0, 1}, {}), NothingFound);
    CHECK_THROWS(grow_queries(set_of({}), {mix, true, 20}, {1, 9, 0, false}, kBoth, {0, 0, 1}, {}), NothingFound);
    int asked = 0;  // an impatient caller gets what there is
    const DrawnGraphs some = draw_ego_nets(pair.view(), mix, {2, 2, 0, false}, kBoth, {0, 0, 100'000},
                                           [&] { return ++asked < 3; });
    CHECK(asked == 3 && some.source.size() < 100'000);
}

}  // namespace

void test_sampling(int effort) {
    match_published_numbers();
    keep_streams_apart();
    draw_evenly();
    order_every_number_once();
    give_isomorphic_graphs_one_shape(effort);
    tell_shapes_apart();
    cut_whole_ego_nets(effort);
    grow_connected_queries_that_targets_contain(effort);
    keep_strict_shapes_apart();
    carry_edge_labels();
    stop_when_there_is_nothing_to_find();
}

}  // namespace prune4sed::tests
