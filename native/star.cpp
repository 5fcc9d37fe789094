#include "star.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace prune4sed {

template <class Cost>
Cost StarMatching<Cost>::solve(const Cost* weight, int rows, int columns, Cost* row_price, Cost* column_price) {
    if (columns == 0) {
        std::fill_n(row_price, rows, Cost{0});
        return 0;
    }
    if (rows == 1) {
        std::fill_n(column_price, columns, Cost{0});
        return row_price[0] = *std::max_element(weight, weight + columns);
    }
    if (columns == 1) {
        std::fill_n(row_price, rows, Cost{0});
        return column_price[0] = *std::max_element(weight, weight + rows);
    }
    if (rows == 2) return two_rows(weight, weight + columns, columns, -1, row_price, column_price);
    return many_rows(weight, rows, columns, row_price, column_price);
}

template <class Cost>
void StarMatching<Cost>::solve_all(std::span<const Job> jobs, Cost largest) {
    for (const Job& job : jobs)
        if (job.row_of != nullptr && (job.skip >= 0 || job.drop >= 0))
            throw std::logic_error("solve_all: a matching is known of whole stars alone");
    if constexpr (std::is_same_v<Cost, std::int32_t>) {
        sort_by_size(jobs);
        if (largest <= kNarrowLaneWeight) solve_groups(narrow_lanes_);
        else solve_groups(lanes_);
    } else {
        for (const Job& job : jobs) solve_one(job);
    }
}

// By rows, and by columns where those are equal, so that few lanes carry empty lines: counting twice is the quickest way
// to sort so small numbers, and once will do where all have the same rows. What does not go to lanes is solved at once.
template <class Cost>
void StarMatching<Cost>::sort_by_size(std::span<const Job> jobs) {
    int by_columns[kLaneColumns + 2] = {}, by_rows[kLaneRows + 2] = {};
    for (const Job& job : jobs)
        if (goes_to_lanes(job)) {
            ++by_columns[job.columns + 1];
            ++by_rows[job.rows + 1];
        }
    for (int c = 1; c <= kLaneColumns + 1; ++c) by_columns[c] += by_columns[c - 1];
    for (int r = 1; r <= kLaneRows + 1; ++r) by_rows[r] += by_rows[r - 1];
    by_columns_.resize(by_columns[kLaneColumns + 1]);
    for (const Job& job : jobs) {
        if (goes_to_lanes(job)) by_columns_[by_columns[job.columns]++] = &job;
        else solve_one(job);
    }
    if (by_columns_.empty() || by_rows[by_columns_[0]->rows + 1] - by_rows[by_columns_[0]->rows] == std::ssize(by_columns_)) {
        waiting_.swap(by_columns_);
        return;
    }
    waiting_.resize(by_columns_.size());
    for (const Job* job : by_columns_) waiting_[by_rows[job->rows]++] = job;
}

template <class Cost>
template <class Int>
void StarMatching<Cost>::solve_groups(StarLanes<Int>& lanes) {
    const int count = static_cast<int>(waiting_.size());
    for (int k = 0; k < count; k += kStarLanes<Int>)
        solve_group(lanes, waiting_.data() + k, std::min(kStarLanes<Int>, count - k));
}

template <class Cost>
template <class Int>
void StarMatching<Cost>::solve_group(StarLanes<Int>& lanes, const Job* const* jobs, int count) {
    constexpr int width = kStarLanes<Int>;
    const int rows = jobs[count - 1]->rows;
    int widest = 0;
    for (int k = 0; k < count; ++k) widest = std::max(widest, jobs[k]->columns);
    const int columns = lane_columns(widest);
    std::fill_n(lanes.weight, rows * columns * width, Int{0});
    for (int k = 0; k < count; ++k) {
        const Job& job = *jobs[k];
        Int* to = lanes.weight + k;
        for (int i = 0; i < job.rows; ++i, to += columns * width) {
            const Cost* line = job.weight + (job.skip >= 0 && i >= job.skip ? i + 1 : i) * job.columns;
            for (int j = 0; j < job.columns; ++j) to[j * width] = static_cast<Int>(line[j]);
            if (job.drop >= 0) to[job.drop * width] = 0;
        }
    }
    solve_star_lanes(lanes, rows, columns);
    for (int k = 0; k < count; ++k) {
        const Job& job = *jobs[k];
        Cost value = 0;
        for (int i = 0; i < job.rows; ++i) value += job.row_price[i] = lanes.row_price[i * width + k];
        for (int j = 0; j < job.columns; ++j) value += job.column_price[j] = lanes.column_price[j * width + k];
        *job.value = value;
        if (job.row_of == nullptr) continue;
        for (int j = 0; j < job.columns; ++j) job.row_of[j] = lanes.row_of[j * width + k];
    }
}

template <class Cost>
void StarMatching<Cost>::solve_tiny(const Job& job) const {
    const Cost* first = job.weight + (job.skip == 0 ? job.columns : 0);
    const Cost* second = first + (job.skip == 1 ? 2 : 1) * job.columns;
    *job.value = two_rows(first, second, job.columns, job.drop, job.row_price, job.column_price);
}

template <class Cost>
void StarMatching<Cost>::solve_one(const Job& job) {
    if (is_tiny(job)) return solve_tiny(job);
    const int columns = job.columns - (job.drop >= 0);
    const Cost* weight = job.weight;
    if (job.rows == 0 || columns == 0) {
        std::fill_n(job.row_price, job.rows, Cost{0});
        if (job.row_of != nullptr) std::fill_n(job.row_of, columns, -1);
        *job.value = 0;
        return;
    }
    if (job.row_of != nullptr) {
        if (job.rows == 1 || columns == 1) return match_line(job);
        *job.value = many_rows(weight, job.rows, columns, job.row_price, job.column_price);
        std::copy_n(row_of_.begin(), columns, job.row_of);
        return;
    }
    if (job.drop >= 0 || (job.skip >= 0 && job.skip < job.rows)) {
        reduced_.clear();
        for (int i = 0; i < job.rows; ++i) {
            const Cost* line = weight + (job.skip >= 0 && i >= job.skip ? i + 1 : i) * job.columns;
            for (int j = 0; j < job.columns; ++j)
                if (j != job.drop) reduced_.push_back(line[j]);
        }
        weight = reduced_.data();
    }
    *job.value = solve(weight, job.rows, columns, job.row_price, job.column_price);
}

// One row or one column: the largest weight is matched, if it is worth anything.
template <class Cost>
void StarMatching<Cost>::match_line(const Job& job) {
    *job.value = solve(job.weight, job.rows, job.columns, job.row_price, job.column_price);
    std::fill_n(job.row_of, job.columns, -1);
    if (*job.value == 0) return;
    const auto best = std::find(job.weight, job.weight + job.rows * job.columns, *job.value) - job.weight;
    job.row_of[best % job.columns] = static_cast<int>(best / job.columns);
}

template <class Cost>
Cost StarMatching<Cost>::many_rows(const Cost* weight, int rows, int columns, Cost* row_price, Cost* column_price) {
    if (static_cast<int>(row_of_.size()) < columns) row_of_.resize(columns);
    if (static_cast<int>(previous_.size()) < columns) {
        previous_.resize(columns);
        distance_.resize(columns);
    }
    std::fill_n(row_of_.begin(), columns, -1);
    std::fill_n(column_price, columns, Cost{0});
    for (int i = 0; i < rows; ++i) insert_row(weight, columns, i, row_price, column_price);
    Cost value = 0;
    for (int i = 0; i < rows; ++i) value += row_price[i];
    for (int j = 0; j < columns; ++j) value += column_price[j];
    return value;
}

// Two rows: the best column of each, unless they collide; then one of them takes its second best. Which is better is hard to
// guess for a processor, so no branch depends on a weight.
template <class Cost>
Cost StarMatching<Cost>::two_rows(const Cost* first, const Cost* second, int columns, int drop, Cost* row_price,
                                  Cost* column_price) const {
    Cost best[2] = {0, 0}, next[2] = {0, 0};
    int where[2] = {-1, -2};
    for (int j = 0; j < columns; ++j) {
        const Cost weight[2] = {j == drop ? 0 : first[j], j == drop ? 0 : second[j]};
        for (int i = 0; i < 2; ++i) {
            const bool better = weight[i] > best[i];
            const Cost beaten = better ? best[i] : weight[i];
            next[i] = next[i] > beaten ? next[i] : beaten;
            best[i] = better ? weight[i] : best[i];
            where[i] = better ? j : where[i];
        }
        column_price[j] = 0;
    }
    const Cost contest = where[0] == where[1] ? std::min(best[0] - next[0], best[1] - next[1]) : 0;
    column_price[std::max(0, where[0])] = contest;
    row_price[0] = best[0] - contest;
    row_price[1] = best[1] - contest;
    return best[0] + best[1] - contest;
}

// One step of the Hungarian method in prices: row_price[i] = the most row i can still earn.
template <class Cost>
void StarMatching<Cost>::insert_row(const Cost* weight, int columns, int row, Cost* row_price, Cost* column_price) {
    const Cost* line = weight + row * columns;
    Cost best = 0;
    int where = -1;
    for (int j = 0; j < columns; ++j) {
        const Cost earn = line[j] - column_price[j];
        if (earn > best || (earn == best && where >= 0 && row_of_[where] >= 0 && row_of_[j] < 0)) {
            best = earn;
            where = j;
        }
    }
    row_price[row] = best;
    if (where < 0) return;
    if (row_of_[where] < 0) {
        row_of_[where] = row;
        return;
    }
    // Dijkstra over slacks row_price + column_price - weight; leaving row r unmatched ends a path at row_price[r].
    constexpr Cost kUnreached = std::numeric_limits<Cost>::max() / 2;
    std::fill_n(distance_.begin(), columns, kUnreached);
    scanned_.clear();
    scanned_distance_.clear();
    Cost reach = 0, leave = kUnreached;
    int at = row, leaver = -1, end = -1;
    while (true) {
        const Cost* from = weight + at * columns;
        if (reach + row_price[at] < leave) {
            leave = reach + row_price[at];
            leaver = at;
        }
        Cost nearest = kUnreached;
        int next = -1;
        for (int j = 0; j < columns; ++j) {
            if (distance_[j] < 0) continue;  // already scanned
            const Cost d = reach + row_price[at] + column_price[j] - from[j];
            if (d < distance_[j]) {
                distance_[j] = d;
                previous_[j] = at;
            }
            if (distance_[j] < nearest || (distance_[j] == nearest && next >= 0 && row_of_[next] >= 0 && row_of_[j] < 0)) {
                nearest = distance_[j];
                next = j;
            }
        }
        if (next < 0 || leave <= nearest) {
            reach = leave;
            break;
        }
        reach = nearest;
        if (row_of_[next] < 0) {
            end = next;
            break;
        }
        scanned_.push_back(next);
        scanned_distance_.push_back(reach);
        distance_[next] = -1;
        at = row_of_[next];
    }
    row_price[row] -= reach;
    for (std::size_t i = 0; i < scanned_.size(); ++i) {
        const Cost change = reach - scanned_distance_[i];
        row_price[row_of_[scanned_[i]]] -= change;
        column_price[scanned_[i]] += change;
    }
    // Shift matches back along the path; it ends at a free column, or at a row that goes without.
    int r = end >= 0 ? previous_[end] : leaver;
    int column = end;
    while (true) {
        int old = -1;
        if (r != row)
            for (int j : scanned_)
                if (row_of_[j] == r) old = j;
        if (column >= 0) row_of_[column] = r;
        if (r == row) return;
        column = old;
        r = previous_[old];
    }
}

template class StarMatching<std::int32_t>;
template class StarMatching<std::int64_t>;

}  // namespace prune4sed
