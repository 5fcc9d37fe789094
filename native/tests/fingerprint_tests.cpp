// Fingerprints grow with graphs, do not depend on numbering, and bound the distance from below.
#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "edit_bits.hpp"
#include "oracle.hpp"
#include "random_graphs.hpp"
#include "suites.hpp"

namespace prune4sed::tests {
namespace {

HashedGraph hashed(const Owned& graph) {
    HashedGraph made;
    for (const auto label : graph.labels) made.labels.push_back(1000 + 77 * label);
    for (std::size_t e = 0; e + 1 < graph.edges.size(); e += 2) {
        made.edges.push_back({graph.edges[e], graph.edges[e + 1]});
        made.edge_labels.push_back(graph.edge_labels.empty() ? 1 : 5 + graph.edge_labels[e / 2]);
    }
    return made;
}

bool contains(const Fingerprint& large, const Fingerprint& small) {
    for (int w = 0; w < kFingerprintWords; ++w)
        if (small[w] & ~large[w]) return false;
    return true;
}

void test_renumbering_and_growth(Random& random) {
    Fingerprinter fingerprinter;
    const HashedGraph graph = hashed(random_graph(random, {random.between(1, 25), random.between(1, 3), 2, random.between(5, 60)}));
    const Fingerprint before = fingerprinter.of(graph);

    std::vector<int> order(graph.labels.size());
    std::iota(order.begin(), order.end(), 0);
    for (int i = static_cast<int>(order.size()) - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
    HashedGraph other = graph;
    for (std::size_t v = 0; v < order.size(); ++v) other.labels[order[v]] = graph.labels[v];
    for (auto& [a, b] : other.edges) a = order[a], b = order[b];
    CHECK(fingerprinter.of(other) == before);

    HashedGraph smaller = graph;
    if (!smaller.edges.empty()) {
        smaller.edges.pop_back();
        smaller.edge_labels.pop_back();
    }
    smaller.labels[random.below(static_cast<int>(smaller.labels.size()))] = kAnyLabel;
    CHECK(contains(before, fingerprinter.of(smaller)));
}

void test_bound(Random& random) {
    const auto [query, target] = random_pair(random, 5, 6);
    EditBits bits(hashed(query));
    Fingerprinter fingerprinter;
    const Fingerprint target_bits = fingerprinter.of(hashed(target));
    const auto distance = brute_force(query, target, {});
    int last = 0;
    for (int edits = 0; edits <= 4; ++edits) {
        bits.prepare(edits);
        const int lower = bits.bound(target_bits.data(), edits).lower;
        CHECK(lower <= distance);
        CHECK(lower >= last);
        last = lower;
    }
}

}  // namespace

void test_fingerprints(int effort) {
    Random random(23);
    for (int round = 0; round < 300 * effort; ++round) {
        test_renumbering_and_growth(random);
        test_bound(random);
    }
}

}  // namespace prune4sed::tests
