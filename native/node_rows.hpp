// Borrowed rows of nodes of many graphs, side by side.
#pragma once

#include <cstdint>
#include <span>

namespace prune4sed {

// Graph i owns rows [starts[i], starts[i + 1]), and row r of it has the neighbours
// starts[i] + neighbours[first[r]] up to starts[i] + neighbours[last[r] - 1].
struct NodeRows {
    std::span<const std::int64_t> starts, first, last, neighbours, labels;

    std::int64_t size() const { return static_cast<std::int64_t>(starts.size()) - 1; }

    // Some of the graphs, with the same rows.
    NodeRows graphs(std::int64_t begin, std::int64_t end) const {
        return {starts.subspan(begin, end - begin + 1), first, last, neighbours, labels};
    }
};

}  // namespace prune4sed
