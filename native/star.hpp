// The star subproblem: a maximum-weight matching of a query node's neighbours into a target node's neighbours.
#pragma once

#include <span>
#include <vector>

#include "star_lanes.hpp"

namespace prune4sed {

// weight is rows x columns, row-major, never negative; any row may stay unmatched at weight 0.
// Writes optimal duals: row_price[i] + column_price[j] >= weight[i][j], all prices >= 0, and their sum is the
// value returned. The prices say which share of each weight the star needs to keep its value.
template <class Cost>
class StarMatching {
  public:
    // One of many stars.
    struct Job {
        const Cost* weight;
        int rows, columns;
        int skip, drop;  // a row to leave out, which is not counted in `rows`, and a column, which is; or -1
        Cost *row_price, *column_price;
        Cost* value;
        int* row_of = nullptr;  // if given: the row that each column is matched to, or -1; not with anything left out
    };
    // Solves many stars at once, far faster than one by one; best where many have about the same size. No weight is beyond
    // `largest`. With a column left out, the prices of columns are not defined.
    void solve_all(std::span<const Job> jobs, Cost largest);

    Cost solve(const Cost* weight, int rows, int columns, Cost* row_price, Cost* column_price);

  private:
    // Of one column at least; `drop` is left out, or nothing if it is -1.
    Cost two_rows(const Cost* first, const Cost* second, int columns, int drop, Cost* row_price, Cost* column_price) const;
    Cost many_rows(const Cost* weight, int rows, int columns, Cost* row_price, Cost* column_price);
    void insert_row(const Cost* weight, int columns, int row, Cost* row_price, Cost* column_price);

    // Solved at once in less time than it takes to fill a lane.
    static constexpr int kTinyColumns = 4;
    static bool is_tiny(const Job& job) {
        return job.rows == 2 && job.columns >= 2 && job.columns <= kTinyColumns && job.row_of == nullptr;
    }
    static bool goes_to_lanes(const Job& job) {
        return job.columns >= 2 && job.columns <= kLaneColumns && job.rows >= 2 && job.rows <= kLaneRows && !is_tiny(job);
    }
    void solve_tiny(const Job& job) const;
    void solve_one(const Job& job);
    void match_line(const Job& job);
    void sort_by_size(std::span<const Job> jobs);
    template <class Int>
    void solve_groups(StarLanes<Int>& lanes);
    template <class Int>
    void solve_group(StarLanes<Int>& lanes, const Job* const* jobs, int count);

    std::vector<const Job*> waiting_, by_columns_;
    std::vector<Cost> reduced_;
    StarLanes<std::int16_t> narrow_lanes_;
    StarLanes<std::int32_t> lanes_;
    std::vector<int> row_of_, previous_, scanned_;
    std::vector<Cost> distance_, scanned_distance_;
};

}  // namespace prune4sed
