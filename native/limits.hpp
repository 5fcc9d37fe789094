// When to stop: wall-clock deadline, number of search nodes, or somebody else's request.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace prune4sed {

struct Limits {
    double seconds = std::numeric_limits<double>::infinity();
    std::int64_t nodes = std::numeric_limits<std::int64_t>::max();
    std::int64_t threshold = std::numeric_limits<std::int64_t>::max();  // in cost ticks
    std::int64_t symmetry_after = 60'000;  // star entries worked through before symmetries are looked for
    std::int64_t rings_after = 8;          // times the star entries of the root, before rings are looked at
    std::int64_t steps_after = 8;          // times the star entries of the root, before primal-dual steps are taken
    std::int64_t more_steps_after = 400'000;  // star entries, before many are taken at the root
    double batch_seconds = std::numeric_limits<double>::infinity();  // for all pairs of a batch together
    const std::atomic<bool>* stop_request = nullptr;
    bool (*poll)(void*) = nullptr;  // asked now and then; true means stop
    void* poll_context = nullptr;
};

// Answers one question cheaply and often: must we stop now? Once yes, always yes.
class StopWatch {
  public:
    explicit StopWatch(const Limits& limits)
        : limits_(limits), start_(Clock::now()), next_poll_(kPollInterval) {}

    double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    double limit() const { return limits_.seconds; }
    bool stopped() const { return stopped_; }

    // For the first cheap bounds, which are worth having even when the time is up: true a little after the deadline.
    bool overdue() { return check() && (requested_ || elapsed() >= limits_.seconds + kGrace); }

    bool check() {
        if (stopped_) return true;
        if (limits_.stop_request && limits_.stop_request->load(std::memory_order_relaxed))
            return stopped_ = requested_ = true;
        const double now = elapsed();
        if (now >= limits_.seconds) return stopped_ = true;
        if (limits_.poll && now >= next_poll_) {
            next_poll_ = now + kPollInterval;
            if (limits_.poll(limits_.poll_context)) stopped_ = requested_ = true;
        }
        return stopped_;
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr double kPollInterval = 0.05, kGrace = 0.005;
    const Limits& limits_;
    Clock::time_point start_;
    double next_poll_;
    bool stopped_ = false, requested_ = false;
};

}  // namespace prune4sed
