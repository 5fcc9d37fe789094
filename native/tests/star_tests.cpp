// StarMatching against every matching, and its prices against what they promise.
#include "star.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "check.hpp"
#include "random_graphs.hpp"
#include "suites.hpp"

namespace prune4sed::tests {
namespace {

template <class Cost>
Cost heaviest(const std::vector<Cost>& weight, int rows, int columns, int row, std::vector<char>& used) {
    if (row == rows) return 0;
    Cost best = heaviest(weight, rows, columns, row + 1, used);  // this row goes without
    for (int j = 0; j < columns; ++j) {
        if (used[j]) continue;
        used[j] = 1;
        best = std::max<Cost>(best, weight[row * columns + j] + heaviest(weight, rows, columns, row + 1, used));
        used[j] = 0;
    }
    return best;
}

template <class Cost>
void check_prices(const std::vector<Cost>& weight, int rows, int columns, Cost value, const std::vector<Cost>& row_price,
                  const std::vector<Cost>& column_price) {
    Cost sum = 0;
    bool feasible = true;
    for (int i = 0; i < rows; ++i) {
        sum += row_price[i];
        feasible = feasible && row_price[i] >= 0;
        for (int j = 0; j < columns; ++j)
            feasible = feasible && row_price[i] + column_price[j] >= weight[i * columns + j];
    }
    for (int j = 0; j < columns; ++j) {
        sum += column_price[j];
        feasible = feasible && column_price[j] >= 0;
    }
    CHECK(feasible);
    CHECK(sum == value);
}

// The matching that goes with the prices: no row twice, and worth what was said.
template <class Cost>
void check_matching(const std::vector<int>& row_of, const std::vector<Cost>& weight, int rows, int columns, Cost value) {
    std::vector<char> taken(rows, 0);
    for (int j = 0; j < columns; ++j) {
        const int i = row_of[j];
        if (i < 0) continue;
        CHECK(i < rows && !taken[i]);
        taken[i] = 1;
        value -= weight[i * columns + j];
    }
    CHECK(value == 0);
}

template <class Cost>
void against_brute_force(int rounds, Cost unit) {
    Random random(23);
    StarMatching<Cost> star;
    for (int k = 0; k < rounds; ++k) {
        const bool wide = k % 8 == 0;  // past one and two vectors of columns
        const int rows = random.between(1, wide ? 3 : 5), columns = random.between(0, wide ? 20 : 6), heavy = random.between(1, 9);
        std::vector<Cost> weight(static_cast<std::size_t>(rows) * columns);
        for (Cost& w : weight) w = random.chance(30) ? 0 : unit * static_cast<Cost>(random.between(0, heavy));
        std::vector<Cost> row_price(rows, -1), column_price(columns, -1);
        std::vector<char> used(columns, 0);
        const Cost value = star.solve(weight.data(), rows, columns, row_price.data(), column_price.data());
        CHECK(value == heaviest(weight, rows, columns, 0, used));
        check_prices(weight, rows, columns, value, row_price, column_price);
        std::vector<int> row_of(columns);
        Cost matched = 0;
        const typename StarMatching<Cost>::Job job{weight.data(), rows, columns, -1, -1, row_price.data(),
                                                   column_price.data(), &matched, row_of.data()};
        star.solve_all({&job, 1}, 9 * unit);
        CHECK(matched == value);
        check_prices(weight, rows, columns, value, row_price, column_price);
        check_matching(row_of, weight, rows, columns, value);
    }
}

// Many stars at once, some without a row or a column, against the same stars made smaller and solved one by one.
template <class Cost>
void together_as_alone(int rounds, Cost unit) {
    Random random(29);
    StarMatching<Cost> star;
    for (int k = 0; k < rounds; ++k) {
        const int count = random.between(0, 40), widest = k % 8 == 0 ? 40 : 9, deepest = k % 16 == 0 ? 40 : 7;
        struct Star {
            std::vector<Cost> weight, smaller, row_price, column_price;
            std::vector<int> row_of;
            int rows, columns, skip, drop;
            Cost value;
        };
        const int rows_of_all = k % 4 == 1 ? random.between(0, deepest) : -1;  // as in a sweep, where all are of one row
        std::vector<Star> stars(count);
        std::vector<typename StarMatching<Cost>::Job> jobs;
        for (Star& s : stars) {
            s.rows = rows_of_all >= 0 ? rows_of_all : random.between(0, deepest);
            s.columns = random.between(0, widest);
            s.skip = random.chance(30) ? random.between(0, s.rows) : -1;
            s.drop = s.columns > 0 && random.chance(30) ? random.below(s.columns) : -1;
            const int heavy = random.between(1, 9);
            for (int i = 0; i < (s.rows + (s.skip >= 0)) * s.columns; ++i) {
                s.weight.push_back(random.chance(30) ? 0 : unit * static_cast<Cost>(random.between(0, heavy)));
                if (i / s.columns != s.skip && i % s.columns != s.drop) s.smaller.push_back(s.weight.back());
            }
            s.row_price.assign(s.rows, -1);
            if (s.skip < 0 && s.drop < 0 && random.chance(50)) s.row_of.assign(s.columns, 99);
            s.column_price.assign(s.columns, -1);
            jobs.push_back({s.weight.data(), s.rows, s.columns, s.skip, s.drop, s.row_price.data(), s.column_price.data(),
                            &s.value, s.row_of.empty() ? nullptr : s.row_of.data()});
        }
        star.solve_all(jobs, 9 * unit);
        for (Star& s : stars) {
            std::vector<Cost> row_price(s.rows), column_price(s.columns);
            const int rows = s.rows, columns = s.columns - (s.drop >= 0);
            const Cost alone = rows == 0 ? 0 : star.solve(s.smaller.data(), rows, columns, row_price.data(), column_price.data());
            CHECK(s.value == alone);
            if (s.drop < 0 && rows > 0) check_prices(s.smaller, rows, columns, s.value, s.row_price, s.column_price);
            if (!s.row_of.empty()) check_matching(s.row_of, s.weight, rows, columns, s.value);
        }
    }
}

// All stars of two rows and few columns with weights 0, 1, 2, whole and with each row or column left out.
void all_tiny_stars() {
    StarMatching<std::int32_t> star;
    for (int columns = 2; columns <= 4; ++columns)
        for (int skip = -1; skip <= 2; ++skip)
            for (int drop = -1; drop < columns; ++drop) {
                const int entries = 2 * columns;
                int count = 1;
                for (int i = 0; i < entries; ++i) count *= 3;
                for (int code = 0; code < count; ++code) {
                    std::vector<std::int32_t> weight, smaller;
                    for (int i = 0, digits = code; i < entries; ++i, digits /= 3) {
                        if (skip >= 0 && i == skip * columns) weight.insert(weight.end(), columns, 7);  // must not count
                        weight.push_back(digits % 3);
                        if (i % columns == drop) weight.back() += 7;  // neither must this
                        smaller.push_back(i % columns == drop ? 0 : weight.back());
                    }
                    if (skip == 2) weight.insert(weight.end(), columns, 7);
                    std::vector<std::int32_t> row_price(2, -1), column_price(columns, -1);
                    std::vector<char> used(columns, 0);
                    std::int32_t value = -1;
                    const StarMatching<std::int32_t>::Job job{weight.data(),    2, columns, skip, drop, row_price.data(),
                                                              column_price.data(), &value};
                    star.solve_all({&job, 1}, 9);
                    CHECK(value == heaviest(smaller, 2, columns, 0, used));
                    check_prices(smaller, 2, columns, value, row_price, column_price);
                }
            }
}

}  // namespace

void test_star_matching(int effort) {
    together_as_alone<std::int32_t>(1000 * effort, 1);
    together_as_alone<std::int32_t>(1000 * effort, kNarrowLaneWeight / 9);
    together_as_alone<std::int32_t>(500 * effort, (kLaneWeight - 1) / 9);
    together_as_alone<std::int64_t>(200 * effort, std::int64_t{1} << 48);
    all_tiny_stars();
    against_brute_force<std::int32_t>(4000 * effort, 1);
    against_brute_force<std::int32_t>(2000 * effort, (kLaneWeight - 1) / 9);
    against_brute_force<std::int64_t>(2000 * effort, std::int64_t{1} << 48);
}

}  // namespace prune4sed::tests
