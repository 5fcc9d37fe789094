// The star subproblem: a maximum-weight matching of a query node's neighbours into a target node's neighbours.
#pragma once

#include <vector>

namespace prune4sed {

// weight is rows x columns, row-major, never negative; any row may stay unmatched at weight 0.
// Writes optimal duals: row_price[i] + column_price[j] >= weight[i][j], all prices >= 0, and their sum is the
// value returned. The prices say which share of each weight the star needs to keep its value.
// Rows are read a vector at a time: kReadAhead further elements behind the matrix must be readable.
template <class Cost>
class StarMatching {
  public:
    static constexpr int kReadAhead = 16;

    Cost solve(const Cost* weight, int rows, int columns, Cost* row_price, Cost* column_price);
    // The same, and row_of(column) says afterwards which row the column is matched to, or -1.
    Cost match(const Cost* weight, int rows, int columns, Cost* row_price, Cost* column_price);
    int row_of(int column) const { return row_of_[column]; }

  private:
    Cost two_rows(const Cost* weight, int columns, Cost* row_price, Cost* column_price) const;
    Cost many_rows(const Cost* weight, int rows, int columns, Cost* row_price, Cost* column_price);
    void insert_row(const Cost* weight, int columns, int row, Cost* row_price, Cost* column_price);

    std::vector<int> row_of_, previous_, scanned_;
    std::vector<Cost> distance_, scanned_distance_;
};

}  // namespace prune4sed
