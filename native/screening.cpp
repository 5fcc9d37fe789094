#include "screening.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "threads.hpp"

namespace prune4sed {
namespace {

constexpr auto kAttention = std::chrono::milliseconds(20);
constexpr std::int64_t kStretch = 512;  // graphs that a thread takes at a time

// Hands out stretches of 0 .. count to threads; the calling thread only asks whether to go on.
template <class MakeWorker>
bool in_parallel(std::int64_t count, int threads, const GoOn& go_on, const MakeWorker& make_worker) {
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> stop{false};
    std::mutex mutex;
    std::condition_variable idle;
    std::exception_ptr error;
    const auto workers = static_cast<int>(std::clamp<std::int64_t>(threads, 1, count / kStretch + 1));
    int working = workers;
    const auto work = [&] {
        try {
            auto worker = make_worker();
            for (std::int64_t begin; !stop && (begin = next.fetch_add(kStretch)) < count;)
                for (std::int64_t i = begin; i < std::min(begin + kStretch, count); ++i) worker(i);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!error) error = std::current_exception();
            stop = true;
        }
        const std::lock_guard lock(mutex);
        if (--working == 0) idle.notify_all();
    };
    auto pool = start_threads(workers, 1, work);
    bool completed = true;
    {
        std::unique_lock lock(mutex);
        working -= workers - static_cast<int>(pool.size());
        while (!idle.wait_for(lock, kAttention, [&] { return working == 0; })) {
            lock.unlock();
            if (!go_on()) stop = true, completed = false;
            lock.lock();
        }
    }
    for (auto& thread : pool) thread.join();
    if (error) std::rethrow_exception(error);
    return completed;
}

std::uint64_t looked_up(std::span<const std::uint64_t> hashes, std::int32_t code, const char* what) {
    if (code < 0 || static_cast<std::size_t>(code) >= hashes.size())
        throw std::invalid_argument(std::string(what) + " code " + std::to_string(code) + " is not in the vocabulary");
    return hashes[code];
}

void load(HashedGraph& graph, const GraphView& view, std::span<const std::uint64_t> label_hashes,
          std::span<const std::uint64_t> edge_label_hashes) {
    graph.labels.resize(view.num_nodes());
    for (int v = 0; v < view.num_nodes(); ++v) graph.labels[v] = looked_up(label_hashes, view.labels[v], "node label");
    graph.edges.resize(view.num_edges());
    graph.edge_labels.assign(view.num_edges(), 1);
    for (int e = 0; e < view.num_edges(); ++e) {
        const int a = view.edges[2 * e], b = view.edges[2 * e + 1];
        if (a < 0 || b < 0 || a >= view.num_nodes() || b >= view.num_nodes() || a == b)
            throw std::invalid_argument("edge " + std::to_string(e) + " leaves its graph");
        graph.edges[e] = {a, b};
        if (!view.edge_labels.empty())
            graph.edge_labels[e] = looked_up(edge_label_hashes, view.edge_labels[e], "edge label");
    }
}

}  // namespace

bool fingerprint_all(const GraphSetView& graphs, std::span<const std::uint64_t> label_hashes,
                     std::span<const std::uint64_t> edge_label_hashes, int threads, std::uint64_t* out,
                     const GoOn& go_on) {
    return in_parallel(graphs.size(), threads, go_on, [&] {
        return [&, graph = HashedGraph{}, fingerprinter = Fingerprinter{}](std::int64_t i) mutable {
            try {
                load(graph, graphs.graph(i), label_hashes, edge_label_hashes);
            } catch (const std::invalid_argument& problem) {
                throw std::invalid_argument("graph " + std::to_string(i) + ": " + problem.what());
            }
            std::ranges::copy(fingerprinter.of(graph), out + i * kFingerprintWords);
        };
    });
}

bool bound_all(const EditBits& query, int most_edits, std::span<const std::uint64_t> fingerprints,
               std::span<const std::int64_t> positions, int threads, std::uint8_t* lower, std::uint16_t* missing,
               const GoOn& go_on) {
    const auto rows = static_cast<std::int64_t>(fingerprints.size() / kFingerprintWords);
    const bool some = positions.data() != nullptr;
    return in_parallel(some ? static_cast<std::int64_t>(positions.size()) : rows, threads, go_on, [&] {
        return [&, some](std::int64_t i) {
            const std::int64_t row = some ? positions[i] : i;
            if (row < 0 || row >= rows) throw std::invalid_argument("there is no target " + std::to_string(row));
            const auto bound = query.bound(fingerprints.data() + row * kFingerprintWords, most_edits);
            lower[i] = static_cast<std::uint8_t>(std::min(bound.lower, 255));
            missing[i] = static_cast<std::uint16_t>(bound.missing);
        };
    });
}

}  // namespace prune4sed
