#include "fingerprint.hpp"

#include <algorithm>

namespace prune4sed {
namespace {

struct Words {
    int first, count;
};

constexpr int kLongestPath = 5;              // edges; a ring has at most one node more than edges here
constexpr int kMostNodesWithOneOpen = 4;     // larger pieces with one open label would fill the words
constexpr std::size_t kMostPieces = 20'000;          // of one kind; beyond, the kind tells nothing
constexpr int kAllOpen = -2, kNoneOpen = -1;
constexpr std::uint64_t kOddFactor = 0x9E3779B97F4A7C15ULL;

std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93ULL;
    return x ^ (x >> 32);
}

std::uint64_t chain(std::uint64_t hash, std::uint64_t next) { return mix(hash * kOddFactor + next + 1); }

}  // namespace

const Fingerprint& Fingerprinter::of(const HashedGraph& graph) {
    load(graph);
    count_nodes_and_edges();
    count_stars();
    count_paths();
    bits_.fill(0);
    for (int kind = 0; kind < kKinds; ++kind) set_bits(static_cast<Kind>(kind));
    return bits_;
}

std::int64_t Fingerprinter::pieces() const {
    std::int64_t total = 1;
    for (const auto& pieces : pieces_) total += static_cast<std::int64_t>(pieces.size());
    return total;
}

void Fingerprinter::load(const HashedGraph& graph) {
    graph_ = &graph;
    const int n = static_cast<int>(graph.labels.size()), m = static_cast<int>(graph.edges.size());
    for (auto& pieces : pieces_) pieces.clear();
    full_.fill(false);
    on_path_.assign(n, 0);
    offset_.assign(n + 1, 0);
    for (const auto& [a, b] : graph.edges) ++offset_[a + 1], ++offset_[b + 1];
    for (int v = 0; v < n; ++v) offset_[v + 1] += offset_[v];
    cursor_.assign(offset_.begin(), offset_.end() - 1);
    neighbour_.resize(2 * m);
    edge_of_.resize(2 * m);
    for (int e = 0; e < m; ++e) {
        const auto [a, b] = graph.edges[e];
        neighbour_[cursor_[a]] = b;
        edge_of_[cursor_[a]++] = e;
        neighbour_[cursor_[b]] = a;
        edge_of_[cursor_[b]++] = e;
    }
}

void Fingerprinter::add(Kind kind, std::uint64_t piece) {
    if (pieces_[kind].size() < kMostPieces)
        pieces_[kind].push_back(piece);
    else
        full_[kind] = true;
}

void Fingerprinter::count_nodes_and_edges() {
    for (const std::uint64_t label : graph_->labels)
        if (label != kAnyLabel) add(kNodes, mix(label));
    for (const std::uint64_t label : graph_->edge_labels) add(kEdgeLabels, mix(label));
}

// A centre and three of its neighbours, in any order: their hashes are added up.
void Fingerprinter::count_stars() {
    const auto& labels = graph_->labels;
    for (int v = 0; v < static_cast<int>(labels.size()); ++v) {
        const int first = offset_[v], last = offset_[v + 1];
        if (last - first > 64) full_[kStars] = true;
        if (full_[kStars]) return;
        for (int i = first; i < last; ++i)
            for (int j = i + 1; j < last; ++j)
                for (int k = j + 1; k < last; ++k) {
                    std::array<std::uint64_t, 4> label{labels[v], labels[neighbour_[i]], labels[neighbour_[j]],
                                                       labels[neighbour_[k]]};
                    const std::array<std::uint64_t, 4> bond{0, graph_->edge_labels[edge_of_[i]],
                                                            graph_->edge_labels[edge_of_[j]],
                                                            graph_->edge_labels[edge_of_[k]]};
                    const auto hash = [&](int open) {
                        const auto known = [&](int at) { return open == at || open == kAllOpen ? kAnyLabel : label[at]; };
                        std::uint64_t sum = 0;
                        for (int at = 1; at < 4; ++at) sum += chain(bond[at], known(at));
                        return chain(chain(4, known(0)), sum);
                    };
                    const auto unknown = std::count(label.begin(), label.end(), kAnyLabel);
                    add(kStars, hash(kAllOpen));
                    if (unknown == 0) add(kStars, hash(kNoneOpen));
                    for (int open = 0; open < 4; ++open)
                        if (unknown == (label[open] == kAnyLabel)) add(kStars, hash(open));
                }
    }
}

void Fingerprinter::count_paths() {
    for (int v = 0; v < static_cast<int>(graph_->labels.size()); ++v) {
        path_[0] = v;
        path_label_[0] = graph_->labels[v];
        on_path_[v] = 1;
        extend(v, 0);
        on_path_[v] = 0;
    }
}

void Fingerprinter::extend(int node, int length) {
    static constexpr Kind kPathKind[] = {kNodes, kEdges, kPaths2, kPaths3, kPaths4, kPaths5};
    for (int i = offset_[node]; i < offset_[node + 1]; ++i) {
        const int next = neighbour_[i];
        path_edge_[length] = graph_->edge_labels[edge_of_[i]];
        // A ring is met from each of its nodes both ways round; counted from its smallest, towards the smaller side.
        if (next == path_[0] && length >= 2 && path_[1] < node &&
            *std::min_element(path_.begin(), path_.begin() + length + 1) == next)
            add_piece(kRings, length + 1, true);
        if (on_path_[next] || length == kLongestPath) continue;
        path_[length + 1] = next;
        path_label_[length + 1] = graph_->labels[next];
        const Kind kind = kPathKind[length + 1];
        if (path_[0] < next) add_piece(kind, length + 2, false);
        // No shorter paths are counted any more, so what they lead to is not either.
        if (full_[kind]) {
            for (int more = length + 2; more <= kLongestPath; ++more) full_[kPathKind[more]] = true;
            full_[kRings] = true;
            if (kind != kEdges) return;
            continue;
        }
        on_path_[next] = 1;
        extend(next, length + 1);
        on_path_[next] = 0;
    }
}

void Fingerprinter::add_piece(Kind kind, int nodes, bool closed) {
    const auto hash = [&](int open) { return closed ? hash_ring(nodes, open) : hash_path(nodes, open); };
    const auto unknown = std::count(path_label_.begin(), path_label_.begin() + nodes, kAnyLabel);
    add(kind, hash(kAllOpen));
    if (unknown == 0) add(kind, hash(kNoneOpen));
    if (unknown > 1 || nodes > kMostNodesWithOneOpen) return;
    for (int open = 0; open < nodes; ++open)
        if (unknown == (path_label_[open] == kAnyLabel)) add(kind, hash(open));
}

std::uint64_t Fingerprinter::hash_path(int nodes, int open) const {
    const auto label = [&](int at) { return open == at || open == kAllOpen ? kAnyLabel : path_label_[at]; };
    std::uint64_t forward = chain(nodes, label(0)), backward = chain(nodes, label(nodes - 1));
    for (int i = 1; i < nodes; ++i) {
        forward = chain(forward + path_edge_[i - 1], label(i));
        backward = chain(backward + path_edge_[nodes - 1 - i], label(nodes - 1 - i));
    }
    return std::min(forward, backward);
}

// The same from wherever one starts and whichever way one goes: each node counts with what is next to it.
std::uint64_t Fingerprinter::hash_ring(int nodes, int open) const {
    const auto label = [&](int at) { return open == at || open == kAllOpen ? kAnyLabel : path_label_[at]; };
    std::uint64_t sum = 0;
    for (int i = 0; i < nodes; ++i) {
        const int before = (i + nodes - 1) % nodes, after = (i + 1) % nodes;
        const std::uint64_t sides = chain(path_edge_[before], label(before)) + chain(path_edge_[i], label(after));
        sum += chain(label(i), sides);
    }
    return chain(nodes, sum);
}

void Fingerprinter::set_bits(Kind kind) {
    static constexpr Words kWords[kKinds] = {{0, 2}, {2, 1}, {3, 2}, {5, 4}, {9, 4}, {13, 5}, {18, 6}, {24, 5}, {29, 3}};
    const auto [first, count] = kWords[kind];
    if (full_[kind]) {
        std::fill_n(bits_.begin() + first, count, ~std::uint64_t{0});
        return;
    }
    auto& pieces = pieces_[kind];
    std::sort(pieces.begin(), pieces.end());
    for (std::size_t begin = 0, end = 0; begin < pieces.size(); begin = end) {
        while (end < pieces.size() && pieces[end] == pieces[begin]) ++end;
        // Every number up to 8, then every fourth of a doubling.
        for (std::size_t reached = 1; reached <= end - begin; reached += reached < 8 ? 1 : reached / 4) {
            const std::uint64_t bit = mix(pieces[begin] + reached * kOddFactor) % (64 * static_cast<std::uint64_t>(count));
            bits_[first + bit / 64] |= std::uint64_t{1} << (bit % 64);
        }
    }
}

}  // namespace prune4sed
