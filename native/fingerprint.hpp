// What a graph contains, in a fixed number of bits: counts of its small pieces, hashed. If a is a subgraph of b then
// every bit of a is a bit of b, so one bit that b lacks proves that it does not contain a.
//
// Pieces: nodes, edges, paths of 2 to 5 edges, stars of three edges, rings of 3 to 6 nodes, each with its labels, with
// one label left open, and with none. A piece that occurs c times sets a bit for each step of 1, 2, 3, ... that c
// reaches. An embedding sends different pieces to different pieces with the same labels, so no count can shrink.
// Every kind has words of its own; where a graph has too many of a kind to count, those words are all ones.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace prune4sed {

inline constexpr int kFingerprintWords = 32;
// The first words hold at most one bit for each node and each edge: as many of those as a target lacks, so many edits.
inline constexpr int kCountedWords = 3;
using Fingerprint = std::array<std::uint64_t, kFingerprintWords>;

// The label of a node of which nothing is known; all others are hashes of labels, the same in every process.
inline constexpr std::uint64_t kAnyLabel = 0;

// A graph with hashes for labels; edges without labels all have the same one.
struct HashedGraph {
    std::vector<std::uint64_t> labels;
    std::vector<std::array<int, 2>> edges;
    std::vector<std::uint64_t> edge_labels;
};

// Keeps its memory from graph to graph; one per thread.
class Fingerprinter {
  public:
    const Fingerprint& of(const HashedGraph& graph);
    // How many pieces the last graph had, which is what its fingerprint cost.
    std::int64_t pieces() const;

  private:
    enum Kind { kNodes, kEdgeLabels, kEdges, kPaths2, kStars, kPaths3, kPaths4, kPaths5, kRings, kKinds };

    void load(const HashedGraph& graph);
    void count_nodes_and_edges();
    void count_stars();
    void count_paths();
    void extend(int node, int length);
    void add_piece(Kind kind, int nodes, bool closed);
    void add(Kind kind, std::uint64_t piece);
    std::uint64_t hash_path(int nodes, int open) const;
    std::uint64_t hash_ring(int nodes, int open) const;
    void set_bits(Kind kind);

    const HashedGraph* graph_ = nullptr;
    std::vector<int> offset_, neighbour_, edge_of_, cursor_;
    std::array<std::vector<std::uint64_t>, kKinds> pieces_;
    std::array<bool, kKinds> full_{};
    std::array<int, 8> path_{};
    std::array<std::uint64_t, 8> path_label_{}, path_edge_{};
    std::vector<char> on_path_;
    Fingerprint bits_{};
};

}  // namespace prune4sed
