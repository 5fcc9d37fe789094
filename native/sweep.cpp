// Dual ascent: sweeps that move shares, row by row, to where they raise the bound.
#include <limits>
#include <stdexcept>

#include "relaxation.hpp"

namespace prune4sed {
namespace {

constexpr int kKeep = 14, kOf = 16;  // damping: how far a share moves towards its new place

}  // namespace

template <class Cost>
bool Relaxation<Cost>::tighten(Level<Cost>& level, int max_sweeps, int patience, int steps) {
    if (watch_->stopped()) return true;
    if (assigned_level_ != &level) throw std::logic_error("tighten: the duals at hand belong to another level");
    lay_out_prices(level);
    Cost before = level.bound;
    for (int k = 0; k < max_sweeps; ++k) {
        if (!sweep(level, k % 2 == 0)) return false;
        if (watch_->stopped()) return true;
        const Cost need = cutoff() + 1 - level.bound, gain = level.bound - before;
        before = level.bound;
        if (gain * patience < need) break;
    }
    if (steps > 0 && level.has_open_edges()) approach(level, steps);
    if (watch_->stopped()) return true;
    // Stars have lost shares since they were solved, or won some; branching wants their present values.
    return evaluate_ahead(level);
}

template <class Cost>
bool Relaxation<Cost>::sweep(Level<Cost>& level, bool forward) {
    Cost bound = level.bound;
    const int rows = level.rows();
    for (int k = 0; k < rows; ++k) {
        const int r = level.order[forward ? k : rows - 1 - k];
        if (level.degree(r) == 0) continue;
        if (!sweep_row(level, r, bound)) return false;
        if (watch_->stopped()) return true;
    }
    return assign(level) && filter(level);
}

// Solves the stars of one row, lifts the row's dual to the new least value, and hands each pair's slack on.
// `bound` stays a valid bound of the level throughout: it is base plus the sum of a feasible dual.
template <class Cost>
bool Relaxation<Cost>::sweep_row(Level<Cost>& level, int row, Cost& bound) {
    const int degree = level.degree(row), begin = level.pair_offset[row], end = level.pair_offset[row + 1];
    const std::size_t entries = solve_row(level, row);
    constexpr Cost none = std::numeric_limits<Cost>::max();
    Cost least = none;
    for (int p = begin; p < end; ++p)
        if (level.alive[p]) least = std::min<Cost>(least, level.value[p] - assignment_.column_dual(level.column[p]));
    if (least == none) return false;
    bound += least - assignment_.row_dual(row);
    assignment_.row_dual(row) = least;
    const Cost cut = cutoff();
    if (bound > cut) {
        level.bound = bound;
        return false;
    }
    for (int p = begin; p < end; ++p) {
        if (!level.alive[p]) continue;
        level.slack[p] = level.value[p] - least - assignment_.column_dual(level.column[p]);
        const Cost* row_price = edge_price_.data() + price_begin_[row] + (p - begin) * degree;
        if (bound + level.slack[p] > cut) kill(level, p);
        else share_out(level, p, degree, row_price, far_price_.data() + far_begin_[p]);
    }
    pause(entries);
    return true;
}

// The star claims of each share all that its prices allow without changing its value, plus a part of its slack;
// the partner star keeps the rest. The other side can only lose value, so its pairs can only become dearer.
template <class Cost>
void Relaxation<Cost>::share_out(Level<Cost>& level, int pair, int degree, const Cost* row_price,
                                 const Cost* column_price) {
    const int columns = level.star_columns[pair];
    const Cost extra = level.slack[pair] / (degree + 1);
    Cost* share = level.share.data();
    const int* partner = level.partner.data();
    int e = level.star_offset[pair];
    for (int i = 0; i < degree; ++i) {
        const Cost claim = row_price[i] + extra;
        for (int j = 0; j < columns; ++j, ++e) {
            const int other = live_or(partner[e], e);
            const Cost old = share[e], total = old + share[other];
            const Cost wanted = std::min<Cost>(total, claim + column_price[j]);
            const Cost moved = old + (wanted - old) * kKeep / kOf;
            share[e] = moved;
            share[other] = total - moved;
        }
    }
    level.value[pair] -= extra * degree;
}

template bool Relaxation<std::int32_t>::tighten(Level<std::int32_t>&, int, int, int);
template bool Relaxation<std::int64_t>::tighten(Level<std::int64_t>&, int, int, int);

}  // namespace prune4sed
