#include "assignment.hpp"

#include <algorithm>
#include <cstdint>

#include "hot.hpp"

namespace prune4sed {
namespace {

constexpr int kLanes = 16;

template <class Cost>
struct Nearest {
    Cost any, free;  // least distance over all columns, and over unoccupied ones (plus nothing)
};

// distance[j] = cost[j] - dual[j]; least over all and over free columns.
template <class Cost>
[[gnu::always_inline]] inline Nearest<Cost> first_scan_body(int width, const Cost* __restrict cost, const Cost* __restrict dual,
                                     const Cost* __restrict penalty, Cost* __restrict distance, Cost worst) {
    Cost any = worst, free = worst;
    for (int j = 0; j < width; ++j) {
        const Cost d = cost[j] - dual[j];
        distance[j] = d;
        any = std::min(any, d);
        free = std::min<Cost>(free, d + penalty[j]);
    }
    return {any, free};
}

// One Dijkstra relaxation over a row; blocked columns are pushed out of reach.
template <class Cost>
[[gnu::always_inline]] inline Nearest<Cost> relax_body(int width, const Cost* __restrict cost, const Cost* __restrict dual,
                                const Cost* __restrict penalty, const Cost* __restrict blocked, Cost add, int row,
                                Cost* __restrict distance, int* __restrict previous, Cost worst) {
    Cost any = worst, free = worst;
    for (int j = 0; j < width; ++j) {
        const Cost d = cost[j] - dual[j] + add + blocked[j];
        const bool nearer = d < distance[j];
        distance[j] = nearer ? d : distance[j];
        previous[j] = nearer ? row : previous[j];
        any = std::min(any, distance[j]);
        free = std::min<Cost>(free, distance[j] + penalty[j]);
    }
    return {any, free};
}

PRUNE4SED_HOT Nearest<std::int32_t> first_scan(int width, const std::int32_t* cost, const std::int32_t* dual,
                                               const std::int32_t* penalty, std::int32_t* distance,
                                               std::int32_t worst) {
    return first_scan_body(width, cost, dual, penalty, distance, worst);
}
PRUNE4SED_HOT Nearest<std::int64_t> first_scan(int width, const std::int64_t* cost, const std::int64_t* dual,
                                               const std::int64_t* penalty, std::int64_t* distance,
                                               std::int64_t worst) {
    return first_scan_body(width, cost, dual, penalty, distance, worst);
}
PRUNE4SED_HOT Nearest<std::int32_t> relax(int width, const std::int32_t* cost, const std::int32_t* dual,
                                          const std::int32_t* penalty, const std::int32_t* blocked, std::int32_t add,
                                          int row, std::int32_t* distance, int* previous, std::int32_t worst) {
    return relax_body(width, cost, dual, penalty, blocked, add, row, distance, previous, worst);
}
PRUNE4SED_HOT Nearest<std::int64_t> relax(int width, const std::int64_t* cost, const std::int64_t* dual,
                                          const std::int64_t* penalty, const std::int64_t* blocked, std::int64_t add,
                                          int row, std::int64_t* distance, int* previous, std::int64_t worst) {
    return relax_body(width, cost, dual, penalty, blocked, add, row, distance, previous, worst);
}

// Where distance[j] + penalty[j] == wanted; the value is known to occur.
template <class Cost>
int position(const Cost* distance, const Cost* penalty, Cost wanted) {
    int j = 0;
    while (distance[j] + penalty[j] != wanted) ++j;
    return j;
}
template <class Cost>
int position(const Cost* distance, Cost wanted) {
    int j = 0;
    while (distance[j] != wanted) ++j;
    return j;
}

}  // namespace

template <class Cost>
void Assignment<Cost>::reset_columns(int num_columns) {
    if (static_cast<int>(stamp_of_.size()) >= num_columns) return;
    stamp_of_.resize(num_columns, 0);
    compact_of_.resize(num_columns, 0);
    column_dual_.resize(num_columns, 0);
}

template <class Cost>
bool Assignment<Cost>::compact(const std::vector<int>& offset, const std::vector<int>& column,
                               const std::vector<Cost>& cost, const std::vector<char>& alive) {
    rows_ = static_cast<int>(offset.size()) - 1;
    ++stamp_;
    used_.clear();
    for (int i = 0; i < offset[rows_]; ++i) {
        if (!alive[i] || stamp_of_[column[i]] == stamp_) continue;
        stamp_of_[column[i]] = stamp_;
        compact_of_[column[i]] = static_cast<int>(used_.size());
        used_.push_back(column[i]);
    }
    if (static_cast<int>(used_.size()) < rows_) return false;
    width_ = (static_cast<int>(used_.size()) + kLanes - 1) / kLanes * kLanes;
    const std::size_t cells = static_cast<std::size_t>(rows_) * width_;
    if (matrix_.size() < cells) matrix_.resize(cells);
    std::fill_n(matrix_.begin(), cells, kForbidden);
    for (int r = 0; r < rows_; ++r) {
        Cost* line = matrix_.data() + static_cast<std::size_t>(r) * width_;
        for (int i = offset[r]; i < offset[r + 1]; ++i)
            if (alive[i]) line[compact_of_[column[i]]] = cost[i];
    }
    return true;
}

template <class Cost>
auto Assignment<Cost>::solve(const std::vector<int>& offset, const std::vector<int>& column,
                             const std::vector<Cost>& cost, const std::vector<char>& alive, StopWatch* watch)
    -> Status {
    if (!compact(offset, column, cost, alive)) return Status::Infeasible;
    dual_.assign(width_, 0);
    occupied_penalty_.assign(width_, 0);
    blocked_.assign(width_, 0);
    row_of_.assign(width_, -1);
    distance_.resize(width_);
    previous_row_.resize(width_);
    match_of_row_.assign(rows_, -1);
    row_dual_.resize(rows_);
    for (int r = 0; r < rows_; ++r) {
        if (!augment(r)) return Status::Infeasible;
        if (watch && watch->overdue()) return Status::Stopped;
    }
    publish();
    return Status::Solved;
}

template <class Cost>
bool Assignment<Cost>::augment(int row) {
    constexpr Cost far = kForbidden / 2, worst = std::numeric_limits<Cost>::max();
    const Cost* line = matrix_.data() + static_cast<std::size_t>(row) * width_;
    Nearest<Cost> near = first_scan(width_, line, dual_.data(), occupied_penalty_.data(), distance_.data(), worst);
    if (near.any >= far) return false;
    row_dual_[row] = near.any;
    if (near.free == near.any) {
        const int j = position(distance_.data(), occupied_penalty_.data(), near.free);
        occupied_penalty_[j] = 1;
        row_of_[j] = row;
        match_of_row_[row] = j;
        return true;
    }
    // Distances so far are from `row` and relative to its dual.
    for (int j = 0; j < width_; ++j) {
        distance_[j] -= near.any;
        previous_row_[j] = row;
    }
    near = {0, worst};
    done_.clear();
    done_distance_.clear();
    int end = position(distance_.data(), Cost{0});
    Cost reach = 0;
    while (true) {
        if (row_of_[end] < 0) break;
        done_.push_back(end);
        done_distance_.push_back(reach);
        blocked_[end] = kForbidden;
        distance_[end] = kForbidden;
        const int next = row_of_[end];
        near = relax(width_, matrix_.data() + static_cast<std::size_t>(next) * width_, dual_.data(),
                     occupied_penalty_.data(), blocked_.data(), reach - row_dual_[next], next, distance_.data(),
                     previous_row_.data(), worst);
        reach = near.any;
        if (reach >= far) break;
        end = near.free == near.any ? position(distance_.data(), occupied_penalty_.data(), near.free)
                                    : position(distance_.data(), near.any);
    }
    for (int j : done_) blocked_[j] = 0;
    if (reach >= far) return false;
    row_dual_[row] += reach;
    for (std::size_t i = 0; i < done_.size(); ++i) {
        const Cost rise = reach - done_distance_[i];
        row_dual_[row_of_[done_[i]]] += rise;
        dual_[done_[i]] -= rise;
    }
    occupied_penalty_[end] = 1;
    for (int j = end;;) {
        const int r = previous_row_[j];
        const int old = match_of_row_[r];
        row_of_[j] = r;
        match_of_row_[r] = j;
        if (r == row) return true;
        j = old;
    }
}

template <class Cost>
void Assignment<Cost>::publish() {
    value_ = 0;
    for (std::size_t j = 0; j < used_.size(); ++j) {
        column_dual_[used_[j]] = dual_[j];
        value_ += dual_[j];
    }
    for (int r = 0; r < rows_; ++r) value_ += row_dual_[r];
}

template class Assignment<std::int32_t>;
template class Assignment<std::int64_t>;

}  // namespace prune4sed
