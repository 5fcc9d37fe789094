// Threads, as many as there are to be had.
#pragma once

#include <system_error>
#include <thread>
#include <vector>

namespace prune4sed {

// So many threads that do the work; fewer where the system gives no more, but an error below the least number.
template <class Work>
std::vector<std::thread> start_threads(int wanted, int least, const Work& work) {
    std::vector<std::thread> pool;
    pool.reserve(wanted);
    try {
        while (static_cast<int>(pool.size()) < wanted) pool.emplace_back(work);
    } catch (const std::system_error&) {
        if (static_cast<int>(pool.size()) < least) {
            for (auto& thread : pool) thread.join();
            throw;
        }
    }
    return pool;
}

}  // namespace prune4sed
