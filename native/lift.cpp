// Raising the bound past the points where sweeps stall: subgradient steps in turn with sweeps.
//
// A sweep moves shares at one row at a time, each time as far as helps that row alone. It stops where no row alone can
// help any more, although several together could. A subgradient step looks at the assignment that attains the bound:
// where one star of an edge counts on its saving and the other star does not, part of the saving moves to the one
// that does not. Such steps may lower the bound for a while, but they do not stall, and only few of the stars whose shares
// moved have to be solved anew. Sweeps from where they lead end higher than the sweeps before.
#include "relaxation.hpp"

namespace prune4sed {
namespace {

constexpr int kSweepsBetween = 2;

}  // namespace

// Room for the matchings of all stars; none is known yet.
template <class Cost>
void Relaxation<Cost>::forget_matchings(const Level<Cost>& level) {
    const std::size_t pairs = level.column.size();
    match_offset_.resize(pairs);
    int columns = 0;
    for (std::size_t p = 0; p < pairs; ++p) {
        match_offset_[p] = columns;
        columns += level.star_columns[p];
    }
    if (static_cast<int>(matched_row_.size()) < columns) matched_row_.resize(columns);
    is_matched_.assign(pairs, 0);
}

// A star to be solved for its value and its matching.
template <class Cost>
auto Relaxation<Cost>::matching_job(Level<Cost>& level, int pair) -> Job {
    is_matched_[pair] = 1;
    return {level.share.data() + level.star_offset[pair], level.degree(level.pair_row[pair]), level.star_columns[pair], -1, -1,
            row_price_.data(), column_price_.data(), &level.value[pair], matched_row_.data() + match_offset_[pair]};
}

// Solves those stars; the next assignment is by their new values.
template <class Cost>
void Relaxation<Cost>::solve_matchings(Level<Cost>& level) {
    star_.solve_all(jobs_, largest_share_);
    for (const Job& job : jobs_) {
        const auto p = job.value - level.value.data();
        level.value[p] = level.fixed[p] - level.value[p];
        assignment_.change(level.pair_row[p], level.column[p], level.value[p]);
    }
}

// The entries that the stars of the last assignment match: each is an edge counted as kept, from one of its ends. Most of
// these stars were solved when they last changed.
template <class Cost>
void Relaxation<Cost>::collect_used(Level<Cost>& level) {
    jobs_.clear();
    used_pair_.clear();
    for (int r = 0; r < level.rows(); ++r) {
        if (level.degree(r) == 0) continue;
        const int column = assignment_.matched_column(r);
        int pair = level.pair_offset[r];
        while (level.column[pair] != column) ++pair;
        used_pair_.push_back(pair);
        if (!is_matched_[pair]) jobs_.push_back(matching_job(level, pair));
    }
    solve_matchings(level);
    used_entry_.clear();
    for (int pair : used_pair_) {
        const int* row_of = matched_row_.data() + match_offset_[pair];
        const int columns = level.star_columns[pair];
        for (int j = 0; j < columns; ++j) {
            const int entry = level.star_offset[pair] + row_of[j] * columns + j;
            if (row_of[j] >= 0 && level.partner[entry] >= 0) used_entry_.push_back(entry);
        }
    }
}

// Touched pairs that the last assignment could not use even so need no solving: what a star gained in shares is the most
// that its value can fall by, so to let it fall by all of that keeps a bound of it. The others stay in touched_pair_;
// most pairs that the assignment uses are among them, for their reduced cost is nothing or little.
template <class Cost>
void Relaxation<Cost>::lower_far_pairs(Level<Cost>& level) {
    std::size_t near = 0;
    for (int p : touched_pair_) {
        const Cost reduced =
            level.value[p] - assignment_.row_dual(level.pair_row[p]) - assignment_.column_dual(level.column[p]);
        if (reduced > gained_[p]) {
            level.value[p] -= gained_[p];
            assignment_.change(level.pair_row[p], level.column[p], level.value[p]);
            is_touched_[p] = is_matched_[p] = 0;
        } else {
            touched_pair_[near++] = p;
        }
        gained_[p] = 0;
    }
    touched_pair_.resize(near);
}

// Brings the values of touched pairs up to date, or lowers them; returns the entries worked through.
template <class Cost>
std::size_t Relaxation<Cost>::solve_touched(Level<Cost>& level) {
    lower_far_pairs(level);
    std::size_t entries = 0;
    jobs_.clear();
    for (int p : touched_pair_) {
        jobs_.push_back(matching_job(level, p));
        entries += static_cast<std::size_t>(jobs_.back().rows) * jobs_.back().columns;
    }
    solve_matchings(level);
    for (int p : touched_pair_) is_touched_[p] = 0;
    return entries;
}

// Steps of Polyak's length, aimed at the cut-off. Every assignment on the way is a valid bound, so one beyond the
// cut-off is a proof (false). Values are bounds afterwards, and exact again once the level is evaluated.
template <class Cost>
bool Relaxation<Cost>::wander(Level<Cost>& level, int steps) {
    is_used_.assign(level.entries, 0);
    is_touched_.assign(level.column.size(), 0);
    gained_.assign(level.column.size(), 0);
    forget_matchings(level);
    if (!assign(level)) return false;
    for (int step = 0; step < steps; ++step) {
        collect_used(level);
        for (int e : used_entry_) is_used_[e] = 1;
        Cost distance = 0;
        for (int e : used_entry_) distance += !is_used_[level.partner[e]];
        const Cost need = cutoff() + 1 - level.bound;
        const Cost length = distance == 0 ? 0 : std::max<Cost>(1, need / distance);
        touched_pair_.clear();
        const auto touch = [&](int pair) {
            if (is_touched_[pair]) return;
            is_touched_[pair] = 1;
            touched_pair_.push_back(pair);
        };
        for (int e : used_entry_) {
            const int other = level.partner[e];
            if (is_used_[other]) continue;
            const Cost moved = std::min(length, level.share[e]);
            level.share[e] -= moved;
            level.share[other] += moved;
            touch(level.partner_pair[e]);
            gained_[level.partner_pair[e]] += moved;
            touch(level.partner_pair[other]);
        }
        for (int e : used_entry_) is_used_[e] = 0;
        std::size_t entries = level.column.size() / 4;
        entries += solve_touched(level);
        assignment_.solve_again();
        if (!heed_assignment(level)) return false;
        if (pause(entries) || distance == 0) break;
    }
    return filter(level);
}

// A few steps and a sweep. The bound may be lower for it, but what children inherit is better on the whole.
template <class Cost>
bool Relaxation<Cost>::climb(Level<Cost>& level, int steps) {
    reserve_prices(level);
    return wander(level, steps) && (watch_->stopped() || sweep(level, true));
}

template <class Cost>
void Relaxation<Cost>::keep_best(const Level<Cost>& level) {
    best_share_.assign(level.share.begin(), level.share.begin() + level.entries);
}

// Pairs that were ruled out since stay so, and their entries stay empty.
template <class Cost>
void Relaxation<Cost>::restore_best(Level<Cost>& level) const {
    for (int e = 0; e < level.entries; ++e)
        if (level.partner[e] >= 0) level.share[e] = best_share_[e];
}

template <class Cost>
bool Relaxation<Cost>::lift(Level<Cost>& level, int max_rounds, int steps, int patience) {
    reserve_prices(level);
    Cost best = level.bound;
    keep_best(level);
    for (int round = 0; round < max_rounds && !watch_->stopped(); ++round) {
        if (!wander(level, steps)) return false;
        for (int k = 0; k < kSweepsBetween && !watch_->stopped(); ++k)
            if (!sweep(level, k % 2 == 0)) return false;
        if (watch_->stopped()) break;
        const Cost gain = level.bound - best, need = cutoff() + 1 - level.bound;
        if (gain > 0) {
            best = level.bound;
            keep_best(level);
        }
        if (gain * patience < need) break;
    }
    if (level.bound < best) restore_best(level);
    return evaluate_ahead(level);
}

template void Relaxation<std::int32_t>::forget_matchings(const Level<std::int32_t>&);
template void Relaxation<std::int64_t>::forget_matchings(const Level<std::int64_t>&);
template void Relaxation<std::int32_t>::collect_used(Level<std::int32_t>&);
template void Relaxation<std::int64_t>::collect_used(Level<std::int64_t>&);
template bool Relaxation<std::int32_t>::climb(Level<std::int32_t>&, int);
template bool Relaxation<std::int64_t>::climb(Level<std::int64_t>&, int);
template bool Relaxation<std::int32_t>::lift(Level<std::int32_t>&, int, int, int);
template bool Relaxation<std::int64_t>::lift(Level<std::int64_t>&, int, int, int);

}  // namespace prune4sed
