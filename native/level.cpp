// How subproblems come to be: the root from lists of candidates, a child from its parent by fixing one pair.
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
void Relaxation<Cost>::build(Level<Cost>& level, const std::vector<std::vector<int>>& candidates) {
    const Adjacency& query = instance_.query();
    const int n = instance_.nq(), nt = instance_.nt();
    level = Level<Cost>{};
    level.node = sweep_order(query);
    std::vector<int> row_of(n);
    for (int r = 0; r < n; ++r) row_of[level.node[r]] = r;
    for (int r = 0; r < n; ++r) level.order.push_back(r);

    level.link_offset.push_back(0);
    for (int r = 0; r < n; ++r) {
        const int u = level.node[r];
        const auto neighbours = query.neighbours(u);
        for (std::size_t i = 0; i < neighbours.size(); ++i) {
            const auto back = query.neighbours(neighbours[i]);
            level.link_row.push_back(row_of[neighbours[i]]);
            level.link_back.push_back(static_cast<int>(std::lower_bound(back.begin(), back.end(), u) - back.begin()));
            level.link_class.push_back(instance_.incident_classes(u)[i]);
        }
        level.link_offset.push_back(static_cast<int>(level.link_row.size()));
    }

    level.base = scale_ * static_cast<Cost>(instance_.all_edges_cost());
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
    level.slack.assign(pairs, 0);
    level.alive.assign(pairs, 1);

    number_star_columns(level);
    link_stars(level);
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
    level.share.assign(entries + StarMatching<Cost>::kReadAhead, 0);
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
                level.share[e] = scale_ / 2 * static_cast<Cost>(gain);
            }
        }
    }
}

// The child in which parent row `row` is fixed to the column of `pair` (row < 0: the same level, dead pairs gone).
// The assignment test comes first, on values inherited from the parent where the fixed node is no neighbour;
// most children end there and never get stars of their own.
template <class Cost>
bool Relaxation<Cost>::derive(const Level<Cost>& parent, Level<Cost>& child, int row, int pair) {
    derive_rows(parent, child, row);
    if (!derive_pairs(parent, child, row, pair)) return false;
    if (!assign(child)) return false;
    keep_filtered(parent, child);
    derive_stars(parent, child);
    return true;
}

template <class Cost>
void Relaxation<Cost>::derive_rows(const Level<Cost>& parent, Level<Cost>& child, int row) {
    const int rows = parent.rows();
    skip_.assign(rows, -1);  // where a row's links name the fixed row
    if (row >= 0)
        for (int i = parent.link_offset[row]; i < parent.link_offset[row + 1]; ++i)
            skip_[parent.link_row[i]] = parent.link_back[i];
    child.node.clear();
    child.link_offset.assign(1, 0);
    child.link_row.clear();
    child.link_back.clear();
    child.link_class.clear();
    for (int r = 0; r < rows; ++r) {
        if (r == row) continue;
        child.node.push_back(parent.node[r]);
        for (int i = parent.link_offset[r]; i < parent.link_offset[r + 1]; ++i) {
            const int w = parent.link_row[i], back = parent.link_back[i];
            if (w == row) continue;
            child.link_row.push_back(w - (row >= 0 && w > row));
            child.link_back.push_back(back - (skip_[w] >= 0 && skip_[w] < back));
            child.link_class.push_back(parent.link_class[i]);
        }
        child.link_offset.push_back(static_cast<int>(child.link_row.size()));
    }
    order_rows(parent, child, row);
}

// Sweeps begin beside the row that has been fixed, where there is news, and go on from neighbour to neighbour.
template <class Cost>
void Relaxation<Cost>::order_rows(const Level<Cost>& parent, Level<Cost>& child, int row) {
    child.order.clear();
    seen_.assign(child.rows(), 0);
    const auto add = [&](int r) {
        if (!seen_[r]) child.order.push_back(r);
        seen_[r] = 1;
    };
    if (row >= 0)
        for (int i = parent.link_offset[row]; i < parent.link_offset[row + 1]; ++i)
            add(parent.link_row[i] - (parent.link_row[i] > row));
    std::size_t done = 0;
    for (int start = 0; start < child.rows(); add(start++))
        for (; done < child.order.size(); ++done)
            for (int i = child.link_offset[child.order[done]]; i < child.link_offset[child.order[done] + 1]; ++i)
                add(child.link_row[i]);
}

// Which column of a star stands for a target node; -1 if no entry of it is live.
template <class Cost>
int Relaxation<Cost>::star_column(const Level<Cost>& level, int pair, int degree, int target) const {
    const int columns = level.star_columns[pair], begin = level.star_offset[pair];
    for (int e = begin; e < begin + degree * columns; ++e)
        if (level.partner[e] >= 0 && level.column[level.partner_pair[e]] == target) return (e - begin) % columns;
    return -1;
}

template <class Cost>
bool Relaxation<Cost>::derive_pairs(const Level<Cost>& parent, Level<Cost>& child, int row, int pair) {
    const int taken = row >= 0 ? parent.column[pair] : -1;
    child.base = parent.base + (row >= 0 ? parent.fixed[pair] : Cost{0});
    child.pair_offset.assign(1, 0);
    child.column.clear();
    child.fixed.clear();
    child.value.clear();
    origin_.clear();
    selected_.assign(parent.column.size(), 0);
    reserve_prices(parent);
    for (int r = 0; r < parent.rows(); ++r) {
        if (r == row) continue;
        const int degree = parent.degree(r), skip = skip_[r], rows = degree - (skip >= 0);
        const int begin = static_cast<int>(child.column.size()), most = parent.pair_offset[r + 1] - parent.pair_offset[r];
        std::size_t entries = 0;
        jobs_.clear();
        child.value.resize(begin + most);  // so that no job's place moves
        for (int p = parent.pair_offset[r]; p < parent.pair_offset[r + 1]; ++p) {
            const int c = parent.column[p];
            if (!parent.alive[p] || c == taken) continue;
            Cost fixed = parent.fixed[p];
            const bool beside = row >= 0 && instance_.adjacent(taken, c);
            if (skip >= 0) fixed -= scaled_gain(parent.link_class[parent.link_offset[r] + skip], taken, c);
            Cost& value = child.value[child.column.size()];
            value = fixed - (parent.fixed[p] - parent.value[p]);
            if (skip >= 0 || beside) {
                jobs_.push_back({parent.share.data() + parent.star_offset[p], parent.star_columns[p],
                                 beside ? star_column(parent, p, degree, taken) : -1, row_price_.data(),
                                 column_price_.data(), &value});
                entries += static_cast<std::size_t>(degree) * parent.star_columns[p];
            }
            selected_[p] = 1;
            origin_.push_back(p);
            child.column.push_back(c);
            child.fixed.push_back(fixed);
        }
        if (static_cast<int>(child.column.size()) == begin) return false;
        star_.solve_all(jobs_, rows, skip);
        for (const auto& job : jobs_) *job.value = child.fixed[job.value - child.value.data()] - *job.value;
        child.value.resize(child.column.size());
        child.pair_offset.push_back(static_cast<int>(child.column.size()));
        if (pause(entries)) return false;
    }
    child.alive.assign(child.column.size(), 1);
    return true;
}

// Reduced-cost filter and compaction in one go.
template <class Cost>
void Relaxation<Cost>::keep_filtered(const Level<Cost>& parent, Level<Cost>& child) {
    const Cost room = cutoff() - child.bound;
    const int rows = child.rows();
    new_index_.resize(parent.column.size());
    child.pair_row.clear();
    child.slack.clear();
    int kept = 0, begin = 0;
    for (int r = 0; r < rows; ++r) {
        const int end = child.pair_offset[r + 1];
        for (int i = begin; i < end; ++i) {
            const Cost slack = child.value[i] - assignment_.row_dual(r) - assignment_.column_dual(child.column[i]);
            if (slack > room) {
                selected_[origin_[i]] = 0;
                continue;
            }
            new_index_[origin_[i]] = kept;
            origin_[kept] = origin_[i];
            child.column[kept] = child.column[i];
            child.fixed[kept] = child.fixed[i];
            child.value[kept] = child.value[i];
            child.pair_row.push_back(r);
            child.slack.push_back(slack);
            ++kept;
        }
        begin = end;
        child.pair_offset[r + 1] = kept;
    }
    origin_.resize(kept);
    child.column.resize(kept);
    child.fixed.resize(kept);
    child.value.resize(kept);
    child.alive.assign(kept, 1);
}

// Copies what is left of a star: entries whose partner pair survived, and columns that still have such an entry.
template <class Cost>
int Relaxation<Cost>::copy_star(const Level<Cost>& parent, Level<Cost>& child, int pair, int child_pair, int next) {
    const int row = parent.pair_row[pair], degree = parent.degree(row), skip = skip_[row];
    const int columns = parent.star_columns[pair], begin = parent.star_offset[pair];
    const int* partner = parent.partner.data() + begin;
    const int* partner_pair = parent.partner_pair.data() + begin;
    const Cost* share = parent.share.data() + begin;
    live_.resize(degree * columns);
    column_live_.assign(columns, 0);
    for (int i = 0; i < degree; ++i) {
        if (i == skip) continue;
        for (int j = 0, e = i * columns; j < columns; ++j, ++e) {
            live_[e] = static_cast<char>(partner[e] >= 0) & selected_[partner_pair[e]];
            column_live_[j] |= live_[e];
        }
    }
    kept_columns_.clear();
    for (int j = 0; j < columns; ++j)
        if (column_live_[j]) kept_columns_.push_back(j);
    child.star_columns[child_pair] = static_cast<int>(kept_columns_.size());
    for (int i = 0; i < degree; ++i) {
        if (i == skip) continue;
        for (int j : kept_columns_) {
            const int e = i * columns + j;
            const bool on = live_[e];
            new_entry_[begin + e] = next;
            child.partner[next] = on ? partner[e] : -1;  // renumbered by the caller
            child.partner_pair[next] = on ? new_index_[partner_pair[e]] : 0;
            child.share[next] = on ? share[e] : Cost{0};
            ++next;
        }
    }
    return next;
}

template <class Cost>
void Relaxation<Cost>::derive_stars(const Level<Cost>& parent, Level<Cost>& child) {
    const int pairs = static_cast<int>(child.column.size());
    std::size_t capacity = 0;
    for (int p : origin_) capacity += static_cast<std::size_t>(parent.degree(parent.pair_row[p])) * parent.star_columns[p];
    if (static_cast<int>(new_entry_.size()) < parent.entries) new_entry_.resize(parent.entries);
    if (child.partner.size() < capacity) {
        for (auto* entries : {&child.partner, &child.partner_pair}) {
            entries->clear();  // nothing to keep when it moves
            entries->resize(capacity);
        }
        child.share.clear();
        child.share.resize(capacity + StarMatching<Cost>::kReadAhead);
    }
    child.star_offset.resize(pairs);
    child.star_columns.resize(pairs);
    int next = 0;
    for (int c = 0; c < pairs; ++c) {
        child.star_offset[c] = next;
        next = copy_star(parent, child, origin_[c], c, next);
    }
    for (int e = 0; e < next; ++e)
        if (child.partner[e] >= 0) child.partner[e] = new_entry_[child.partner[e]];
    child.entries = next;
    work_ += next;
}

template void Relaxation<std::int32_t>::build(Level<std::int32_t>&, const std::vector<std::vector<int>>&);
template void Relaxation<std::int64_t>::build(Level<std::int64_t>&, const std::vector<std::vector<int>>&);
template bool Relaxation<std::int32_t>::derive(const Level<std::int32_t>&, Level<std::int32_t>&, int, int);
template bool Relaxation<std::int64_t>::derive(const Level<std::int64_t>&, Level<std::int64_t>&, int, int);

}  // namespace prune4sed
