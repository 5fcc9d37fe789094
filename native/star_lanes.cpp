#include "star_lanes.hpp"

#include <cstring>
#include <limits>

#include "hot.hpp"

namespace prune4sed {
namespace {

typedef std::int32_t Pack __attribute__((vector_size(kStarLanes * sizeof(std::int32_t))));

constexpr int kWidths[] = {2, 3, 4, 5, 6, 8, 12, 16, 24, 32};
constexpr std::int32_t kOccupied = 32;  // beside the column's number in a key
constexpr int kKeyBits = 6;

[[gnu::always_inline]] inline Pack spread(std::int32_t value) { return Pack{} + value; }
[[gnu::always_inline]] inline Pack lesser(Pack a, Pack b) { return a < b ? a : b; }
[[gnu::always_inline]] inline Pack larger(Pack a, Pack b) { return a > b ? a : b; }

[[gnu::always_inline]] inline bool any(Pack mask) {
    std::uint64_t words[sizeof mask / sizeof(std::uint64_t)], all = 0;
    std::memcpy(words, &mask, sizeof mask);
    for (std::uint64_t word : words) all |= word;
    return all != 0;
}

// The Hungarian method by rows, in step in all lanes; a lane that is done waits. Only column prices are kept, for the
// price of a matched row follows from them: what its column earns it. Loops over columns are unrolled, and what belongs
// to a lane's own row or column is picked by comparing with all of them, which is cheaper than to gather.
template <int Columns>
struct LaneSolver {
    const Pack* weight;
    Pack price[Columns], row_of[Columns];          // row_of: -1 if the column is free
    Pack distance[Columns], previous[Columns], scanned[Columns];
    Pack reach, end, leaver;                       // how the path of each lane ends: at a column, or at a row left out

    [[gnu::always_inline]] void begin() {
        for (int j = 0; j < Columns; ++j) {
            price[j] = Pack{};
            row_of[j] = spread(-1);
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
            previous[j] = spread(row);
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
        leaver = spread(row);
        end = spread(-1);
        reach = Pack{};
        while (true) {
            Pack key = spread(std::numeric_limits<std::int32_t>::max());
            for (int j = 0; j < Columns; ++j) {
                const Pack candidate = (distance[j] << kKeyBits) + ((row_of[j] >= 0) & kOccupied) + j;
                key = lesser(key, scanned[j] ? key : candidate);
            }
            const Pack nearest = key >> kKeyBits, column = key & (kOccupied - 1);
            const Pack leaving = leave <= nearest, occupied = (key & kOccupied) != 0;
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
        Pack at = spread(-1), line[Columns], earned{};
        for (int j = 0; j < Columns; ++j) {
            const Pack here = lanes & (column == j);
            at = here ? row_of[j] : at;
            scanned[j] |= here;
            line[j] = Pack{};
        }
        for (int r = 0; r < rows; ++r) {
            const Pack here = at == r;
            for (int j = 0; j < Columns; ++j) line[j] = here ? weight[r * Columns + j] : line[j];
        }
        for (int j = 0; j < Columns; ++j) earned = (column == j) ? line[j] - price[j] : earned;
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
        for (int j = 0; j < Columns; ++j) r = (column == j) ? previous[j] : r;
        while (true) {
            Pack old = spread(-1), next = r;
            for (int j = 0; j < Columns; ++j) {
                const Pack here = row_of[j] == r;
                old = here ? spread(j) : old;
                next = here ? previous[j] : next;
                row_of[j] = (active & (column == j)) ? r : row_of[j];
            }
            active &= r != row;
            if (!any(active)) return;
            column = old;
            r = next;
        }
    }
};

template <int Columns>
[[gnu::always_inline]] inline void solve_width(StarLanes& lanes, int rows) {
    LaneSolver<Columns> solver;
    solver.weight = reinterpret_cast<const Pack*>(lanes.weight);
    solver.begin();
    for (int i = 0; i < rows; ++i) solver.insert(i);
    Pack* row_price = reinterpret_cast<Pack*>(lanes.row_price);
    Pack* column_price = reinterpret_cast<Pack*>(lanes.column_price);
    for (int i = 0; i < rows; ++i) row_price[i] = solver.most(i);
    for (int j = 0; j < Columns; ++j) column_price[j] = solver.price[j];
}

}  // namespace

int lane_columns(int columns) {
    int k = 0;
    while (kWidths[k] < columns) ++k;
    return kWidths[k];
}

PRUNE4SED_HOT void solve_star_lanes(StarLanes& lanes, int rows, int columns) {
    switch (columns) {
        case 2: return solve_width<2>(lanes, rows);
        case 3: return solve_width<3>(lanes, rows);
        case 4: return solve_width<4>(lanes, rows);
        case 5: return solve_width<5>(lanes, rows);
        case 6: return solve_width<6>(lanes, rows);
        case 8: return solve_width<8>(lanes, rows);
        case 12: return solve_width<12>(lanes, rows);
        case 16: return solve_width<16>(lanes, rows);
        case 24: return solve_width<24>(lanes, rows);
        default: return solve_width<32>(lanes, rows);
    }
}

}  // namespace prune4sed
