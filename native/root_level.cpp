// The first subproblem: every query node with the columns that it may still use.
#include "relaxation.hpp"

namespace prune4sed {
namespace {

// Breadth-first from a node of highest degree: neighbours stay close, so a sweep carries news along edges.
std::vector<int> sweep_order(const Adjacency& query) {
    const int n = query.num_nodes();
    std::vector<int> by_degree(n), order;
    for (int u = 0; u < n; ++u) by_degree[u] = u;
    std::stable_sort(by_degree.begin(), by_degree.end(), [&](int a, int b) { return query.degree(a) > query.degree(b); });
    std::vector<char> seen(n, 0);
    for (int start : by_degree) {
        if (seen[start]) continue;
        seen[start] = 1;
        order.push_back(start);
        for (std::size_t i = order.size() - 1; i < order.size(); ++i)
            for (int w : query.neighbours(order[i]))
                if (!seen[w]) {
                    seen[w] = 1;
                    order.push_back(w);
                }
    }
    return order;
}

}  // namespace

template <class Cost>
void Relaxation<Cost>::build(Level<Cost>& level, const std::vector<std::vector<int>>& candidates, RingSet rings) {
    const int n = instance_.nq(), nt = instance_.nt();
    level = Level<Cost>{};
    level.node = sweep_order(instance_.query());
    for (int r = 0; r < n; ++r) level.order.push_back(r);
    link_rows(level);

    level.rings = level.wanted = rings;
    level.base = scale_ * static_cast<Cost>(instance_.all_edges_cost()) - rings_.granted(rings);
    pair_at_.assign(static_cast<std::size_t>(n) * nt, -1);
    level.pair_offset.push_back(0);
    for (int r = 0; r < n; ++r) {
        for (int c : candidates[level.node[r]]) {
            if (c < nt) pair_at_[static_cast<std::size_t>(r) * nt + c] = static_cast<int>(level.column.size());
            level.column.push_back(c);
            level.pair_row.push_back(r);
            level.fixed.push_back(scale_ * static_cast<Cost>(instance_.node_cost(level.node[r], c)));
        }
        level.pair_offset.push_back(static_cast<int>(level.column.size()));
    }
    const int pairs = static_cast<int>(level.column.size());
    level.value = level.fixed;
    level.reduced.assign(pairs, 0);
    level.slack.assign(pairs, 0);
    level.alive.assign(pairs, 1);

    number_star_columns(level);
    link_stars(level);
}

// The links of a row are in the order of the rows that they lead to, here and in all levels below.
template <class Cost>
void Relaxation<Cost>::link_rows(Level<Cost>& level) {
    const Adjacency& query = instance_.query();
    const int n = level.rows();
    std::vector<int> row_of(n), next(1, 0);
    for (int r = 0; r < n; ++r) {
        row_of[level.node[r]] = r;
        next.push_back(next.back() + query.degree(level.node[r]));
    }
    level.link_offset = next;
    for (auto* links : {&level.link_row, &level.link_back, &level.link_class, &level.link_edge}) links->resize(next.back());
    for (int w = 0; w < n; ++w) {
        const auto neighbours = query.neighbours(level.node[w]);
        for (std::size_t i = 0; i < neighbours.size(); ++i) {
            const int link = next[row_of[neighbours[i]]]++;
            level.link_row[link] = w;
            level.link_class[link] = instance_.incident_classes(level.node[w])[i];
            level.link_edge[link] = query.edge_ids(level.node[w])[i];
        }
    }
    std::fill(next.begin(), next.end(), 0);
    for (int r = 0; r < n; ++r)
        for (int i = level.link_offset[r]; i < level.link_offset[r + 1]; ++i) level.link_back[i] = next[level.link_row[i]]++;
}

// A star column is a neighbour of the pair's target node that some neighbouring row can still use. Every pair lists,
// for each neighbour of its target node, the number of its star column, or -1.
template <class Cost>
void Relaxation<Cost>::number_star_columns(Level<Cost>& level) {
    const int nt = instance_.nt();
    usable_.assign(nt, -1);
    column_number_.clear();
    column_offset_.clear();
    int entries = 0;
    for (int r = 0; r < level.rows(); ++r) {
        for (int i = level.link_offset[r]; i < level.link_offset[r + 1]; ++i) {
            const int w = level.link_row[i];
            for (int p = level.pair_offset[w]; p < level.pair_offset[w + 1]; ++p)
                if (level.column[p] < nt) usable_[level.column[p]] = r;
        }
        for (int p = level.pair_offset[r]; p < level.pair_offset[r + 1]; ++p) {
            column_offset_.push_back(static_cast<int>(column_number_.size()));
            int columns = 0;
            if (level.column[p] < nt)
                for (int x : instance_.target().neighbours(level.column[p]))
                    column_number_.push_back(usable_[x] == r ? columns++ : -1);
            level.star_columns.push_back(columns);
            level.star_offset.push_back(entries);
            entries += level.degree(r) * columns;
        }
    }
    level.entries = entries;
    level.partner.assign(entries, -1);
    level.partner_pair.assign(entries, 0);
    level.share.assign(entries, 0);
}

// Joins the two entries of every query edge and target edge, and halves the saving between them.
template <class Cost>
void Relaxation<Cost>::link_stars(Level<Cost>& level) {
    const Adjacency& target = instance_.target();
    const int nt = instance_.nt();
    for (std::size_t p = 0; p < level.column.size(); ++p) {
        const int r = level.pair_row[p], v = level.column[p];
        if (level.star_columns[p] == 0) continue;
        const auto neighbours = target.neighbours(v);
        const auto back = target.back_positions(v);
        const auto edges = target.edge_ids(v);
        for (int i = level.link_offset[r]; i < level.link_offset[r + 1]; ++i) {
            const int* pair_of = pair_at_.data() + static_cast<std::size_t>(level.link_row[i]) * nt;
            const Cost less = rings_.of_edge(level.link_edge[i], level.rings) / 2;
            const int line = level.star_offset[p] + (i - level.link_offset[r]) * level.star_columns[p];
            for (std::size_t k = 0; k < neighbours.size(); ++k) {
                const int q = pair_of[neighbours[k]];
                if (q < 0) continue;
                const auto gain = instance_.class_gain(level.link_class[i], instance_.target_edge_class(edges[k]));
                if (gain == 0) continue;
                const int e = line + column_number_[column_offset_[p] + k];
                level.partner[e] = level.star_offset[q] + level.link_back[i] * level.star_columns[q] +
                                   column_number_[column_offset_[q] + back[k]];
                level.partner_pair[e] = q;
                level.share[e] = scale_ / 2 * static_cast<Cost>(gain) - less;
            }
        }
    }
}

template void Relaxation<std::int32_t>::build(Level<std::int32_t>&, const std::vector<std::vector<int>>&, RingSet);
template void Relaxation<std::int64_t>::build(Level<std::int64_t>&, const std::vector<std::vector<int>>&, RingSet);

}  // namespace prune4sed
