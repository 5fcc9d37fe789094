#include "batch.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>

#include "threads.hpp"

namespace prune4sed {
namespace {

constexpr auto kAttention = std::chrono::milliseconds(20);

std::span<const std::int32_t> piece(std::span<const std::int32_t> values, std::int64_t begin, std::int64_t end,
                                    int width) {
    if (begin < 0 || begin > end || end * width > static_cast<std::int64_t>(values.size()))
        throw std::invalid_argument("offsets " + std::to_string(begin) + " to " + std::to_string(end) +
                                    " lie outside the set's arrays");
    return values.subspan(begin * width, (end - begin) * width);
}

class Batch {
  public:
    Batch(const GraphSetView& queries, const GraphSetView& targets, std::span<const std::int64_t> pairs,
          const TickCosts& costs, const Limits& limits, const BatchOutput& output)
        : queries_(queries), targets_(targets), pairs_(pairs), costs_(costs), limits_(limits), output_(output) {
        limits_.stop_request = &stop_;
    }

    bool run(int threads, const Attend& attend) {
        const std::int64_t count = static_cast<std::int64_t>(pairs_.size() / 2);
        const auto workers = static_cast<int>(std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(1, count)));
        working_ = workers;
        auto pool = start_threads(workers, 1, [this, count] { work(count); });
        leave(workers - static_cast<int>(pool.size()));
        const bool completed = watch(attend);
        for (auto& thread : pool) thread.join();
        if (error_) std::rethrow_exception(error_);
        return completed && attend(finished_rows_);
    }

  private:
    bool watch(const Attend& attend) {
        std::vector<std::int64_t> rows;
        std::unique_lock lock(mutex_);
        while (!idle_.wait_for(lock, kAttention, [this] { return working_ == 0; })) {
            rows.clear();
            rows.swap(finished_rows_);
            lock.unlock();
            bool go_on = false;
            try {
                go_on = attend(rows);
            } catch (...) {
                fail(std::current_exception());
            }
            lock.lock();
            if (!go_on) {
                stop_ = true;
                return false;
            }
        }
        return true;
    }

    void work(std::int64_t count) {
        Solver solver;
        try {
            for (std::int64_t k; !stop_ && left() > 0 && (k = next_++) < count;) {
                solve(solver, k);
                const std::lock_guard lock(mutex_);
                finished_rows_.push_back(k);
            }
        } catch (...) {
            fail(std::current_exception());
        }
        leave(1);
    }

    void leave(int threads) {
        const std::lock_guard lock(mutex_);
        working_ -= threads;
        if (working_ == 0) idle_.notify_all();
    }

    void solve(Solver& solver, std::int64_t k) {
        Answer answer;
        Limits limits = limits_;
        limits.seconds = std::min(limits.seconds, left());
        try {
            answer = solver.solve(queries_.graph(pairs_[2 * k]), targets_.graph(pairs_[2 * k + 1]), costs_, limits);
        } catch (const std::invalid_argument& problem) {
            throw std::invalid_argument("pair " + std::to_string(k) + " (query " + std::to_string(pairs_[2 * k]) +
                                        ", target " + std::to_string(pairs_[2 * k + 1]) + "): " + problem.what());
        }
        output_.lower[k] = answer.lower;
        output_.upper[k] = answer.upper;
        output_.nodes[k] = answer.nodes;
        output_.seconds[k] = answer.seconds;
        std::int32_t* row = output_.mapping + k * output_.width;
        std::fill(std::copy(answer.mapping.begin(), answer.mapping.end(), row), row + output_.width, -1);
    }

    // Seconds until the time of the whole batch is up.
    double left() const {
        return limits_.batch_seconds - std::chrono::duration<double>(Clock::now() - start_).count();
    }

    void fail(std::exception_ptr error) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = error;
        stop_ = true;
    }

    using Clock = std::chrono::steady_clock;
    const Clock::time_point start_ = Clock::now();
    const GraphSetView &queries_, &targets_;
    std::span<const std::int64_t> pairs_;
    TickCosts costs_;
    Limits limits_;
    BatchOutput output_;
    std::atomic<bool> stop_{false};
    std::atomic<std::int64_t> next_{0};
    std::mutex mutex_;  // guards what follows
    std::condition_variable idle_;
    std::vector<std::int64_t> finished_rows_;
    int working_ = 0;
    std::exception_ptr error_;
};

}  // namespace

GraphView GraphSetView::graph(std::int64_t i) const {
    if (i < 0 || i >= size()) throw std::invalid_argument("there is no graph " + std::to_string(i));
    return {piece(labels, node_offset[i], node_offset[i + 1], 1), piece(edges, edge_offset[i], edge_offset[i + 1], 2),
            edge_labels.empty() ? edge_labels : piece(edge_labels, edge_offset[i], edge_offset[i + 1], 1), label_map,
            edge_label_map};
}

bool solve_batch(const GraphSetView& queries, const GraphSetView& targets, std::span<const std::int64_t> pairs,
                 const TickCosts& costs, const Limits& limits, int threads, const BatchOutput& output,
                 const Attend& attend) {
    return Batch(queries, targets, pairs, costs, limits, output).run(threads, attend);
}

}  // namespace prune4sed
