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

template <class Cost>
bool Relaxation<Cost>::evaluate_ahead(Level<Cost>& level) {
    price_begin_.assign(1, 0);
    for (int r = 0; r < level.rows(); ++r)
        price_begin_.push_back(price_begin_[r] + level.degree(r) * (level.pair_offset[r + 1] - level.pair_offset[r]));
    if (static_cast<int>(edge_price_.size()) < price_begin_.back()) edge_price_.resize(price_begin_.back());
    if (static_cast<int>(excess_.size()) < level.entries) {
        excess_.clear();  // nothing to keep when it moves
        excess_.resize(level.entries);
    }
    for (int r = 0; r < level.rows(); ++r) {
        if (level.degree(r) == 0) continue;
        if (pause(solve_row(level, r))) return true;
        keep_prices(level, r);
    }
    if (!assign(level)) return false;
    level.wanted = overdone_rings(level, level.rings);
    return filter(level) && look_ahead(level);
}

// What solve_row has just found: the price of every edge at each pair, and by how much prices exceed each share.
template <class Cost>
void Relaxation<Cost>::keep_prices(const Level<Cost>& level, int row) {
    const int degree = level.degree(row), begin = level.pair_offset[row], end = level.pair_offset[row + 1];
    std::copy_n(row_price_.begin(), degree * (end - begin), edge_price_.begin() + price_begin_[row]);
    for (int p = begin; p < end; ++p) {
        if (!level.alive[p]) continue;
        const Cost* row_price = row_price_.data() + (p - begin) * degree;
        const Cost* column_price = column_price_.data() + price_offset_[p - begin];
        int e = level.star_offset[p];
        for (int i = 0; i < degree; ++i)
            for (int j = 0; j < level.star_columns[p]; ++j, ++e)
                excess_[e] = row_price[i] + column_price[j] - level.share[e];
    }
}

// What each neighbour of a row pays at least if it does without their edge; returns the sum.
template <class Cost>
Cost Relaxation<Cost>::price_elsewhere(const Level<Cost>& level, int row) {
    const int degree = level.degree(row);
    elsewhere_.resize(degree);
    Cost sum = 0;
    for (int i = 0; i < degree; ++i) {
        const int link = level.link_offset[row] + i, w = level.link_row[link], stride = level.degree(w);
        const Cost* price = edge_price_.data() + price_begin_[w] + level.link_back[link];
        Cost least = Assignment<Cost>::kForbidden;
        for (int q = level.pair_offset[w]; q < level.pair_offset[w + 1]; ++q, price += stride)
            if (level.alive[q]) least = std::min<Cost>(least, level.slack[q] + *price);
        elsewhere_[i] = least;
        sum += least;
    }
    return sum;
}

// The most that the neighbours of u save by staying beside v, for all pairs (u, v) of a row.
template <class Cost>
void Relaxation<Cost>::match_beside(const Level<Cost>& level, int row) {
    const int degree = level.degree(row), begin = level.pair_offset[row], end = level.pair_offset[row + 1];
    const int first = level.star_offset[begin], last = level.star_offset[end - 1] + degree * level.star_columns[end - 1];
    const std::size_t room = static_cast<std::size_t>(last - first) + StarMatching<Cost>::kReadAhead;
    if (beside_.size() < room) beside_.resize(room);
    jobs_.clear();
    for (int p = begin; p < end; ++p) {
        if (!level.alive[p]) continue;
        Cost* saved = beside_.data() + level.star_offset[p] - first;
        jobs_.push_back({saved, level.star_columns[p], -1, row_price_.data(), column_price_.data(), &ahead_[p]});
        int e = level.star_offset[p];
        for (int i = 0; i < degree; ++i)
            for (int j = 0; j < level.star_columns[p]; ++j, ++e, ++saved) {
                const int partner = level.partner[e];
                const Cost paid = level.slack[level.partner_pair[e]] + excess_[live_or(partner, e)] - level.share[e];
                *saved = std::max<Cost>(0, elsewhere_[i] - paid) & ~static_cast<Cost>(partner >> 31);
            }
    }
    const Cost largest = *std::max_element(elsewhere_.begin(), elsewhere_.end()) + largest_share_;
    star_.solve_all(jobs_, degree, -1, largest);
}

// Rules pairs out; for those that stay, the slack becomes what looking ahead has shown. Prices of stars that have lost
// entries since stay valid, so the order of the rows does not matter for that.
template <class Cost>
bool Relaxation<Cost>::look_ahead(Level<Cost>& level) {
    const Cost room = cutoff() - level.bound;
    ahead_.resize(level.column.size());
    reserve_prices(level);
    for (int r = 0; r < level.rows(); ++r) {
        const int begin = level.pair_offset[r], end = level.pair_offset[r + 1];
        if (level.degree(r) == 0) {
            std::copy(level.slack.begin() + begin, level.slack.begin() + end, ahead_.begin() + begin);
            continue;
        }
        const Cost elsewhere = price_elsewhere(level, r);
        match_beside(level, r);
        bool any = false;
        for (int p = begin; p < end; ++p) {
            if (!level.alive[p]) continue;
            const Cost star = level.fixed[p] - level.value[p];
            ahead_[p] = std::max<Cost>(level.slack[p], level.slack[p] + star + elsewhere - ahead_[p]);
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
