#include "symmetry.hpp"

#include <algorithm>
#include <numeric>

namespace prune4sed {
namespace {

constexpr int kRounds = 10;           // of refinement; fewer than it may take only means coarser guesses
constexpr int kSmallCell = 8;         // up to here every two nodes of a cell are tried, beyond only neighbours in it

std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

void order_by(const std::vector<std::uint64_t>& colour, std::vector<int>& order) {
    order.resize(colour.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return std::pair(colour[a], a) < std::pair(colour[b], b); });
}

}  // namespace

// Colour refinement by hashing. A collision can only make colours equal that are not, and a wrong guess that comes
// of it does not survive is_automorphism().
void Symmetries::refine(std::vector<Hash>& colour) {
    effort_ -= graph_->num_nodes() / 2;
    if (watch_ && watch_->check()) effort_ = 0;
    next_.resize(colour.size());
    for (int round = 0; round < kRounds; ++round) {
        for (int v = 0; v < graph_->num_nodes(); ++v) {
            Hash sum = mix(~colour[v]);  // unlike a neighbour's, or the nodes of a triangle would look alike for ever
            const auto neighbours = graph_->neighbours(v);
            const auto ids = graph_->edge_ids(v);
            for (std::size_t i = 0; i < neighbours.size(); ++i)
                sum += mix(colour[neighbours[i]] + static_cast<Hash>(edge_class_[ids[i]]));
            next_[v] = mix(sum);
        }
        colour.swap(next_);
    }
}

void Symmetries::find(const Adjacency& graph, std::span<const int> node_colour, std::span<const int> edge_class,
                      std::int64_t effort, StopWatch* watch) {
    effort_ = effort;
    watch_ = watch;
    graph_ = &graph;
    node_colour_ = node_colour;
    edge_class_ = edge_class;
    moves_.clear();
    const int n = graph.num_nodes();
    base_.resize(n);
    for (int v = 0; v < n; ++v) base_[v] = mix(static_cast<Hash>(node_colour[v]) + 1);
    refine(base_);
    std::vector<int> order;
    order_by(base_, order);
    for (int begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && base_[order[end]] == base_[order[begin]];) ++end;
        const int reach = end - begin <= kSmallCell ? kSmallCell : 1;
        for (int i = begin; i < end; ++i)
            for (int j = i + 1; j < end && j <= i + reach; ++j) {
                if (effort_ <= 0) return;
                effort_ -= 1 + graph.degree(order[i]);
                if (are_twins(order[i], order[j])) {
                    moves_.push_back({{order[i], order[j]}, {order[j], order[i]}});
                    continue;
                }
                if (!extend(order[i], order[j])) continue;
                auto& move = moves_.emplace_back();
                for (int v = 0; v < n; ++v)
                    if (image_[v] != v) move.emplace_back(v, image_[v]);
            }
    }
}

// Whether the two can change places while all others stay: most symmetries of sparse graphs are of this kind.
bool Symmetries::are_twins(int a, int b) const {
    if (node_colour_[a] != node_colour_[b] || graph_->degree(a) != graph_->degree(b)) return false;
    const auto of_a = graph_->neighbours(a), of_b = graph_->neighbours(b);
    const auto ids_a = graph_->edge_ids(a), ids_b = graph_->edge_ids(b);
    for (std::size_t i = 0, j = 0; i < of_a.size() || j < of_b.size(); ++i, ++j) {
        if (i < of_a.size() && of_a[i] == b) ++i;
        if (j < of_b.size() && of_b[j] == a) ++j;
        if (i >= of_a.size() || j >= of_b.size()) return i >= of_a.size() && j >= of_b.size();
        if (of_a[i] != of_b[j] || edge_class_[ids_a[i]] != edge_class_[ids_b[j]]) return false;
    }
    return true;
}

// Tries to build an automorphism that sends `from` to `to`: both are singled out, one on each side, and colours are
// refined; as long as some nodes still look alike, one more is singled out, kept in place where possible.
bool Symmetries::extend(int from, int to) {
    left_ = right_ = base_;
    for (Hash salt = 1; effort_ > 0; ++salt) {
        left_[from] = mix(left_[from] ^ mix(salt << 32));
        right_[to] = mix(right_[to] ^ mix(salt << 32));
        refine(left_);
        refine(right_);
        order_by(left_, order_left_);
        order_by(right_, order_right_);
        const int n = static_cast<int>(left_.size());
        int alike = -1;
        for (int i = 0; i < n; ++i) {
            if (left_[order_left_[i]] != right_[order_right_[i]]) return false;
            if (alike < 0 && i + 1 < n && left_[order_left_[i]] == left_[order_left_[i + 1]]) alike = i;
        }
        if (alike < 0) return is_identified();
        from = order_left_[alike];
        to = right_[from] == left_[from] ? from : order_right_[alike];
    }
    return false;
}

// Every node has a colour of its own, the same on both sides: this is the only candidate, and it must pass the test.
bool Symmetries::is_identified() {
    image_.resize(left_.size());
    for (std::size_t i = 0; i < left_.size(); ++i) image_[order_left_[i]] = order_right_[i];
    return is_automorphism();
}

bool Symmetries::is_automorphism() const {
    for (int v = 0; v < graph_->num_nodes(); ++v) {
        if (node_colour_[v] != node_colour_[image_[v]] || graph_->degree(v) != graph_->degree(image_[v])) return false;
        const auto neighbours = graph_->neighbours(v), images = graph_->neighbours(image_[v]);
        const auto ids = graph_->edge_ids(v), image_ids = graph_->edge_ids(image_[v]);
        for (std::size_t i = 0; i < neighbours.size(); ++i) {
            const auto it = std::lower_bound(images.begin(), images.end(), image_[neighbours[i]]);
            if (it == images.end() || *it != image_[neighbours[i]]) return false;
            if (edge_class_[ids[i]] != edge_class_[image_ids[it - images.begin()]]) return false;
        }
    }
    return true;
}

void Symmetries::orbits(const std::vector<char>& fixed, std::vector<int>& representative) const {
    representative.resize(fixed.size());
    std::iota(representative.begin(), representative.end(), 0);
    const auto root = [&](int v) {
        while (representative[v] != v) v = representative[v] = representative[representative[v]];
        return v;
    };
    for (const auto& move : moves_) {
        if (std::any_of(move.begin(), move.end(), [&](const auto& m) { return fixed[m.first]; })) continue;
        for (const auto& [v, image] : move) representative[root(v)] = root(image);
    }
    for (std::size_t v = 0; v < representative.size(); ++v) representative[v] = root(static_cast<int>(v));
}

}  // namespace prune4sed
