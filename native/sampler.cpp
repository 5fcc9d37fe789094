#include "sampler.hpp"

#include <algorithm>
#include <string>

namespace prune4sed {
namespace {

// Far more than any acceptable graph of a real dataset takes, and done in seconds when there is none.
constexpr int kCentres = 200'000, kCentresPerRadius = 20'000, kGrowths = 400'000;
constexpr int kAttemptsPerPoll = 1 << 10;

void check(const NetworkView& network) {
    const std::size_t n = network.size();
    if (network.starts.size() != n + 1 || network.starts.front() != 0 ||
        network.starts.back() != static_cast<std::int64_t>(network.neighbours.size()) ||
        !std::is_sorted(network.starts.begin(), network.starts.end()))
        throw std::invalid_argument("the starts of the network do not fit its nodes and neighbours");
    for (const std::int32_t v : network.neighbours)
        if (v < 0 || static_cast<std::size_t>(v) >= n)
            throw std::invalid_argument("node " + std::to_string(v) + " is a neighbour, but there are only " +
                                        std::to_string(n) + " nodes");
}

void check(std::span<const Share> shares) {
    std::uint64_t total = 0;
    for (const Share& share : shares) total += share.weight;
    if (total == 0 || total > UINT32_MAX) throw std::invalid_argument("the weights of a mix must sum to 1 or more");
}

// Nodes taken so far, in order, with a mark per node that is wiped by counting on instead of by writing.
class Taken {
  public:
    explicit Taken(std::size_t nodes) : round_of_(nodes, 0), place_(nodes) {}

    void clear() {
        nodes_.clear();
        ++round_;
    }
    void add(std::int32_t node) {
        round_of_[node] = round_;
        nodes_.push_back(node);
    }
    bool has(std::int32_t node) const { return round_of_[node] == round_; }
    std::int32_t operator[](std::size_t i) const { return nodes_[i]; }
    std::size_t size() const { return nodes_.size(); }
    std::vector<std::int32_t>& nodes() { return nodes_; }

    // Once the order is final: where each node stands.
    void number() {
        for (std::size_t i = 0; i < nodes_.size(); ++i) place_[nodes_[i]] = static_cast<std::int32_t>(i);
    }
    std::int32_t place(std::int32_t node) const { return place_[node]; }

  private:
    std::vector<std::uint64_t> round_of_;
    std::vector<std::int32_t> place_, nodes_;
    std::uint64_t round_ = 0;
};

// Neighbours of every node of every target, with the number of the edge; made once, for queries come in thousands.
class PoolAdjacency {
  public:
    explicit PoolAdjacency(const GraphSetView& pool) : first_(pool.node_offset.front()) {
        const std::int64_t nodes = pool.node_offset.back() - first_;
        start_.assign(nodes + 1, 0);
        each_end(pool, [&](std::int64_t from, std::int32_t, std::int64_t) { ++start_[from + 1]; });
        for (std::int64_t v = 0; v < nodes; ++v) start_[v + 1] += start_[v];
        neighbour_.resize(start_.back());
        if (!pool.edge_labels.empty()) edge_.resize(start_.back());
        std::vector<std::int64_t> next(start_.begin(), start_.end() - 1);
        each_end(pool, [&](std::int64_t from, std::int32_t to, std::int64_t edge) {
            if (!edge_.empty()) edge_[next[from]] = edge;
            neighbour_[next[from]++] = to;
        });
    }

    // Node v of the target whose nodes begin at `offset`.
    std::span<const std::int32_t> around(std::int64_t offset, std::int32_t v) const {
        const std::int64_t node = offset - first_ + v;
        return {neighbour_.data() + start_[node], static_cast<std::size_t>(start_[node + 1] - start_[node])};
    }
    // The edge that leads to the i-th of these neighbours.
    std::int64_t edge(std::int64_t offset, std::int32_t v, std::size_t i) const {
        return edge_[start_[offset - first_ + v] + static_cast<std::int64_t>(i)];
    }

  private:
    template <class Visit>
    void each_end(const GraphSetView& pool, const Visit& visit) const {
        for (std::int64_t g = 0; g < pool.size(); ++g) {
            const std::int64_t offset = pool.node_offset[g] - first_;
            const GraphView graph = pool.graph(g);
            const std::int32_t n = graph.num_nodes();
            for (std::int32_t e = 0; e < graph.num_edges(); ++e) {
                const std::int32_t a = graph.edges[2 * e], b = graph.edges[2 * e + 1];
                if (a < 0 || b < 0 || a >= n || b >= n)
                    throw std::invalid_argument("target " + std::to_string(g) + " has an edge that leaves it");
                visit(offset + a, b, pool.edge_offset[g] + e);
                visit(offset + b, a, pool.edge_offset[g] + e);
            }
        }
    }

    std::int64_t first_;
    std::vector<std::int64_t> start_, edge_;
    std::vector<std::int32_t> neighbour_;
};

// The graph under construction at the end of the output: kept, or cut off again.
class Draft {
  public:
    Draft(DrawnGraphs& out, const LabelKeys& keys) : out_(out), keys_(keys) {}

    void node(std::int32_t label) { out_.labels.push_back(label); }
    void edge(std::int32_t a, std::int32_t b) {
        out_.edges.push_back(a);
        out_.edges.push_back(b);
    }
    void edge_label(std::int32_t label) { out_.edge_labels.push_back(label); }

    // False, and nothing is left of it, if its shape is not to be had.
    bool keep(const Acceptance& acceptance, std::int64_t source) {
        if (acceptance.one_in != 0 && !acceptance.takes(reader_.certificate(view(), keys_))) {
            out_.labels.resize(out_.node_offset.back());
            out_.edges.resize(2 * out_.edge_offset.back());
            if (!out_.edge_labels.empty()) out_.edge_labels.resize(out_.edge_offset.back());
            return false;
        }
        out_.node_offset.push_back(static_cast<std::int64_t>(out_.labels.size()));
        out_.edge_offset.push_back(static_cast<std::int64_t>(out_.edges.size() / 2));
        out_.source.push_back(source);
        return true;
    }

  private:
    GraphView view() const {
        const auto tail = [](const std::vector<std::int32_t>& all, std::int64_t from) {
            return all.empty() ? std::span<const std::int32_t>{} : std::span<const std::int32_t>(all).subspan(from);
        };
        return {tail(out_.labels, out_.node_offset.back()), tail(out_.edges, 2 * out_.edge_offset.back()),
                tail(out_.edge_labels, out_.edge_offset.back()), {}, {}};
    }

    DrawnGraphs& out_;
    LabelKeys keys_;
    ShapeReader reader_;
};

// Polls every few thousand attempts, whether or not they lead anywhere.
class Patience {
  public:
    explicit Patience(const GoOn& go_on) : go_on_(go_on) {}
    bool over() { return ++attempts_ % kAttemptsPerPoll == 0 && go_on_ && !go_on_(); }

  private:
    const GoOn& go_on_;
    std::int64_t attempts_ = 0;
};

// The nodes within so many hops, by distance; stops early once there are too many.
void walk(const NetworkView& network, std::int32_t centre, int hops, int largest, Taken& taken) {
    taken.clear();
    taken.add(centre);
    for (std::size_t layer = 0, end = 1; hops > 0 && layer < end; --hops) {
        for (; layer < end; ++layer)
            for (const std::int32_t v : network.around(taken[layer]))
                if (!taken.has(v)) taken.add(v);
        end = taken.size();
        if (end > static_cast<std::size_t>(largest)) return;
    }
}

void grow(const PoolAdjacency& pool, std::int64_t offset, std::int32_t centre, int depth, int largest,
          RandomStream& random, Taken& taken) {
    taken.clear();
    taken.add(centre);
    for (std::size_t layer = 0, end = 1; depth > 0 && layer < end; --depth) {
        for (; layer < end; ++layer)
            for (const std::int32_t v : pool.around(offset, taken[layer]))
                if (!taken.has(v) && random.coin()) taken.add(v);
        end = taken.size();
        if (end > static_cast<std::size_t>(largest)) return;
    }
}

void write_ego_net(const NetworkView& network, Taken& taken, Draft& draft) {
    taken.number();
    std::vector<std::int32_t> later;
    for (std::size_t i = 0; i < taken.size(); ++i) {
        const auto here = static_cast<std::int32_t>(i);
        draft.node(network.labels[taken[i]]);
        later.clear();
        for (const std::int32_t v : network.around(taken[i]))
            if (taken.has(v) && taken.place(v) > here) later.push_back(taken.place(v));
        std::sort(later.begin(), later.end());
        for (const std::int32_t j : later) draft.edge(here, j);
    }
}

void write_query(const GraphSetView& targets, const PoolAdjacency& pool, std::int64_t target, Taken& taken,
                 Draft& draft) {
    taken.number();
    const std::int64_t offset = targets.node_offset[target];
    const bool bonds = !targets.edge_labels.empty();
    std::vector<std::pair<std::int32_t, std::int32_t>> later;  // the other end, and the edge's label
    for (std::size_t i = 0; i < taken.size(); ++i) {
        const auto here = static_cast<std::int32_t>(i);
        draft.node(targets.labels[offset + taken[i]]);
        later.clear();
        const auto around = pool.around(offset, taken[i]);
        for (std::size_t k = 0; k < around.size(); ++k)
            if (taken.has(around[k]) && taken.place(around[k]) > here)
                later.emplace_back(taken.place(around[k]),
                                   bonds ? targets.edge_labels[pool.edge(offset, taken[i], k)] : 0);
        std::sort(later.begin(), later.end());
        for (const auto& [j, label] : later) {
            draft.edge(here, j);
            if (bonds) draft.edge_label(label);
        }
    }
}

}  // namespace

DrawnGraphs draw_ego_nets(const NetworkView& network, std::span<const Share> hops, const Acceptance& acceptance,
                          const LabelKeys& keys, const Drawing& drawing, const GoOn& go_on) {
    check(network);
    check(hops);
    DrawnGraphs out;
    if (drawing.count > 0 && network.size() == 0) throw NothingFound("the network has no nodes");
    const auto n = static_cast<std::uint32_t>(network.size());
    Taken taken(n);
    Draft draft(out, keys);
    Patience patience(go_on);
    for (std::int64_t i = 0; i < drawing.count; ++i) {
        RandomStream random(drawing.seed, drawing.stream, static_cast<std::uint64_t>(i));
        int radius = random.pick(hops);
        for (int attempt = 1;; ++attempt) {
            if (patience.over()) return out;
            if (attempt == kCentres)
                throw NothingFound("no ego-net has " + std::to_string(acceptance.smallest) + " to " +
                                   std::to_string(acceptance.largest) + " nodes" +
                                   (acceptance.one_in != 0 ? " and a shape of this set" : ""));
            // A small network may have no acceptable ego-net of some number of hops.
            if (attempt % kCentresPerRadius == 0) radius = random.pick(hops);
            const auto centre = static_cast<std::int32_t>(random.below(n));
            walk(network, centre, radius, acceptance.largest, taken);
            if (!acceptance.fits(taken.size())) continue;
            write_ego_net(network, taken, draft);
            if (draft.keep(acceptance, centre)) break;
        }
    }
    return out;
}

DrawnGraphs grow_queries(const GraphSetView& targets, const Growth& growth, const Acceptance& acceptance,
                         const LabelKeys& keys, const Drawing& drawing, const GoOn& go_on) {
    check(growth.depths);
    DrawnGraphs out;
    if (drawing.count > 0 && targets.size() <= 0) throw NothingFound("there are no targets to grow queries in");
    const PoolAdjacency pool(targets);
    std::int64_t most = 0;
    for (std::int64_t g = 0; g < targets.size(); ++g)
        most = std::max(most, targets.node_offset[g + 1] - targets.node_offset[g]);
    Taken taken(most);
    Draft draft(out, keys);
    Patience patience(go_on);

    // Tries of one target; true once a query stands in the output.
    const auto grow_in = [&](std::int64_t target, RandomStream& random) {
        const int depth = random.pick(growth.depths);
        const std::int64_t offset = targets.node_offset[target], size = targets.node_offset[target + 1] - offset;
        if (size < acceptance.smallest) return false;
        for (int attempt = 0; attempt < growth.tries; ++attempt) {
            const std::uint32_t centre = growth.centred ? 0 : random.below(static_cast<std::uint32_t>(size));
            grow(pool, offset, static_cast<std::int32_t>(centre), depth, acceptance.largest, random, taken);
            if (!acceptance.fits(taken.size())) continue;
            random.shuffle(taken.nodes());
            write_query(targets, pool, target, taken, draft);
            if (draft.keep(acceptance, target)) return true;
        }
        return false;
    };
    for (std::int64_t i = 0; i < drawing.count; ++i) {
        RandomStream random(drawing.seed, drawing.stream, static_cast<std::uint64_t>(i));
        int growths = 0;
        while (!grow_in(random.below(static_cast<std::uint32_t>(targets.size())), random)) {
            if (patience.over()) return out;
            if ((growths += growth.tries) >= kGrowths)
                throw NothingFound("no query of " + std::to_string(acceptance.smallest) + " to " +
                                   std::to_string(acceptance.largest) + " nodes" +
                                   (acceptance.one_in != 0 ? " and a shape of this set" : "") +
                                   " could be grown in the targets");
        }
        if (patience.over()) return out;
    }
    return out;
}

}  // namespace prune4sed
