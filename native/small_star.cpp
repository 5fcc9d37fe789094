#include "small_star.hpp"

#include <algorithm>
#include <cstring>

#include "hot.hpp"

namespace prune4sed {
namespace {

constexpr int kLanes = 8;
typedef std::int32_t Pack __attribute__((vector_size(kLanes * sizeof(std::int32_t))));

constexpr std::int32_t kFar = 1 << 25;  // beyond any sum of distances, and 32 * kFar still fits
constexpr Pack kLane = {0, 1, 2, 3, 4, 5, 6, 7};

#if defined(__clang__)
#define SHUFFLE(pack, ...) __builtin_shufflevector(pack, pack, __VA_ARGS__)
#else
#define SHUFFLE(pack, ...) __builtin_shuffle(pack, Pack{__VA_ARGS__})
#endif

[[gnu::always_inline]] inline Pack load(const std::int32_t* from) {
    Pack pack;
    std::memcpy(&pack, from, sizeof pack);
    return pack;
}
[[gnu::always_inline]] inline Pack spread(std::int32_t value) { return Pack{} + value; }
[[gnu::always_inline]] inline Pack lesser(Pack a, Pack b) { return a < b ? a : b; }

[[gnu::always_inline]] inline std::int32_t least(Pack pack) {
    pack = lesser(pack, SHUFFLE(pack, 4, 5, 6, 7, 0, 1, 2, 3));
    pack = lesser(pack, SHUFFLE(pack, 2, 3, 0, 1, 6, 7, 4, 5));
    pack = lesser(pack, SHUFFLE(pack, 1, 0, 3, 2, 5, 4, 7, 6));
    return pack[0];
}

// The Hungarian method by rows. A column is found by its key: distance, then occupied or not, then its number,
// packed into one integer, so that one minimum over the lanes answers all three questions without a branch.
template <int Packs>
struct SmallStar {
    const std::int32_t* weight;
    int columns;
    std::int32_t* row_price;
    Pack valid[Packs], price[Packs], tag[Packs];  // tag: 16 if the column is occupied, plus its number
    int row_of[Packs * kLanes], column_of[kSmallStarRows];

    [[gnu::always_inline]] void begin() {
        for (int k = 0; k < Packs; ++k) {
            const Pack lane = kLane + k * kLanes;
            valid[k] = lane < columns;
            price[k] = Pack{};
            tag[k] = lane;
        }
    }

    // Slacks row_price + column_price - weight of a row, out of reach where there is no column.
    [[gnu::always_inline]] Pack slack(int row, int k, std::int32_t add) const {
        const Pack w = load(weight + row * columns + k * kLanes);
        return valid[k] ? add + price[k] - w : spread(kFar);
    }

    [[gnu::always_inline]] void occupy(int column, int row) {
        row_of[column] = row;
        column_of[row] = column;
    }

    [[gnu::always_inline]] void insert(int row) {
        Pack near[Packs];
        std::int32_t key = kFar * 32;
        for (int k = 0; k < Packs; ++k) {
            near[k] = slack(row, k, 0);
            key = std::min(key, least(near[k] * 32 + tag[k]));
        }
        const std::int32_t best = -(key >> 5);  // the most this row can earn
        if (best <= 0) {
            row_price[row] = 0;
            return;
        }
        row_price[row] = best;
        const int column = key & 15;
        if (key & 16) return augment(row, near, best);
        mark(column);
        occupy(column, row);
    }

    [[gnu::always_inline]] void mark(int column) {
        for (int k = 0; k < Packs; ++k) tag[k] |= (kLane + k * kLanes == column) & 16;
    }

    // Dijkstra over slacks; a path may also end by leaving a row unmatched, at the price of that row.
    [[gnu::always_inline]] void augment(int row, Pack* distance, std::int32_t best) {
        Pack previous[Packs], open[Packs];
        for (int k = 0; k < Packs; ++k) {
            distance[k] += valid[k] & best;
            previous[k] = spread(row);
            open[k] = valid[k];
        }
        int scanned[kSmallStarRows], count = 0;
        std::int32_t scanned_distance[kSmallStarRows];
        std::int32_t leave = best, reach = 0;
        int leaver = row, end = -1;
        while (true) {
            std::int32_t key = kFar * 32;
            for (int k = 0; k < Packs; ++k)
                key = std::min(key, least((open[k] ? distance[k] : spread(kFar)) * 32 + tag[k]));
            const std::int32_t nearest = key >> 5;
            const int column = key & 15;
            if (leave <= nearest) {
                reach = leave;
                break;
            }
            reach = nearest;
            if (!(key & 16)) {
                end = column;
                break;
            }
            scanned[count] = column;
            scanned_distance[count++] = reach;
            const int at = row_of[column];
            if (reach + row_price[at] < leave) {
                leave = reach + row_price[at];
                leaver = at;
            }
            for (int k = 0; k < Packs; ++k) {
                open[k] &= kLane + k * kLanes != column;
                const Pack d = slack(at, k, reach + row_price[at]);
                const Pack nearer = (d < distance[k]) & open[k];
                distance[k] = nearer ? d : distance[k];
                previous[k] = nearer ? spread(at) : previous[k];
            }
        }
        row_price[row] -= reach;
        for (int i = 0; i < count; ++i) {
            const std::int32_t change = reach - scanned_distance[i];
            row_price[row_of[scanned[i]]] -= change;
            for (int k = 0; k < Packs; ++k) price[k] += (kLane + k * kLanes == scanned[i]) & change;
        }
        shift(row, end, end >= 0 ? previous[end / kLanes][end % kLanes] : leaver, previous);
    }

    // Hands columns on along the path; it ends at a free column, or at a row that goes without.
    [[gnu::always_inline]] void shift(int row, int end, int r, const Pack* previous) {
        if (end >= 0) mark(end);
        for (int column = end;;) {
            const int old = r == row ? -1 : column_of[r];
            if (column >= 0) occupy(column, r);
            if (r == row) return;
            column = old;
            r = previous[old / kLanes][old % kLanes];
        }
    }
};

template <int Packs>
[[gnu::always_inline]] inline std::int32_t solve_packed(const std::int32_t* weight, int rows, int columns,
                                                        std::int32_t* row_price, std::int32_t* column_price,
                                                        int* row_of) {
    SmallStar<Packs> star;
    star.weight = weight;
    star.columns = columns;
    star.row_price = row_price;
    star.begin();
    for (int i = 0; i < rows; ++i) star.insert(i);
    std::int32_t value = 0;
    for (int i = 0; i < rows; ++i) value += row_price[i];
    for (int j = 0; j < columns; ++j) value += column_price[j] = star.price[j / kLanes][j % kLanes];
    if (row_of)
        for (int j = 0; j < columns; ++j) row_of[j] = star.tag[j / kLanes][j % kLanes] & 16 ? star.row_of[j] : -1;
    return value;
}

}  // namespace

PRUNE4SED_HOT std::int32_t solve_small_star(const std::int32_t* weight, int rows, int columns,
                                            std::int32_t* row_price, std::int32_t* column_price, int* row_of) {
    return columns <= kLanes ? solve_packed<1>(weight, rows, columns, row_price, column_price, row_of)
                             : solve_packed<2>(weight, rows, columns, row_price, column_price, row_of);
}

}  // namespace prune4sed
