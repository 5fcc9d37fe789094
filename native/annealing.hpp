// The search for better mappings beside the proof: when annealing is due, for how long, and from where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "instance.hpp"
#include "local_search.hpp"

namespace prune4sed {

class Annealing {
  public:
    Annealing(const Instance& instance, LocalSearch& local_search, Incumbent& incumbent)
        : instance_(instance), local_search_(local_search), incumbent_(incumbent) {}

    // A new pair, and the mapping to begin with, which is improved first.
    void begin(const std::vector<int>& mapping);
    // A mapping grown somewhere in the target; false: there is no growing in graphs of this size.
    bool grow();
    // The first run, worth a part of what a relaxation of so many entries will cost to build; runs stop early at `target`.
    void first(std::size_t entries, std::int64_t target);
    void run(std::int64_t steps, std::int64_t target);
    // As long a run as there is, for those that do nothing else.
    void run_long(std::int64_t target);
    // Whether a run is due after so much work on the proof; and that run.
    bool is_due(std::int64_t work) const;
    void run_due(std::int64_t target);

  private:
    const Instance& instance_;
    LocalSearch& local_search_;
    Incumbent& incumbent_;
    std::vector<int> start_, grown_;
    std::int64_t steps_ = 0, runs_ = 0;  // not counting the first
    std::int64_t next_ = 0;              // steps of the run that is due next
};

}  // namespace prune4sed
