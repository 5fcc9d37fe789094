// Linear sum assignment: every row gets its own column at least total cost (shortest augmenting paths).
#pragma once

#include <limits>
#include <vector>

#include "limits.hpp"

namespace prune4sed {

// Rows are given as lists of (column, cost) candidates; columns that no row can use cost nothing to have.
// After solve() == Solved: row_dual[r] + column_dual[c] <= cost(r, c) for every candidate, with equality on the
// matched ones, column_dual <= 0, and value = sum of all duals. This is the proof of the bound.
template <class Cost>
class Assignment {
  public:
    enum class Status { Solved, Infeasible, Stopped };
    static constexpr Cost kForbidden = std::numeric_limits<Cost>::max() / 4;

    void reset_columns(int num_columns);
    // Candidate i of row r: i in [offset[r], offset[r + 1]), skipped unless alive[i]. A watch, if given, is looked at
    // between rows.
    Status solve(const std::vector<int>& offset, const std::vector<int>& column, const std::vector<Cost>& cost,
                 const std::vector<char>& alive, StopWatch* watch = nullptr);

    Cost value() const { return value_; }
    Cost row_dual(int row) const { return row_dual_[row]; }
    Cost& row_dual(int row) { return row_dual_[row]; }
    Cost column_dual(int column) const { return column_dual_[column]; }
    int matched_column(int row) const { return used_[match_of_row_[row]]; }

  private:
    bool compact(const std::vector<int>& offset, const std::vector<int>& column, const std::vector<Cost>& cost,
                 const std::vector<char>& alive);
    bool augment(int row);
    void publish();

    int rows_ = 0, width_ = 0;  // width: used columns, padded so that loops run in whole vectors
    std::vector<int> used_;     // compact column -> column
    std::vector<int> compact_of_, stamp_of_;
    int stamp_ = 0;
    std::vector<Cost> matrix_, row_dual_, column_dual_;
    std::vector<Cost> dual_, distance_, blocked_, occupied_penalty_;
    std::vector<int> previous_row_, row_of_, match_of_row_, done_;
    std::vector<Cost> done_distance_;
    Cost value_ = 0;
};

}  // namespace prune4sed
