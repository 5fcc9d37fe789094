#include "ring_penalty.hpp"

#include <algorithm>

namespace prune4sed {
namespace {

// Per ring, of what the edge saves: half has proved best; together no more than most of it, so that keeping an edge
// always saves something.
constexpr std::int64_t kPart = 2, kMostOf = 10, kMost = 9;

// The least that any kept edge saves; 0 if none saves anything.
std::int64_t least_gain(const Instance& instance) {
    std::int64_t least = 0;
    for (int a = 0; a < instance.num_edge_classes(); ++a)
        for (int b = 0; b < instance.num_edge_classes() + 2; ++b)
            if (const std::int64_t gain = instance.class_gain(a, b); gain > 0 && (least == 0 || gain < least)) least = gain;
    return least;
}

}  // namespace

template <class Cost>
void RingPenalty<Cost>::clear(int edges) {
    groups_.clear();
    penalty_.clear();
    through_.assign(edges, 0);
    all_ = 0;
}

template <class Cost>
bool RingPenalty<Cost>::set(const Instance& instance, const std::vector<ScarceRings>& groups, Cost scale) {
    clear(instance.query().num_edges());
    int rings = 0;
    for (const ScarceRings& group : groups) {
        groups_.push_back({0, static_cast<int>(group.rings.front().size()), group.in_target, 0});
        for (const Ring& ring : group.rings) {
            const RingSet bit = RingSet{1} << rings++;
            groups_.back().rings |= bit;
            for (int e : ring) through_[e] |= bit;
        }
        all_ |= groups_.back().rings;
    }
    const std::int64_t gain = least_gain(instance) * static_cast<std::int64_t>(scale);
    for (Group& group : groups_) {
        int most = 1;  // rings through one edge
        for (RingSet through : through_)
            if ((through & group.rings) != 0) most = std::max(most, std::popcount(through));
        group.penalty = static_cast<Cost>(std::min(gain / kPart, gain * kMost / kMostOf / most) / 2 * 2);
        if (group.penalty == 0) {
            clear(instance.query().num_edges());
            return false;
        }
        penalty_.insert(penalty_.end(), std::popcount(group.rings), group.penalty);
    }
    return all_ != 0;
}

template <class Cost>
Cost RingPenalty<Cost>::granted(RingSet rings) const {
    Cost sum = 0;
    for (const Group& group : groups_)
        if (const RingSet mine = group.rings & rings; mine != 0) sum += group.penalty * static_cast<Cost>(group.most_kept(mine));
    return sum;
}

template <class Cost>
RingSet RingPenalty<Cost>::scarce(RingSet rings) const {
    for (const Group& group : groups_)
        if (std::popcount(group.rings & rings) <= group.in_target) rings &= ~group.rings;
    return rings;
}

template <class Cost>
RingSet RingPenalty<Cost>::overdone(RingSet rings, const std::vector<int>& kept_halves) const {
    RingSet found = 0;
    for (const Group& group : groups_) {
        const RingSet mine = group.rings & rings;
        int halves = 0;
        for (std::size_t e = 0; e < through_.size(); ++e) halves += kept_halves[e] * std::popcount(through_[e] & mine);
        if (mine != 0 && halves > 2 * group.most_kept(mine)) found |= mine;
    }
    return found;
}

template class RingPenalty<std::int32_t>;
template class RingPenalty<std::int64_t>;

}  // namespace prune4sed
