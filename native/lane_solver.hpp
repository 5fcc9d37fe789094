// The solver of star_lanes.hpp, for lanes of any width; included where it is compiled for one.
#pragma once

#include <cstring>
#include <limits>
#include <stdexcept>

#include "star_lanes.hpp"

namespace prune4sed {

// Small numbers, each in all lanes: to look them up is quicker than to spread them.
template <class Int>
struct LaneNumbers {
    alignas(64) Int of[(kLaneColumns + 1) * kStarLanes<Int>];

    constexpr LaneNumbers() : of{} {
        for (int i = 0; i < (kLaneColumns + 1) * kStarLanes<Int>; ++i) of[i] = static_cast<Int>(i / kStarLanes<Int>);
    }
};
template <class Int>
inline constexpr LaneNumbers<Int> kLaneNumbers;

// The Hungarian method by rows, in step in all lanes; a lane that is done waits. Only column prices are kept, for the
// price of a matched row follows from them: what its column earns it. What belongs to a lane's own row or
// column is picked by comparing with all of them, which is cheaper than to gather.
template <class Int, int Columns>
struct LaneSolver {
    typedef Int Pack __attribute__((vector_size(kStarLanes<Int> * sizeof(Int))));

    const Pack* weight;
    Pack price[Columns], row_of[Columns];          // row_of: -1 if the column is free
    Pack distance[Columns], previous[Columns], scanned[Columns];
    Pack reach, end, leaver;                       // how the path of each lane ends: at a column, or at a row left out

    static constexpr Int kFar = std::numeric_limits<Int>::max();

    [[gnu::always_inline]] static Pack number(int n) { return reinterpret_cast<const Pack*>(kLaneNumbers<Int>.of)[n]; }

    [[gnu::always_inline]] static Pack lesser(Pack a, Pack b) { return a < b ? a : b; }
    [[gnu::always_inline]] static Pack larger(Pack a, Pack b) { return a > b ? a : b; }
    [[gnu::always_inline]] static bool any(Pack mask) {
        std::uint64_t words[sizeof mask / sizeof(std::uint64_t)], all = 0;
        std::memcpy(words, &mask, sizeof mask);
        for (std::uint64_t word : words) all |= word;
        return all != 0;
    }

    [[gnu::always_inline]] void begin() {
        for (int j = 0; j < Columns; ++j) {
            price[j] = Pack{};
            row_of[j] = ~Pack{};
        }
    }

    [[gnu::always_inline]] Pack most(int row) const {
        Pack best{};
        for (int j = 0; j < Columns; ++j) best = larger(best, weight[row * Columns + j] - price[j]);
        return best;
    }

    [[gnu::always_inline]] void insert(int row) {
        const Pack best = most(row), active = best > 0;
        if (!any(active)) return;
        for (int j = 0; j < Columns; ++j) {
            distance[j] = best + price[j] - weight[row * Columns + j];
            previous[j] = number(row);
            scanned[j] = Pack{};
        }
        find_paths(row, best, active);
        for (int j = 0; j < Columns; ++j) price[j] += scanned[j] & (reach - distance[j]);
        shift(row, active);
    }

    // Dijkstra over slacks; a path may also end by leaving a row unmatched, at the price of that row. Distances of
    // scanned columns stay as they are, since no later one is less.
    [[gnu::always_inline]] void find_paths(int row, Pack best, Pack active) {
        Pack leave = best;
        leaver = number(row);
        end = ~Pack{};
        reach = Pack{};
        while (true) {
            // Of equally near columns a free one comes first, so the lowest bit of a key says whether it is occupied.
            Pack keys[Columns], key = (Pack{} + kFar), column{};
            for (int j = 0; j < Columns; ++j) {
                keys[j] = scanned[j] ? (Pack{} + kFar) : distance[j] + distance[j] - (row_of[j] >= 0);
                key = lesser(key, keys[j]);
            }
            for (int j = Columns - 1; j >= 0; --j) column = (keys[j] == key) ? number(j) : column;
            const Pack nearest = key >> 1, leaving = leave <= nearest, occupied = (key & 1) != 0;
            const Pack go_on = active & ~leaving & occupied, finish = active & ~go_on;
            reach = finish ? lesser(leave, nearest) : reach;
            end = (finish & ~leaving) ? column : end;
            active = go_on;
            if (!any(go_on)) return;
            visit(row, column, nearest, go_on, leave);
        }
    }

    // Relaxes the row that holds the nearest column of each lane.
    [[gnu::always_inline]] void visit(int rows, Pack column, Pack nearest, Pack lanes, Pack& leave) {
        Pack at = ~Pack{}, line[Columns], earned{};
        for (int j = 0; j < Columns; ++j) {
            const Pack here = lanes & (column == number(j));
            at = here ? row_of[j] : at;
            scanned[j] |= here;
            line[j] = Pack{};
        }
        for (int r = 0; r < rows; ++r) {
            const Pack here = at == number(r);
            for (int j = 0; j < Columns; ++j) line[j] = here ? weight[r * Columns + j] : line[j];
        }
        for (int j = 0; j < Columns; ++j) earned = (column == number(j)) ? line[j] - price[j] : earned;
        const Pack from = nearest + earned, cheaper = lanes & (from < leave);
        leave = cheaper ? from : leave;
        leaver = cheaper ? at : leaver;
        for (int j = 0; j < Columns; ++j) {
            const Pack d = from + price[j] - line[j], nearer = lanes & (d < distance[j]);
            distance[j] = nearer ? d : distance[j];
            previous[j] = nearer ? at : previous[j];
        }
    }

    // Hands columns on along the paths.
    [[gnu::always_inline]] void shift(int row, Pack active) {
        Pack column = end, r = leaver;
        for (int j = 0; j < Columns; ++j) r = (column == number(j)) ? previous[j] : r;
        while (true) {
            Pack old = ~Pack{}, next = r;
            for (int j = 0; j < Columns; ++j) {
                const Pack here = row_of[j] == r;
                old = here ? number(j) : old;
                next = here ? previous[j] : next;
                row_of[j] = (active & (column == number(j))) ? r : row_of[j];
            }
            active &= r != number(row);
            if (!any(active)) return;
            column = old;
            r = next;
        }
    }
};

template <class Int, int Columns>
[[gnu::always_inline]] inline void solve_width(StarLanes<Int>& lanes, int rows) {
    LaneSolver<Int, Columns> solver;
    using Pack = typename LaneSolver<Int, Columns>::Pack;
    solver.weight = reinterpret_cast<const Pack*>(lanes.weight);
    solver.begin();
    for (int i = 0; i < rows; ++i) solver.insert(i);
    Pack* row_price = reinterpret_cast<Pack*>(lanes.row_price);
    Pack* column_price = reinterpret_cast<Pack*>(lanes.column_price);
    for (int i = 0; i < rows; ++i) row_price[i] = solver.most(i);
    Pack* row_of = reinterpret_cast<Pack*>(lanes.row_of);
    for (int j = 0; j < Columns; ++j) {
        column_price[j] = solver.price[j];
        row_of[j] = solver.row_of[j];
    }
}

// For `columns` as lane_columns gives it: the same widths as there.
template <class Int>
[[gnu::always_inline]] inline void solve_any_width(StarLanes<Int>& lanes, int rows, int columns) {
    switch (columns) {
        case 2: return solve_width<Int, 2>(lanes, rows);
        case 3: return solve_width<Int, 3>(lanes, rows);
        case 4: return solve_width<Int, 4>(lanes, rows);
        case 5: return solve_width<Int, 5>(lanes, rows);
        case 6: return solve_width<Int, 6>(lanes, rows);
        case 8: return solve_width<Int, 8>(lanes, rows);
        case 12: return solve_width<Int, 12>(lanes, rows);
        case 16: return solve_width<Int, 16>(lanes, rows);
        case 24: return solve_width<Int, 24>(lanes, rows);
        case 32: return solve_width<Int, 32>(lanes, rows);
        default: throw std::logic_error("no stars of this width");
    }
}

}  // namespace prune4sed
