#include "local_search.hpp"

#include <algorithm>
#include <array>

#include "portable_math.hpp"

namespace prune4sed {
namespace {

constexpr std::uint64_t kSeed = 88172645463325252ULL;  // fixed: the same pair gives the same answer
constexpr int kStepsPerTemperature = 64;
constexpr int kStepsPerCheck = 1024;
constexpr int kTriesForLabel = 3;  // hubs have many neighbours of other labels

// A uniform number r accepts a rise d at temperature T when d < -T ln r; the logarithms are tabulated once.
const std::array<double, 4096>& rise_table() {
    static const std::array<double, 4096> table = [] {
        std::array<double, 4096> values{};
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = -portable_log((i + 0.5) / values.size());
        return values;
    }();
    return table;
}

}  // namespace

void LocalSearch::prepare(StopWatch& watch) {
    watch_ = &watch;
    state_ = kSeed;
    all_kept_ = !instance_.deletions() && instance_.nt() > 0 && instance_.edge_classes_of(0) != nullptr;
    if (static_cast<int>(same_label_.size()) < instance_.num_label_classes())
        same_label_.resize(instance_.num_label_classes());
    for (auto& nodes : same_label_) nodes.clear();
    for (int v = 0; v < instance_.nt(); ++v)
        if (instance_.target_class(v) >= 0) same_label_[instance_.target_class(v)].push_back(v);
}

bool LocalSearch::offer(const std::vector<int>& mapping) {
    std::int64_t cost = instance_.map_cost(mapping);
    if (cost >= incumbent_.cost) return false;
    polished_ = mapping;
    descend(polished_, cost);
    return incumbent_.offer(polished_, cost);
}

std::int64_t LocalSearch::relocation(int u, int column, int except) const {
    const int old = image_[u];
    const auto neighbours = instance_.query().neighbours(u);
    const int* classes = instance_.incident_classes(u);
    std::int64_t cost = instance_.node_cost(u, column) - instance_.node_cost(u, old);
    if (all_kept_) {  // nearly always, and annealing does little else: no branch in the loop
        const std::uint8_t *before = instance_.edge_classes_of(old), *after = instance_.edge_classes_of(column);
        for (std::size_t i = 0; i < neighbours.size(); ++i) {
            const int w = neighbours[i], x = image_[w];
            const std::int64_t lost = instance_.class_gain(classes[i], before[x]) - instance_.class_gain(classes[i], after[x]);
            cost += w == except ? 0 : lost;
        }
        return cost;
    }
    const bool had = instance_.is_target(old), has = instance_.is_target(column);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
        const int w = neighbours[i], x = image_[w];
        if (w == except || !instance_.is_target(x)) continue;
        if (had) cost += instance_.edge_gain(classes[i], x, old);
        if (has) cost -= instance_.edge_gain(classes[i], x, column);
    }
    return cost;
}

auto LocalSearch::plan(int u, int column) const -> Move {
    const int z = instance_.is_target(column) ? owner_[column] : -1;
    if (z < 0) return {u, column, -1, -1};
    // A deleted u has no target node to hand over, so z is deleted in its stead.
    return {u, column, z, instance_.is_target(image_[u]) ? image_[u] : instance_.nt() + z};
}

std::int64_t LocalSearch::change(const Move& m) const {
    std::int64_t delta = relocation(m.u, m.column, m.z);
    if (m.z < 0) return delta;
    delta += relocation(m.z, m.other_column, m.u);
    if (!instance_.is_target(m.other_column)) {  // an exchange keeps the edge u-z as it was; a deletion loses it
        const auto neighbours = instance_.query().neighbours(m.u);
        for (std::size_t i = 0; i < neighbours.size(); ++i)
            if (neighbours[i] == m.z)
                delta += instance_.column_gain(instance_.incident_classes(m.u)[i], image_[m.u], image_[m.z]);
    }
    return delta;
}

void LocalSearch::apply(const Move& m) {
    if (instance_.is_target(image_[m.u])) owner_[image_[m.u]] = -1;
    image_[m.u] = m.column;
    if (m.z >= 0) {
        image_[m.z] = m.other_column;
        if (instance_.is_target(m.other_column)) owner_[m.other_column] = m.z;
    }
    if (instance_.is_target(m.column)) owner_[m.column] = m.u;
}

void LocalSearch::adopt(const std::vector<int>& mapping) {
    image_ = mapping;
    owner_.assign(instance_.nt(), -1);
    for (int u = 0; u < instance_.nq(); ++u)
        if (instance_.is_target(image_[u])) owner_[image_[u]] = u;
}

void LocalSearch::descend(std::vector<int>& mapping, std::int64_t& cost) {
    adopt(mapping);
    int tried = 0;
    for (bool improved = true; improved;) {
        improved = false;
        for (int u = 0; u < instance_.nq(); ++u)
            for (int w : instance_.query().neighbours(u)) {
                const int y = image_[w];
                if (!instance_.is_target(y)) continue;
                for (int v : instance_.target().neighbours(y)) {
                    if (v == image_[u]) continue;
                    if (++tried % kStepsPerCheck == 0 && watch_->overdue()) {
                        mapping = image_;
                        return;
                    }
                    const Move move = plan(u, v);
                    const std::int64_t delta = change(move);
                    if (delta >= 0) continue;
                    apply(move);
                    cost += delta;
                    improved = true;
                    break;
                }
            }
    }
    mapping = image_;
}

// Mostly a target node next to the image of one of u's neighbours; sometimes one with u's label, another query
// node's image, or u's deletion.
int LocalSearch::propose(int u) {
    const int degree = instance_.query().degree(u), nt = instance_.nt();
    const int kind = random() >> 28;
    if (kind < 14 && degree > 0) {
        const int y = image_[instance_.query().neighbours(u)[pick(degree)]];
        if (instance_.is_target(y) && instance_.target().degree(y) > 0) {
            const auto around = instance_.target().neighbours(y);
            const auto any = [&] { return around[pick(static_cast<int>(around.size()))]; };
            int v = any();
            for (int k = kind < 10 ? kTriesForLabel : 0; k > 0 && instance_.node_cost(u, v) > 0; --k) v = any();
            return v;
        }
        return pick(nt);
    }
    if (kind == 15) {
        if (instance_.deletions() && (random() >> 31)) return nt + u;
        const int column = image_[pick(instance_.nq())];
        return instance_.is_target(column) ? column : pick(nt);
    }
    const auto& same = same_label_[instance_.label_class(u)];
    return same.empty() ? pick(nt) : same[pick(static_cast<int>(same.size()))];
}

void LocalSearch::anneal(const std::vector<int>& start, int steps, double hot, double cold, std::int64_t target) {
    if (instance_.nt() == 0 || instance_.nq() == 0) return;
    const auto& rise = rise_table();
    const auto& costs = instance_.costs();
    const double unit = static_cast<double>(std::max(costs.edge_deletion, costs.node_relabel));
    adopt(start);
    std::int64_t cost = instance_.map_cost(image_);
    incumbent_.offer(image_, cost);
    double temperature = hot * unit;
    const double cooling = portable_exp(std::max(-1.0, portable_log(cold / hot) * kStepsPerTemperature / steps));
    for (int s = 0; s < steps; ++s) {
        if (s % kStepsPerTemperature == 0 && s > 0) {
            temperature *= cooling;
            if (s % kStepsPerCheck == 0 && watch_->check()) return;
        }
        const int u = pick(instance_.nq());
        const int column = propose(u);
        if (column == image_[u]) continue;
        const Move move = plan(u, column);
        const std::int64_t delta = change(move);
        if (delta > 0 && static_cast<double>(delta) >= temperature * rise[random() >> 20]) continue;
        apply(move);
        cost += delta;
        if (cost < incumbent_.cost) {
            incumbent_.offer(image_, cost);
            if (cost <= target) return;
        }
    }
}

}  // namespace prune4sed
