#include "annealing.hpp"

#include <algorithm>

namespace prune4sed {
namespace {

constexpr double kHot = 0.7, kWarm = 0.5, kCold = 0.2;  // temperatures, in edge costs
constexpr int kShortest = 50, kLongest = 100'000;       // steps
constexpr double kStepsPerEntry = 0.15;                 // before the relaxation is built
constexpr std::int64_t kWorkPerStep = 6;                // a step costs about as much as this many star entries
// Annealing keeps pace with the proof: so much of the work at first, and of what comes later. Short runs find little in
// large targets, so what is due is saved up for runs that double in length.
constexpr double kEarlyShare = 0.25, kLateShare = 0.03;
constexpr std::int64_t kEarlyWork = 2'000'000;
constexpr std::int64_t kFirstDue = 1'500, kLongestDue = 20'000;

}  // namespace

void Annealing::begin(const std::vector<int>& mapping) {
    steps_ = runs_ = 0;
    next_ = kFirstDue;
    start_ = mapping;
    std::int64_t cost = instance_.map_cost(start_);
    local_search_.descend(start_, cost);
    incumbent_.offer(start_, cost);
}

bool Annealing::grow() {
    if (!local_search_.grow(grown_)) return false;
    std::int64_t cost = instance_.map_cost(grown_);
    local_search_.descend(grown_, cost);
    if (incumbent_.offer(grown_, cost)) start_ = grown_;
    return true;
}

void Annealing::first(std::size_t entries, std::int64_t target) {
    const int steps = std::clamp<int>(kStepsPerEntry * entries, kShortest, kLongest);
    local_search_.anneal(start_, steps, kHot, kCold, target);
}

// From the incumbent and from a mapping grown anew by turns: the one looks closer, the other elsewhere. From one and
// the same start annealing would end in the same few places.
void Annealing::run(std::int64_t steps, std::int64_t target) {
    const auto length = static_cast<int>(std::clamp<std::int64_t>(steps, kShortest, kLongest));
    if (runs_++ % 2 == 1 || !local_search_.grow(start_)) start_ = incumbent_.mapping;
    local_search_.anneal(start_, length, kWarm, kCold, target);
    steps_ += length;
}

void Annealing::run_long(std::int64_t target) { run(kLongest, target); }

bool Annealing::is_due(std::int64_t work) const {
    const auto all = static_cast<double>(work), early = std::min<double>(all, kEarlyWork);
    const auto due = static_cast<std::int64_t>(kEarlyShare * early + kLateShare * (all - early)) / kWorkPerStep;
    return steps_ + next_ <= due;
}

void Annealing::run_due(std::int64_t target) {
    run(next_, target);
    next_ = std::min(2 * next_, kLongestDue);
}

}  // namespace prune4sed
