// Lower bounds on the distance of one query to many targets, from fingerprints alone.
//
// Let d edits turn the query into a subgraph of the target. Undo the question: open the label of every node that is
// relabelled or deleted, and drop every edge that is deleted or relabelled. What is left is contained in the target
// (but for nodes that are open and bare, which have no bits), and so is every bit of it. Hence if no set of at most r
// openings and drops leaves bits that are all in the target, then the distance is more than r.
// A deleted node costs as much as the node opened and each of its edges dropped, so deletions need nothing more.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fingerprint.hpp"

namespace prune4sed {

class EditBits {
  public:
    explicit EditBits(const HashedGraph& query);

    // Makes ready for all sets of so many edits; false where there are too many of them for it to pay.
    bool prepare(int edits);

    struct Bound {
        int lower;    // proven
        int missing;  // bits of the query that the target lacks: the fewer the better, but proof of nothing
    };
    // Tries sets of up to `most_edits` edits, as far as prepared.
    Bound bound(const std::uint64_t* target, int most_edits) const;

  private:
    // For each bit of the query, the sets of one size after which it is still there, as bits themselves.
    struct Level {
        int words;
        std::vector<std::uint64_t> needed;
    };

    void add_level(const std::vector<Fingerprint>& left);

    HashedGraph graph_;
    Fingerprinter fingerprinter_;
    Fingerprint query_{};
    std::int64_t pieces_ = 0;  // of the query
    std::vector<std::uint16_t> row_of_bit_;  // where a bit of the query stands among all of them
    std::vector<Level> levels_;              // one edit, two edits, ...
};

}  // namespace prune4sed
