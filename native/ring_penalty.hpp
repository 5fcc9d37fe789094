// Scarce rings as a penalty on keeping their edges.
//
// Of a group of scarce rings at most so many edges can be kept. Every one that is kept pays a penalty, and the penalty of
// the most that can be kept is granted to begin with: no mapping costs more than before, so a bound stays a bound. But a
// relaxation that keeps more than that now pays for it. Sets of rings are bit masks.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "instance.hpp"
#include "rings.hpp"

namespace prune4sed {

using RingSet = std::uint64_t;
static_assert(kMostRings <= 64);

template <class Cost>
class RingPenalty {
  public:
    // No rings at all, for a query of so many edges.
    void clear(int edges);
    // False: there are none, or their edges save too little to be divided.
    bool set(const Instance& instance, const std::vector<ScarceRings>& groups, Cost scale);

    RingSet all() const { return all_; }
    RingSet through(int edge) const { return through_[edge]; }
    // What is paid for keeping an edge, if these rings count.
    Cost of_edge(int edge, RingSet rings) const {
        Cost sum = 0;
        for (RingSet left = through_[edge] & rings; left != 0; left &= left - 1) sum += penalty_[std::countr_zero(left)];
        return sum;
    }
    Cost granted(RingSet rings) const;
    // Those of which there are more than the target has.
    RingSet scarce(RingSet rings) const;
    // Those of groups of which more is kept than can be. Edges are counted in halves, for a relaxation may keep an edge at
    // one end alone.
    RingSet overdone(RingSet rings, const std::vector<int>& kept_halves) const;

  private:
    struct Group {
        RingSet rings;
        int length, in_target;
        Cost penalty;
        int most_kept(RingSet of) const { return std::popcount(of) * (length - 1) + in_target; }
    };
    std::vector<Group> groups_;
    std::vector<RingSet> through_;  // query edge -> rings
    std::vector<Cost> penalty_;     // of a ring's edges, even
    RingSet all_ = 0;
};

}  // namespace prune4sed
