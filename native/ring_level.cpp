// Levels that keep the edges of some rings at a penalty, and how the penalty ends.
//
// A ring that has lost an edge for certain has nothing more to say, and one that the relaxation does not keep whole
// anyway only lowers the bound: what is granted stays, and what is paid falls. Their penalties are given back in the
// children, where the edges save all they can again.
#include "relaxation.hpp"

namespace prune4sed {

// What is left of these rings once the image of u is known.
template <class Cost>
RingSet Relaxation<Cost>::still_whole(RingSet rings, int u) const {
    if (rings == 0) return 0;
    const auto neighbours = instance_.query().neighbours(u);
    const auto edges = instance_.query().edge_ids(u);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
        const int image = assigned_[neighbours[i]];
        const bool open = instance_.is_target(assigned_[u]) && image < 0;
        if (!open && instance_.column_gain(instance_.incident_classes(u)[i], assigned_[u], image) == 0)
            rings &= ~rings_.through(edges[i]);
    }
    return rings_.scarce(rings);
}

// Gives the penalties of some rings back to a level that has its pairs but not its stars.
template <class Cost>
void Relaxation<Cost>::give_back_values(Level<Cost>& level, RingSet before) {
    const RingSet gone = before & ~level.rings;
    if (gone == 0) return;
    level.base += rings_.granted(before) - rings_.granted(level.rings);
    row_of_.assign(instance_.nq(), -1);
    for (int r = 0; r < level.rows(); ++r) row_of_[level.node[r]] = r;
    for (int u = 0; u < instance_.nq(); ++u) {
        const auto neighbours = instance_.query().neighbours(u);
        for (std::size_t i = 0; i < neighbours.size(); ++i) {
            const Cost back = rings_.of_edge(instance_.query().edge_ids(u)[i], gone);
            const int edge_class = instance_.incident_classes(u)[i], image = assigned_[neighbours[i]];
            if (back == 0) continue;
            if (row_of_[u] >= 0) give_back_to_row(level, row_of_[u], edge_class, image, back);
            else if (neighbours[i] > u && image >= 0 && instance_.column_gain(edge_class, assigned_[u], image) > 0)
                level.base -= back;  // kept for certain, and counted at one end
        }
    }
}

// The part of an edge from an open row. Beside an open row its values count on the edge being kept, for now: that is half of
// what comes back at most, for the other half goes to the other end.
template <class Cost>
void Relaxation<Cost>::give_back_to_row(Level<Cost>& level, int row, int edge_class, int image, Cost back) {
    for (int p = level.pair_offset[row]; p < level.pair_offset[row + 1]; ++p) {
        if (image < 0) {
            level.value[p] -= back / 2;
        } else if (instance_.column_gain(edge_class, level.column[p], image) > 0) {
            level.fixed[p] -= back;
            level.value[p] -= back;
        }
    }
}

// The same for the shares, once the level has its stars.
template <class Cost>
void Relaxation<Cost>::give_back_shares(Level<Cost>& level, RingSet before) {
    const RingSet gone = before & ~level.rings;
    if (gone == 0) return;
    for (int r = 0; r < level.rows(); ++r)
        for (int i = level.link_offset[r]; i < level.link_offset[r + 1]; ++i) {
            const Cost back = rings_.of_edge(level.link_edge[i], gone) / 2;
            if (back == 0) continue;
            for (int p = level.pair_offset[r]; p < level.pair_offset[r + 1]; ++p) {
                const int begin = level.star_offset[p] + (i - level.link_offset[r]) * level.star_columns[p];
                for (int e = begin; e < begin + level.star_columns[p]; ++e)
                    if (level.partner[e] >= 0) level.share[e] += back;
            }
        }
}

// The entries that the stars of the last assignment match: each is an edge counted as kept, from one of its ends.
template <class Cost>
void Relaxation<Cost>::collect_used(const Level<Cost>& level) {
    used_pair_.clear();
    int columns = 0;
    for (int r = 0; r < level.rows(); ++r) {
        if (level.degree(r) == 0) continue;
        int pair = level.pair_offset[r];
        while (level.column[pair] != assignment_.matched_column(r)) ++pair;
        used_pair_.push_back(pair);
        columns += level.star_columns[pair];
    }
    reserve_prices(level);
    matched_row_.resize(columns);
    used_value_.resize(used_pair_.size());
    jobs_.clear();
    int* row_of = matched_row_.data();
    for (int pair : used_pair_) {
        const int degree = level.degree(level.pair_row[pair]), columns_here = level.star_columns[pair];
        jobs_.push_back({level.share.data() + level.star_offset[pair], degree, columns_here, -1, -1, row_price_.data(),
                         column_price_.data(), &used_value_[jobs_.size()], row_of});
        row_of += columns_here;
    }
    star_.solve_all(jobs_, largest_share_);
    used_entry_.clear();
    for (const Job& job : jobs_)
        for (int j = 0; j < job.columns; ++j) {
            const auto entry = static_cast<int>(job.weight - level.share.data()) + job.row_of[j] * job.columns + j;
            if (job.row_of[j] >= 0 && level.partner[entry] >= 0) used_entry_.push_back(entry);
        }
}

// By the stars that the last assignment uses, and by what is fixed.
template <class Cost>
RingSet Relaxation<Cost>::overdone_rings(const Level<Cost>& level, RingSet rings) {
    if (rings == 0) return 0;
    kept_halves_.assign(instance_.query().num_edges(), 0);
    count_fixed_edges();
    collect_used(level);
    for (int e : used_entry_) {
        const int pair = level.partner_pair[level.partner[e]], link = (e - level.star_offset[pair]) / level.star_columns[pair];
        ++kept_halves_[level.link_edge[level.link_offset[level.pair_row[pair]] + link]];
    }
    return rings_.overdone(rings, kept_halves_);
}

// Edges with a fixed end are kept as a whole or not at all, where the last assignment puts the other.
template <class Cost>
void Relaxation<Cost>::count_fixed_edges() {
    for (int u = 0; u < instance_.nq(); ++u) {
        if (assigned_[u] < 0) continue;
        const auto neighbours = instance_.query().neighbours(u);
        for (std::size_t i = 0; i < neighbours.size(); ++i)
            if (instance_.column_gain(instance_.incident_classes(u)[i], assigned_[u], candidate_map_[neighbours[i]]) > 0)
                kept_halves_[instance_.query().edge_ids(u)[i]] = 2;
    }
}

template RingSet Relaxation<std::int32_t>::still_whole(RingSet, int) const;
template void Relaxation<std::int32_t>::give_back_values(Level<std::int32_t>&, RingSet);
template void Relaxation<std::int32_t>::give_back_shares(Level<std::int32_t>&, RingSet);
template RingSet Relaxation<std::int32_t>::overdone_rings(const Level<std::int32_t>&, RingSet);
template RingSet Relaxation<std::int64_t>::still_whole(RingSet, int) const;
template void Relaxation<std::int64_t>::give_back_values(Level<std::int64_t>&, RingSet);
template void Relaxation<std::int64_t>::give_back_shares(Level<std::int64_t>&, RingSet);
template RingSet Relaxation<std::int64_t>::overdone_rings(const Level<std::int64_t>&, RingSet);

}  // namespace prune4sed
