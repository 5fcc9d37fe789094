// The star subproblem: a maximum-weight matching of a query node's neighbours into a target node's neighbours.
#pragma once

#include <vector>

#include "star_lanes.hpp"

namespace prune4sed {

// weight is rows x columns, row-major, never negative; any row may stay unmatched at weight 0.
// Writes optimal duals: row_price[i] + column_price[j] >= weight[i][j], all prices >= 0, and their sum is the
// value returned. The prices say which share of each weight the star needs to keep its value.
// Rows are read a vector at a time: kReadAhead further elements behind the matrix must be readable.
template <class Cost>
class StarMatching {
  public:
    static constexpr int kReadAhead = 16;

    // One of many stars that have equally many rows.
    struct Job {
        const Cost* weight;
        int columns, drop;  // drop: a column to leave out, or -1
        Cost *row_price, *column_price;
        Cost* value;
    };
    // Solves many stars at once, far faster than one by one. No weight is beyond `largest`. If skip >= 0, all of them
    // have one row more, which is left out. The prices of columns left out are not defined.
    void solve_all(const std::vector<Job>& jobs, int rows, int skip, Cost largest);

    Cost solve(const Cost* weight, int rows, int columns, Cost* row_price, Cost* column_price);
    // The same, and row_of(column) says afterwards which row the column is matched to, or -1.
    Cost match(const Cost* weight, int rows, int columns, Cost* row_price, Cost* column_price);
    int row_of(int column) const { return row_of_[column]; }

  private:
    Cost two_rows(const Cost* weight, int columns, Cost* row_price, Cost* column_price) const;
    Cost many_rows(const Cost* weight, int rows, int columns, Cost* row_price, Cost* column_price);
    void insert_row(const Cost* weight, int columns, int row, Cost* row_price, Cost* column_price);

    static bool fits_lanes(const Job& job) { return job.columns >= 2 && job.columns <= kLaneColumns; }
    void solve_one(const Job& job, int rows, int skip);
    void sort_by_columns(const std::vector<Job>& jobs, int rows, int skip);
    template <class Int>
    void solve_groups(StarLanes<Int>& lanes, int rows, int skip);
    template <class Int>
    void solve_group(StarLanes<Int>& lanes, const Job* const* jobs, int count, int rows, int skip);

    std::vector<const Job*> waiting_;
    std::vector<Cost> reduced_;
    StarLanes<std::int16_t> narrow_lanes_;
    StarLanes<std::int32_t> lanes_;
    std::vector<int> row_of_, previous_, scanned_;
    std::vector<Cost> distance_, scanned_distance_;
};

}  // namespace prune4sed
