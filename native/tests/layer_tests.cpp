// The layers of the networks against the same sums written plainly in double precision.
#include <algorithm>
#include <cmath>
#include <memory>

#include "check.hpp"
#include "layer_cases.hpp"
#include "pair_rounds.hpp"
#include "query_aware.hpp"
#include "suites.hpp"

namespace prune4sed::tests {
namespace {

void test_gin(Random& random) {
    const GinCase c = random_gin_case(random);
    const std::int64_t graphs = c.rows.view().size(), stride = (c.layers + 1) * c.width;
    const Floats first = c.folded();
    Floats sums(graphs * c.heads * stride);
    gin_sums(c.rows.view(), c.prunings(), c.view(first), sums.data());
    for (std::int64_t graph = 0; graph < graphs; ++graph)
        for (int head = 0; head < c.heads; ++head) {
            const Row wanted = c.expected(graph, head);
            const float* made = sums.data() + (graph * c.heads + head) * stride;
            for (std::int64_t j = 0; j < stride; ++j) CHECK(close(made[j], wanted[j]));
        }
}

struct AwareCase {
    OwnedRows rows;
    std::vector<std::int64_t> starts, query_of;  // of queries
    int width, stages, heads;
    Floats told, embedding, embedding_bias, ask, ask_bias, middle, middle_bias, vector, level, scale, shift;
    Floats source, source_bias, end, end_bias, attention, bias;

    // Attention of one row over its query, with a zero key beside, and the weight that comes of it.
    Row look(int stage, std::int64_t query, const Row& x) const {
        const int depth = width / heads;
        const Row asked = times(x, &ask[stage * width * width], &ask_bias[stage * width]);
        const std::int64_t begin = starts[query], nodes = starts[query + 1] - begin;
        const float* keys = told.data() + (stage * starts.back() + begin) * 2 * width;
        Row found(width);
        for (int h = 0; h < heads; ++h) {
            Row scores(nodes, 0.0);
            for (std::int64_t v = 0; v < nodes; ++v)
                for (int d = h * depth; d < (h + 1) * depth; ++d)
                    scores[v] += asked[d] * keys[v * 2 * width + d] / std::sqrt(depth);
            for (int d = h * depth; d < (h + 1) * depth; ++d)
                found[d] = softmax_mean(scores, [&](std::size_t v) { return keys[v * 2 * width + width + d]; }, 1.0);
        }
        const Row hidden = times(found, &middle[stage * width * width], &middle_bias[stage * width]);
        double told_weight = level[stage];
        for (int j = 0; j < width; ++j) told_weight += relu(hidden[j]) * vector[stage * width + j];
        Row out(width);
        for (int j = 0; j < width; ++j)
            out[j] = x[j] / (1 + std::exp(-told_weight)) * scale[stage * width + j] + shift[stage * width + j];
        return out;
    }

    // GATv2 with a loop at every node, and ReLU.
    Row attend(int layer, std::int64_t graph, std::int64_t row, const std::vector<Row>& x) const {
        std::vector<std::int64_t> near = rows.near(graph, row);
        near.push_back(row);
        const Row mine = times(x[row], &end[layer * width * width], &end_bias[layer * width]);
        std::vector<Row> theirs;
        Row scores;
        for (const std::int64_t other : near) {
            theirs.push_back(times(x[other], &source[layer * width * width], &source_bias[layer * width]));
            scores.push_back(0);
            for (int j = 0; j < width; ++j) {
                const double sum = mine[j] + theirs.back()[j];
                scores.back() += (sum > 0 ? sum : 0.2 * sum) * attention[layer * width + j];
            }
        }
        Row out(width);
        for (int j = 0; j < width; ++j)
            out[j] = relu(softmax_mean(scores, [&](std::size_t i) { return theirs[i][j]; }, 0.0) + bias[layer * width + j]);
        return out;
    }

    void check(const Floats& made) const {
        std::vector<Row> x(rows.rows(), Row(width));
        for (std::int64_t row = 0; row < rows.rows(); ++row)
            for (int j = 0; j < width; ++j) x[row][j] = embedding[rows.labels[row] * width + j] + embedding_bias[j];
        for (int stage = 0; stage < stages; ++stage) {
            std::vector<Row> next = x;
            for (std::int64_t graph = 0; graph < rows.view().size(); ++graph)
                for (std::int64_t row = rows.starts[graph]; row < rows.starts[graph + 1]; ++row) {
                    const Row felt = stage ? attend(stage - 1, graph, row, x) : x[row];
                    next[row] = look(stage, query_of.empty() ? graph : query_of[graph], felt);
                    for (int j = 0; j < width; ++j) CHECK(close(made[(row * stages + stage) * width + j], next[row][j]));
                }
            x = std::move(next);
        }
    }
};

void test_query_aware(Random& random) {
    const int labels = random.between(1, 4), width = 16 * random.between(1, 2), stages = random.between(1, 3);
    AwareCase c;
    c.rows = random_rows(random, random.between(1, 5), 20, labels);
    c.width = width, c.stages = stages, c.heads = 1 << random.below(3);
    const std::int64_t graphs = c.rows.view().size();
    const int queries = random.chance(50) ? static_cast<int>(graphs) : random.between(1, 3);
    c.starts = {0};
    for (int q = 0; q < queries; ++q) c.starts.push_back(c.starts.back() + random.between(0, 18));
    if (queries != graphs || random.chance(50))
        for (std::int64_t g = 0; g < graphs; ++g) c.query_of.push_back(random.below(queries));
    const std::size_t matrix = static_cast<std::size_t>(width) * width;
    c.told = random_floats(random, stages * c.starts.back() * 2 * width);
    c.embedding = random_floats(random, static_cast<std::size_t>(labels) * width);
    c.embedding_bias = random_floats(random, width);
    for (Floats* x : {&c.ask, &c.middle}) *x = random_floats(random, stages * matrix);
    for (Floats* x : {&c.ask_bias, &c.middle_bias, &c.vector, &c.scale, &c.shift})
        *x = random_floats(random, stages * width);
    c.level = random_floats(random, stages);
    for (Floats* x : {&c.source, &c.end}) *x = random_floats(random, (stages - 1) * matrix);
    for (Floats* x : {&c.source_bias, &c.end_bias, &c.attention, &c.bias})
        *x = random_floats(random, (stages - 1) * width);
    Floats made(c.rows.rows() * stages * width);
    aware_stages(c.rows.view(), {c.told, c.starts, c.query_of},
                 {width, stages, c.heads, c.embedding, c.embedding_bias, c.ask, c.ask_bias, c.middle, c.middle_bias,
                  c.vector, c.level, c.scale, c.shift, c.source, c.source_bias, c.end, c.end_bias, c.attention, c.bias},
                 made.data());
    c.check(made);
}

struct RoundsCase {
    OwnedRows queries;
    std::int64_t columns;
    int rounds, width, heads;
    float bound;
    std::unique_ptr<bool[]> there;
    Floats edges, log_keep, x, score, trust, floor, first, first_bias, slopes, second, second_bias;

    bool is_there(std::int64_t query, std::int64_t c) const { return there[query * columns + c]; }

    // What a head claims of every column for every node of a query.
    std::vector<Row> claims(int round, std::int64_t query, int m, const std::vector<Row>& x) const {
        std::vector<Row> found;
        for (std::int64_t row = queries.starts[query]; row < queries.starts[query + 1]; ++row) {
            Row claim(columns, 0.0);
            double mass = 0;
            for (std::int64_t c = 0; c < columns; ++c) {
                if (!is_there(query, c)) continue;
                double sum = trust[round * heads + m] * log_keep[query * columns + c];
                for (int j = 0; j < width; ++j)
                    sum += x[row * columns + c][j] * score[(round * width + j) * heads + m];
                mass += claim[c] = std::exp(sum);
            }
            for (double& share : claim) share /= mass;
            found.push_back(claim);
        }
        return found;
    }

    // How far the claims of a node on neighbours of column c are worth an edge.
    double worth(int round, std::int64_t query, int m, const Row& claim, std::int64_t c) const {
        const double steepness = std::exp(-floor[round * heads + m]);
        double near = 0;
        for (std::int64_t other = 0; other < columns; ++other)
            if (edges[(query * columns + c) * columns + other] != 0) near += claim[other];
        return std::log1p(near * steepness) / std::log1p(steepness);
    }

    // Log claims, edges, rivals and shares of all heads.
    Row seen(int round, std::int64_t query, std::int64_t row, std::int64_t c, const std::vector<std::vector<Row>>& claims) const {
        Row told(4 * heads);
        const std::int64_t node = row - queries.starts[query];
        for (int m = 0; m < heads; ++m) {
            const double mine = claims[m][node][c];
            double all = 0, found = 0;
            for (const Row& claim : claims[m]) all += claim[c];
            for (const std::int64_t other : queries.near(query, row))
                found += worth(round, query, m, claims[m][other - queries.starts[query]], c);
            const double others = c ? all - mine : 0;
            told[m] = std::max(-16.0, std::log(mine)) / 4, told[heads + m] = found;
            told[2 * heads + m] = std::log1p(others), told[3 * heads + m] = mine / (mine + others + 1e-6);
        }
        return told;
    }

    Row think(int round, const Row& x, const Row& told) const {
        Row in = x, out = x;
        in.insert(in.end(), told.begin(), told.end());
        for (int i = 0; i < 2 * width; ++i) {
            const std::size_t unit = static_cast<std::size_t>(round) * 2 * width + i;
            double sum = first_bias[unit];
            for (std::size_t k = 0; k < in.size(); ++k) sum += in[k] * first[(round * in.size() + k) * 2 * width + i];
            if (sum < 0) sum *= slopes[unit];
            for (int j = 0; j < width; ++j) out[j] += sum * second[unit * width + j];
        }
        for (int j = 0; j < width; ++j) {
            out[j] += second_bias[round * width + j];
            if (bound > 0) out[j] = std::clamp<double>(out[j], -bound, bound);
        }
        return out;
    }

    std::vector<Row> after(int round, const std::vector<Row>& x) const {
        std::vector<Row> next = x;
        for (std::int64_t query = 0; query < queries.view().size(); ++query) {
            std::vector<std::vector<Row>> found;
            for (int m = 0; m < heads; ++m) found.push_back(claims(round, query, m, x));
            for (std::int64_t row = queries.starts[query]; row < queries.starts[query + 1]; ++row)
                for (std::int64_t c = 0; c < columns; ++c)
                    if (const std::size_t at = row * columns + c; is_there(query, c))
                        next[at] = think(round, x[at], seen(round, query, row, c, found));
        }
        return next;
    }
};

RoundsCase random_rounds_case(Random& random) {
    RoundsCase c;
    c.queries = random_rows(random, random.between(0, 3), 9, 1);
    c.columns = random.between(1, 40), c.rounds = random.between(1, 3);
    c.width = random.between(1, 18), c.heads = random.between(1, 9);
    c.bound = random.chance(50) ? 0.5f : 0.0f;
    const std::int64_t pairs = c.queries.view().size();
    c.there = std::make_unique<bool[]>(pairs * c.columns);
    for (std::int64_t i = 0; i < pairs * c.columns; ++i) c.there[i] = i % c.columns == 0 || random.chance(80);
    c.edges.resize(pairs * c.columns * c.columns);
    for (std::int64_t pair = 0; pair < pairs; ++pair)
        for (std::int64_t v = 1; v < c.columns; ++v)
            for (std::int64_t u = 1; u < v; ++u) {
                const bool edge = c.is_there(pair, u) && c.is_there(pair, v) && random.chance(15);
                float* matrix = c.edges.data() + pair * c.columns * c.columns;
                matrix[u * c.columns + v] = matrix[v * c.columns + u] = edge ? 1.0f : 0.0f;
            }
    const std::size_t width = c.width, heads = c.heads, rounds = c.rounds;
    c.log_keep = random_floats(random, pairs * c.columns);
    c.x = random_floats(random, c.queries.rows() * c.columns * width);
    c.score = random_floats(random, rounds * width * heads);
    for (Floats* x : {&c.trust, &c.floor}) *x = random_floats(random, rounds * heads);
    c.first = random_floats(random, rounds * (width + 4 * heads) * 2 * width);
    for (Floats* x : {&c.first_bias, &c.slopes}) *x = random_floats(random, rounds * 2 * width);
    c.second = random_floats(random, rounds * 2 * width * width);
    c.second_bias = random_floats(random, rounds * width);
    return c;
}

void test_pair_rounds(Random& random) {
    const RoundsCase c = random_rounds_case(random);
    std::vector<Row> wanted;
    for (std::size_t at = 0; at < c.x.size(); at += c.width)
        wanted.emplace_back(c.x.begin() + at, c.x.begin() + at + c.width);
    for (int round = 0; round < c.rounds; ++round) wanted = c.after(round, wanted);
    Floats made = c.x;
    pair_rounds(c.queries.view(),
                {c.columns, {c.there.get(), c.edges.size() / c.columns}, c.edges, c.log_keep},
                {c.rounds, c.width, c.heads, c.bound, c.score, c.trust, c.floor, c.first, c.first_bias, c.slopes, c.second,
                 c.second_bias},
                made.data());
    for (std::size_t at = 0; at < wanted.size(); ++at)
        for (int j = 0; j < c.width; ++j) CHECK(close(made[at * c.width + j], wanted[at][j]));
}

}  // namespace

void test_layers(int effort) {
    Random random(11);
    for (int i = 0; i < 20 * effort; ++i) {
        test_gin(random);
        test_query_aware(random);
        test_pair_rounds(random);
    }
}

}  // namespace prune4sed::tests
