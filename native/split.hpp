// Ranges of graphs for several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include "threads.hpp"

namespace prune4sed {

// Calls work(part, first, last) for parts 0, 1, ..., in as many threads if there are so many: consecutive graphs with
// about as many rows in every part. Which graphs a part has depends on nothing but `starts` and the number of parts;
// one without any is left out.
template <class Work>
void split_graphs(std::span<const std::int64_t> starts, int parts, const Work& work) {
    const auto graphs = static_cast<std::int64_t>(starts.size()) - 1;
    const auto bound = [&](std::int64_t part) {
        const std::int64_t row = starts[0] + (starts[graphs] - starts[0]) * part / parts;
        return part == parts ? graphs : std::lower_bound(starts.begin(), starts.end() - 1, row) - starts.begin();
    };
    std::vector<std::exception_ptr> errors(parts);
    const auto run = [&](int part) {
        try {
            if (bound(part) < bound(part + 1)) work(part, bound(part), bound(part + 1));
        } catch (...) {
            errors[part] = std::current_exception();
        }
    };
    std::atomic<int> next = 0;
    const auto take_turns = [&] {
        for (int part; (part = next++) < parts;) run(part);
    };
    auto pool = start_threads(parts - 1, 0, take_turns);
    take_turns();
    for (auto& thread : pool) thread.join();
    for (const auto& error : errors)
        if (error) std::rethrow_exception(error);
}

}  // namespace prune4sed
