// A filter stronger than reduced costs: what a pair costs when all slack around it counts for it alone.
//
// Whoever uses the pair (u, v) has to send every neighbour w of u somewhere. Beside v, to x, it pays the slack of (w, x)
// and what the prices of that star exceed the edge's share by, and saves the share on the side of (u, v). Elsewhere it
// pays the slack of that pair and the price of the edge, which is lost. Different neighbours need different x, so the
// best choice is a matching once more. A sweep has to divide the slack of a pair among all that could use it; here each
// pair is looked at by itself, and the whole slack counts. The result bounds all mappings that use (u, v) from below, at
// the cost of a sweep: nearly what a child would show by its first assignment, but for all pairs at once.
#include "relaxation.hpp"

namespace prune4sed {
namespace {

constexpr std::size_t kPairsTogether = 1'000;  // enough to fill lanes, and no more memory than that takes

}  // namespace

template <class Cost>
bool Relaxation<Cost>::evaluate_ahead(Level<Cost>& level) {
    if (solve_rows(level)) return true;
    keep_excess(level);
    if (!assign(level)) return false;
    level.wanted = overdone_rings(level, level.rings);
    return filter(level) && look_ahead(level);
}

// By how much the prices that solve_rows has just found exceed each share.
template <class Cost>
void Relaxation<Cost>::keep_excess(const Level<Cost>& level) {
    if (static_cast<int>(excess_.size()) < level.entries) {
        excess_.clear();  // nothing to keep when it moves
        excess_.resize(level.entries);
    }
    for (const Job& job : jobs_) {
        const Cost* share = job.weight;
        Cost* excess = excess_.data() + (share - level.share.data());
        for (int i = 0; i < job.rows; ++i)
            for (int j = 0; j < job.columns; ++j) *excess++ = job.row_price[i] + job.column_price[j] - *share++;
    }
}

// What each neighbour of a row pays at least if it does without their edge; returns the sum.
template <class Cost>
Cost Relaxation<Cost>::price_elsewhere(const Level<Cost>& level, int row) {
    Cost sum = 0;
    for (int link = level.link_offset[row]; link < level.link_offset[row + 1]; ++link) {
        const int w = level.link_row[link], stride = level.degree(w);
        const Cost* price = edge_price_.data() + price_begin_[w] + level.link_back[link];
        Cost least = Assignment<Cost>::kForbidden;
        for (int q = level.pair_offset[w]; q < level.pair_offset[w + 1]; ++q, price += stride)
            if (level.alive[q]) least = std::min<Cost>(least, level.slack[q] + *price);
        elsewhere_[link] = least;
        sum += least;
    }
    return sum;
}

// The most that the neighbours of u save by staying beside v, for all pairs (u, v) of some rows.
template <class Cost>
void Relaxation<Cost>::match_beside(const Level<Cost>& level, int first_row, int last_row) {
    const auto star_begin = [&](int row) {
        const int pair = level.pair_offset[row];
        return pair < static_cast<int>(level.column.size()) ? level.star_offset[pair] : level.entries;
    };
    const int first = star_begin(first_row), room = star_begin(last_row) - first;
    if (static_cast<int>(beside_.size()) < room) beside_.resize(room);
    jobs_.clear();
    for (int r = first_row; r < last_row; ++r) {
        const int degree = level.degree(r);
        for (int p = level.pair_offset[r]; p < level.pair_offset[r + 1]; ++p) {
            if (!level.alive[p] || degree == 0) continue;
            int e = level.star_offset[p];
            Cost* saved = beside_.data() + e - first;
            jobs_.push_back({saved, degree, level.star_columns[p], -1, -1, row_price_.data(), column_price_.data(), &ahead_[p]});
            for (int i = level.link_offset[r]; i < level.link_offset[r + 1]; ++i)
                for (int j = 0; j < level.star_columns[p]; ++j, ++e, ++saved) {
                    const int partner = level.partner[e];
                    const Cost paid = level.slack[level.partner_pair[e]] + excess_[live_or(partner, e)] - level.share[e];
                    *saved = std::max<Cost>(0, elsewhere_[i] - paid) & ~static_cast<Cost>(partner >> 31);
                }
        }
    }
    const Cost largest = elsewhere_.empty() ? 0 : *std::max_element(elsewhere_.begin(), elsewhere_.end());
    star_.solve_all(jobs_, largest + largest_share_);
}

// Rules pairs out; for those that stay, the slack becomes what looking ahead has shown.
template <class Cost>
bool Relaxation<Cost>::look_ahead(Level<Cost>& level) {
    const Cost room = cutoff() - level.bound;
    ahead_.resize(level.column.size());
    elsewhere_.resize(level.link_row.size());
    elsewhere_sum_.resize(level.rows());
    for (int r = 0; r < level.rows(); ++r) elsewhere_sum_[r] = price_elsewhere(level, r);
    reserve_prices(level);
    for (int r = 0, next = 0; r < level.rows(); r = next) {
        for (std::size_t pairs = 0; next < level.rows() && pairs < kPairsTogether; ++next)
            pairs += level.pair_offset[next + 1] - level.pair_offset[next];
        match_beside(level, r, next);
    }
    for (int r = 0; r < level.rows(); ++r) {
        const int begin = level.pair_offset[r], end = level.pair_offset[r + 1];
        if (level.degree(r) == 0) {
            std::copy(level.slack.begin() + begin, level.slack.begin() + end, ahead_.begin() + begin);
            continue;
        }
        bool any = false;
        for (int p = begin; p < end; ++p) {
            if (!level.alive[p]) continue;
            const Cost star = level.fixed[p] - level.value[p];
            ahead_[p] = std::max<Cost>(level.slack[p], level.slack[p] + star + elsewhere_sum_[r] - ahead_[p]);
            if (ahead_[p] > room) kill(level, p);
            else any = true;
        }
        if (!any) return false;
    }
    level.slack.swap(ahead_);
    return true;
}

template bool Relaxation<std::int32_t>::evaluate_ahead(Level<std::int32_t>&);
template bool Relaxation<std::int64_t>::evaluate_ahead(Level<std::int64_t>&);

}  // namespace prune4sed
