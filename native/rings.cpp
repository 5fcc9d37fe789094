#include "rings.hpp"

#include <algorithm>
#include <map>

namespace prune4sed {
namespace {

constexpr int kLongest = 12;  // edges

// Shortest rings, by breadth-first search from one end of an edge to the other.
class ShortestRing {
  public:
    explicit ShortestRing(const Adjacency& graph)
        : graph_(graph), from_(graph.num_nodes(), -1), by_(graph.num_nodes()), depth_(graph.num_nodes()) {}

    // Through the edge between u and w, of kLongest edges at most; empty if there is none. Its edges come in ascending order.
    Ring through(int u, int w, int edge) {
        for (int x : queue_) from_[x] = -1;
        queue_.assign(1, u);
        from_[u] = u;
        depth_[u] = 0;
        for (std::size_t head = 0; head < queue_.size() && from_[w] < 0; ++head)
            if (depth_[queue_[head]] < kLongest - 1) visit(queue_[head], edge);
        if (from_[w] < 0) return {};
        Ring ring{edge};
        for (int x = w; x != u; x = from_[x]) ring.push_back(by_[x]);
        std::sort(ring.begin(), ring.end());
        return ring;
    }

  private:
    void visit(int x, int without) {
        for (std::size_t i = 0; i < graph_.neighbours(x).size(); ++i) {
            const int y = graph_.neighbours(x)[i], edge = graph_.edge_ids(x)[i];
            if (edge == without || from_[y] >= 0) continue;
            from_[y] = x;
            by_[y] = edge;
            depth_[y] = depth_[x] + 1;
            queue_.push_back(y);
        }
    }

    const Adjacency& graph_;
    std::vector<int> from_, by_, depth_, queue_;
};

// Counts rings by walking round each of them from its smallest node, both ways.
class RingCounter {
  public:
    RingCounter(const Adjacency& graph, std::int64_t steps) : graph_(graph), on_way_(graph.num_nodes(), 0), steps_(steps) {}

    // Rings of a length, or `enough` if there are so many or the steps are used up.
    int count(int length, int enough) {
        walks_ = 0;
        enough_ = 2 * enough;
        for (int start = 0; start < graph_.num_nodes() && walks_ < enough_; ++start) walk(start, start, length - 1);
        return walks_ / 2;
    }

  private:
    void walk(int start, int at, int left) {
        on_way_[at] = 1;
        for (int x : graph_.neighbours(at)) {
            if (--steps_ < 0) walks_ = enough_;
            if (walks_ >= enough_) break;
            if (left == 0) walks_ += x == start;
            else if (x > start && !on_way_[x]) walk(start, x, left - 1);
        }
        on_way_[at] = 0;
    }

    const Adjacency& graph_;
    std::vector<char> on_way_;
    std::int64_t steps_;
    int walks_ = 0, enough_ = 0;
};

std::map<int, std::vector<Ring>> rings_by_length(const Adjacency& query) {
    std::map<int, std::vector<Ring>> found;
    ShortestRing shortest(query);
    int count = 0;
    for (int u = 0; u < query.num_nodes(); ++u)
        for (std::size_t i = 0; i < query.neighbours(u).size(); ++i) {
            const int w = query.neighbours(u)[i];
            if (w < u) continue;
            Ring ring = shortest.through(u, w, query.edge_ids(u)[i]);
            if (ring.empty()) continue;
            auto& known = found[static_cast<int>(ring.size())];
            if (std::find(known.begin(), known.end(), ring) != known.end()) continue;
            known.push_back(std::move(ring));
            if (++count == kMostRings) return found;
        }
    return found;
}

}  // namespace

std::vector<ScarceRings> scarce_rings(const Adjacency& query, const Adjacency& target, std::int64_t steps) {
    std::vector<ScarceRings> scarce;
    RingCounter counter(target, steps);
    for (auto& [length, rings] : rings_by_length(query)) {
        const int in_target = counter.count(length, static_cast<int>(rings.size()));
        if (in_target >= static_cast<int>(rings.size())) continue;
        if (in_target > 0) scarce.push_back({std::move(rings), in_target});
        else for (Ring& ring : rings) scarce.push_back({{std::move(ring)}, 0});  // each by itself says more
    }
    return scarce;
}

}  // namespace prune4sed
