#include "pair_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "hot.hpp"
#include "lanes.hpp"

namespace prune4sed {
namespace {

using std::size_t;

constexpr int kSums = 8;          // outputs at a time: so many sums hide how long one takes
constexpr int kSeen = 4;          // numbers that a head tells of a pair
constexpr float kNever = -1e30f;  // the score of padding
constexpr float kLeast = -16.0f;  // the least log claim that is told apart from none
constexpr float kNone = 1e-6f;    // what nobody claims is nobody's

// The query and the candidates at hand. Candidates stand in blocks of sixteen, and a block has a Lanes for every number:
// features, then what is seen.
struct Pair {
    int nodes = 0, candidates = 0, blocks = 0;
    int turned = 0;                         // query nodes times heads, and what fills a Lanes
    std::vector<int> columns;               // where the candidates stand
    std::vector<float> state;               // (nodes, blocks, width + kSeen * heads)
    std::vector<float> claims, found;       // (nodes, blocks, heads): claims, and edges that find a partner
    std::vector<float> total;               // (blocks, heads): what all query nodes claim
    std::vector<float> log_keep;            // (blocks)
    std::vector<float> by_candidate, near;  // (candidates, turned), not in blocks: claims, and edges found
    std::vector<int> first, neighbours;     // of candidate c: neighbours[first[c]:first[c + 1]]
    std::vector<int> query_first, query_neighbours;
};

// One round's weights.
struct Round {
    int width, heads;
    float bound;
    const float *score, *trust, *first, *first_bias, *slopes, *second, *second_bias;
    std::vector<float> hidden, added;     // of a block
    std::vector<float> steepness, scale;  // of heads, for each query node: 1 / exp(floor), and what takes an edge to 1

    int features() const { return width + kSeen * heads; }
};

// N outputs of a linear layer, from the j-th on: to[j] = bias[j] + sum over k of from[k] * weight[k][j].
template <int N>
PRUNE4SED_INLINE void outputs(const float* from, int in, const float* weight, const float* bias, int out, int j, float* to) {
    Lanes sum[N];
    for (int i = 0; i < N; ++i) sum[i] = bias ? Lanes{} + bias[j + i] : Lanes{};
    for (int k = 0; k < in; ++k) {
        const Lanes x = load(from + k * kLanes);
        const float* row = weight + static_cast<size_t>(k) * out + j;
        for (int i = 0; i < N; ++i) sum[i] += x * row[i];
    }
    for (int i = 0; i < N; ++i) store(to + (j + i) * kLanes, sum[i]);
}

PRUNE4SED_INLINE void linear(const float* from, int in, const float* weight, const float* bias, int out, float* to) {
    int j = 0;
    for (; j + kSums <= out; j += kSums) outputs<kSums>(from, in, weight, bias, out, j, to);
    for (; j < out; ++j) outputs<1>(from, in, weight, bias, out, j, to);
}

// What a query node claims: log claims are the first that is seen.
PRUNE4SED_INLINE void claim(Pair& pair, const Round& round, int node) {
    const int heads = round.heads, features = round.features();
    float* state = pair.state.data() + static_cast<size_t>(node) * pair.blocks * features * kLanes;
    float* claims = pair.claims.data() + static_cast<size_t>(node) * pair.blocks * heads * kLanes;
    for (int b = 0; b < pair.blocks; ++b) {
        float *block = state + static_cast<size_t>(b) * features * kLanes, *logs = block + round.width * kLanes;
        linear(block, round.width, round.score, nullptr, heads, logs);
        for (int m = 0; m < heads; ++m) {
            store(logs + m * kLanes, load(logs + m * kLanes) + load(pair.log_keep.data() + b * kLanes) * round.trust[m]);
            for (int l = pair.candidates - b * kLanes; l < kLanes; ++l) logs[m * kLanes + l] = kNever;
        }
    }
    const size_t step = static_cast<size_t>(features) * kLanes, claim_step = static_cast<size_t>(heads) * kLanes;
    for (int m = 0; m < heads; ++m) {
        float *logs = state + (round.width + m) * kLanes, *shares = claims + m * kLanes;
        Lanes peaks = load(logs);
        for (int b = 1; b < pair.blocks; ++b) peaks = larger(peaks, load(logs + b * step));
        float each[kLanes];
        store(each, peaks);
        const float peak = *std::max_element(each, each + kLanes);
        Lanes sum{};
        for (int b = 0; b < pair.blocks; ++b) {
            const Lanes share = exp_below(load(logs + b * step) - peak);
            store(shares + b * claim_step, share);
            sum += share;
        }
        const float mass = total(sum), level = peak + std::log(mass);
        for (int b = 0; b < pair.blocks; ++b) {
            const Lanes share = load(shares + b * claim_step) * (1.0f / mass);
            store(shares + b * claim_step, share);
            float* all = pair.total.data() + (static_cast<size_t>(b) * heads + m) * kLanes;
            store(all, load(all) + share);
            store(logs + b * step, larger(load(logs + b * step) - level, Lanes{} + kLeast) * 0.25f);
        }
    }
}

// Between blocks of candidates and rows of candidates.
PRUNE4SED_INLINE void turn(Pair& pair, int heads, bool back) {
    for (int node = 0; node < pair.nodes; ++node)
        for (int c = 0; c < pair.candidates; ++c) {
            const size_t block = static_cast<size_t>(node) * pair.blocks + c / kLanes;
            float *row = (back ? pair.near : pair.by_candidate).data() + static_cast<size_t>(c) * pair.turned + node * heads;
            float *lanes = (back ? pair.found : pair.claims).data() + block * heads * kLanes + c % kLanes;
            for (int m = 0; m < heads; ++m) back ? lanes[m * kLanes] = row[m] : row[m] = lanes[m * kLanes];
        }
}

// How far claims on neighbours of each candidate are worth an edge, from 0 to 1.
PRUNE4SED_INLINE void look_around(Pair& pair, const Round& round) {
    turn(pair, round.heads, false);
    for (int c = 0; c < pair.candidates; ++c)
        for (int j = 0; j < pair.turned; j += kLanes) {
            Lanes sum{};
            for (int at = pair.first[c]; at < pair.first[c + 1]; ++at)
                sum += load(pair.by_candidate.data() + static_cast<size_t>(pair.neighbours[at]) * pair.turned + j);
            const Lanes worth = log_above(sum * load(round.steepness.data() + j) + 1.0f) * load(round.scale.data() + j);
            store(pair.near.data() + static_cast<size_t>(c) * pair.turned + j, worth);
        }
    turn(pair, round.heads, true);
}

// What a query node sees beside its log claims: its edges, its rivals, and its share of what is claimed.
PRUNE4SED_INLINE void see(Pair& pair, const Round& round, int node) {
    const int heads = round.heads;
    const size_t row = static_cast<size_t>(pair.blocks) * heads * kLanes;
    for (int b = 0; b < pair.blocks; ++b)
        for (int m = 0; m < heads; ++m) {
            const size_t at = (static_cast<size_t>(b) * heads + m) * kLanes;
            const Lanes mine = load(pair.claims.data() + node * row + at);
            Lanes edges{}, others = larger(load(pair.total.data() + at) - mine, Lanes{});
            for (int i = pair.query_first[node]; i < pair.query_first[node + 1]; ++i)
                edges += load(pair.found.data() + pair.query_neighbours[i] * row + at);
            if (b == 0) {  // "deleted" has room for all
                float each[kLanes];
                store(each, others);
                each[0] = 0.0f;
                others = load(each);
            }
            float* seen = pair.state.data() + (static_cast<size_t>(node) * pair.blocks + b) * round.features() * kLanes +
                          static_cast<size_t>(round.width + m) * kLanes;
            const size_t kind = static_cast<size_t>(heads) * kLanes;
            store(seen + kind, edges);
            store(seen + 2 * kind, log_above(others + 1.0f));
            store(seen + 3 * kind, mine / (mine + others + kNone));
        }
}

PRUNE4SED_INLINE void think(Pair& pair, Round& round, int node) {
    const int width = round.width, features = round.features();
    float *hidden = round.hidden.data(), *added = round.added.data();
    for (int b = 0; b < pair.blocks; ++b) {
        float* x = pair.state.data() + (static_cast<size_t>(node) * pair.blocks + b) * features * kLanes;
        linear(x, features, round.first, round.first_bias, 2 * width, hidden);
        for (int j = 0; j < 2 * width; ++j) {
            const Lanes v = load(hidden + j * kLanes), above = relu(v);
            store(hidden + j * kLanes, above + (v - above) * round.slopes[j]);
        }
        linear(hidden, 2 * width, round.second, round.second_bias, width, added);
        for (int j = 0; j < width; ++j) {
            Lanes made = load(x + j * kLanes) + load(added + j * kLanes);
            if (round.bound > 0) {  // what is no number stays so
                const Lanes least = Lanes{} - round.bound;
                made = Lanes{} - larger(least, Lanes{} - larger(least, made));
            }
            store(x + j * kLanes, made);
        }
    }
}

PRUNE4SED_HOT void play(Pair& pair, Round& round) {
    std::fill(pair.total.begin(), pair.total.end(), 0.0f);
    for (int node = 0; node < pair.nodes; ++node) claim(pair, round, node);
    look_around(pair, round);
    for (int node = 0; node < pair.nodes; ++node) see(pair, round, node);
    for (int node = 0; node < pair.nodes; ++node) think(pair, round, node);
}

class Rounds {
public:
    Rounds(const NodeRows& queries, const Candidates& candidates, const RoundWeights& weights, float* features)
        : queries_(queries), candidates_(candidates), weights_(weights), features_(features) {
        round_.width = weights.width, round_.heads = weights.heads, round_.bound = weights.bound;
        round_.hidden.resize(static_cast<size_t>(2 * weights.width) * kLanes);
        round_.added.resize(static_cast<size_t>(weights.width) * kLanes);
        for (const float floor : weights.floor) {
            steepness_.push_back(std::exp(-floor));
            scale_.push_back(1.0f / std::log1p(steepness_.back()));
        }
    }

    void run() {
        for (std::int64_t query = 0; query < queries_.size(); ++query) {
            begin(query);
            copy(query, true);
            for (int i = 0; i < weights_.rounds; ++i) {
                choose(i);
                play(pair_, round_);
            }
            copy(query, false);
        }
    }

private:
    void begin(std::int64_t query) {
        const std::int64_t row = queries_.starts[query];
        pair_.nodes = static_cast<int>(queries_.starts[query + 1] - row);
        pair_.columns.clear();
        for (int column = 0; column < candidates_.columns; ++column)
            if (candidates_.there[query * candidates_.columns + column]) pair_.columns.push_back(column);
        pair_.candidates = static_cast<int>(pair_.columns.size());
        pair_.blocks = (pair_.candidates + kLanes - 1) / kLanes;
        pair_.turned = (pair_.nodes * round_.heads + kLanes - 1) / kLanes * kLanes;
        const size_t lanes = static_cast<size_t>(pair_.blocks) * kLanes, cells = pair_.nodes * lanes;
        pair_.state.assign(cells * round_.features(), 0.0f);
        pair_.claims.resize(cells * round_.heads);
        pair_.found.assign(cells * round_.heads, 0.0f);
        pair_.total.resize(lanes * round_.heads);
        const size_t turned = static_cast<size_t>(pair_.candidates) * pair_.turned;
        pair_.by_candidate.assign(turned, 0.0f);
        pair_.near.resize(turned);
        pair_.log_keep.assign(lanes, 0.0f);
        for (int c = 0; c < pair_.candidates; ++c)
            pair_.log_keep[c] = candidates_.log_keep[query * candidates_.columns + pair_.columns[c]];
        list_neighbours(query);
    }

    void list_neighbours(std::int64_t query) {
        const std::int64_t row = queries_.starts[query];
        pair_.query_first.assign(1, 0), pair_.query_neighbours.clear();
        for (int node = 0; node < pair_.nodes; ++node) {
            for (std::int64_t at = queries_.first[row + node]; at < queries_.last[row + node]; ++at)
                pair_.query_neighbours.push_back(static_cast<int>(queries_.neighbours[at]));
            pair_.query_first.push_back(static_cast<int>(pair_.query_neighbours.size()));
        }
        pair_.first.assign(1, 0), pair_.neighbours.clear();
        for (int c = 0; c < pair_.candidates; ++c) {
            const auto edge = candidates_.edges.subspan((query * candidates_.columns + pair_.columns[c]) * candidates_.columns);
            for (int other = 0; other < pair_.candidates; ++other)
                if (edge[pair_.columns[other]] != 0.0f) pair_.neighbours.push_back(other);
            pair_.first.push_back(static_cast<int>(pair_.neighbours.size()));
        }
    }

    // Features into blocks, or back.
    void copy(std::int64_t query, bool in) {
        for (int node = 0; node < pair_.nodes; ++node)
            for (int c = 0; c < pair_.candidates; ++c) {
                const size_t block = static_cast<size_t>(node) * pair_.blocks + c / kLanes;
                float* lanes = pair_.state.data() + block * round_.features() * kLanes + c % kLanes;
                const std::int64_t row = queries_.starts[query] + node;
                float* x = features_ + (row * candidates_.columns + pair_.columns[c]) * round_.width;
                for (int j = 0; j < round_.width; ++j) in ? lanes[j * kLanes] = x[j] : x[j] = lanes[j * kLanes];
            }
    }

    void choose(int i) {
        const size_t width = round_.width, heads = round_.heads, at = i;
        round_.score = weights_.score.data() + at * width * heads;
        round_.trust = weights_.trust.data() + at * heads;
        round_.first = weights_.first.data() + at * round_.features() * 2 * width;
        round_.first_bias = weights_.first_bias.data() + at * 2 * width;
        round_.slopes = weights_.slopes.data() + at * 2 * width;
        round_.second = weights_.second.data() + at * 2 * width * width;
        round_.second_bias = weights_.second_bias.data() + at * width;
        round_.steepness.assign(pair_.turned, 0.0f);
        round_.scale.assign(pair_.turned, 0.0f);
        for (int node = 0; node < pair_.nodes; ++node) {
            std::copy_n(steepness_.data() + at * heads, heads, round_.steepness.data() + node * heads);
            std::copy_n(scale_.data() + at * heads, heads, round_.scale.data() + node * heads);
        }
    }

    const NodeRows& queries_;
    const Candidates& candidates_;
    const RoundWeights& weights_;
    float* features_;
    Pair pair_;
    Round round_{};
    std::vector<float> steepness_, scale_;  // of all rounds
};

}  // namespace

void pair_rounds(const NodeRows& queries, const Candidates& candidates, const RoundWeights& weights, float* features) {
    Rounds(queries, candidates, weights, features).run();
}

}  // namespace prune4sed
