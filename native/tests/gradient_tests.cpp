// What layers say of their inputs, against how far sums in double precision move with those.
#include <cmath>
#include <functional>
#include <mutex>
#include <new>
#include <numeric>

#include "check.hpp"
#include "gin_gradient.hpp"
#include "graph_attention.hpp"
#include "layer_cases.hpp"
#include "query_attention.hpp"
#include "split.hpp"
#include "suites.hpp"

namespace prune4sed::tests {
namespace {

double add_size(double sum, float x) { return sum + std::abs(double{x}); }

// Moves a few numbers of x, by so little that hardly a unit that is cut off at 0 turns on or off: `loss` must follow as
// the gradient says. With many moved at once, a gradient that is wrong would not show.
void check_gradient(Random& random, Floats& x, const Floats& gradient, const std::function<double()>& loss) {
    constexpr int moved = 3, times = 8;
    constexpr float step = 2e-5f;
    if (x.empty()) return;
    const Floats before = x;
    const double typical = std::accumulate(gradient.begin(), gradient.end(), 0.0, add_size) / static_cast<double>(x.size());
    for (int time = 0; time < times; ++time) {
        Floats after = before;
        for (int i = 0; i < moved; ++i)
            after[random.between(0, static_cast<int>(x.size()) - 1)] += random.between(0, 1) ? step : -step;
        double wanted = 0, size = step * (typical + 0.01);
        for (std::size_t i = 0; i < x.size(); ++i) {
            wanted += double{gradient[i]} * (double{after[i]} - before[i]);
            size += std::abs(double{gradient[i]} * (double{after[i]} - before[i]));
        }
        const double start = loss();
        x = after;
        const double end = loss();
        x = before;
        CHECK(std::abs(end - start - wanted) <= 0.02 * size);
    }
}

double product(const float* told, const Row& made) { return std::inner_product(made.begin(), made.end(), told, 0.0); }

Floats zeros(const Floats& like) { return Floats(like.size(), 0.0f); }

void test_gin_gradients(Random& random) {
    GinCase c = random_gin_case(random);
    const std::int64_t graphs = c.rows.view().size(), stride = (c.layers + 1) * c.width;
    const std::size_t matrix = static_cast<std::size_t>(c.width) * c.width;
    const Floats told = random_floats(random, graphs * c.heads * stride);
    Floats first = c.folded(), turned(c.weights.size());
    for (std::size_t i = 0; i < turned.size(); ++i) {
        const std::size_t at = i % matrix;
        turned[i] = c.weights[i - at + at % c.width * c.width + at / c.width];
    }
    Floats embedding = zeros(c.embedding), bias = zeros(c.bias), weights = zeros(c.weights), biases = zeros(c.biases);
    Floats folded = zeros(first), scale = zeros(c.scale);
    split_graphs(c.rows.starts, random.between(1, 3), [&](int, std::int64_t begin, std::int64_t end) {
        static std::mutex one;  // by turns, for parts share these gradients, save those of scale
        const std::lock_guard lock(one);
        gin_gradients(c.rows.view().graphs(begin, end), c.prunings(), c.view(first), turned,
                      told.data() + begin * c.heads * stride, {embedding, bias, weights, biases, folded, scale});
    });
    // The first matrix, and what it does to label vectors, by the rule of products.
    for (std::size_t k = 0; k < static_cast<std::size_t>(c.width); ++k)
        for (std::size_t at = 0; at < folded.size(); at += c.width)
            for (int j = 0; j < c.width; ++j) {
                const bool label = at < c.embedding.size();
                float &to = label ? embedding[at + k] : bias[k], from = label ? c.embedding[at + k] : c.bias[k];
                to += folded[at + j] * c.weights[k * c.width + j];
                weights[k * c.width + j] += folded[at + j] * from;
            }
    const auto loss = [&] {
        double sum = 0;
        for (std::int64_t graph = 0; graph < graphs; ++graph)
            for (int head = 0; head < c.heads; ++head)
                sum += product(&told[(graph * c.heads + head) * stride], c.expected(graph, head));
        return sum;
    };
    check_gradient(random, c.embedding, embedding, loss);
    check_gradient(random, c.bias, bias, loss);
    check_gradient(random, c.weights, weights, loss);
    check_gradient(random, c.biases, biases, loss);
    check_gradient(random, c.scale, scale, loss);
}

struct GraphLookCase {
    OwnedRows rows;
    int width;
    Floats source, end, attention;

    GraphLook view() const { return {width, source.data(), end.data(), attention.data()}; }

    Row expected(std::int64_t graph, std::int64_t row) const {
        std::vector<std::int64_t> near = rows.near(graph, row);
        near.push_back(row);
        Row scores, out(width);
        for (const std::int64_t other : near) {
            scores.push_back(0);
            for (int j = 0; j < width; ++j) {
                const double sum = double{end[row * width + j]} + source[other * width + j];
                scores.back() += (sum > 0 ? sum : 0.2 * sum) * attention[j];
            }
        }
        for (int j = 0; j < width; ++j)
            out[j] = softmax_mean(scores, [&](std::size_t i) { return source[near[i] * width + j]; }, 0.0);
        return out;
    }

    Row all() const {
        Row made;
        for (std::int64_t graph = 0; graph < rows.view().size(); ++graph)
            for (std::int64_t row = rows.starts[graph]; row < rows.starts[graph + 1]; ++row)
                for (const double x : expected(graph, row)) made.push_back(x);
        return made;
    }
};

Floats inner_products(const Floats& told, const Floats& made, int width) {
    Floats found;
    for (std::size_t at = 0; at < told.size(); at += width)
        found.push_back(std::inner_product(told.begin() + at, told.begin() + at + width, made.begin() + at, 0.0f));
    return found;
}

void test_graph_look(Random& random) {
    GraphLookCase c;
    c.rows = random_rows(random, random.between(1, 5), 20, 1), c.width = 16 * random.between(1, 3);
    const std::size_t size = c.rows.rows() * c.width;
    c.source = random_floats(random, size), c.end = random_floats(random, size);
    c.attention = random_floats(random, c.width);
    Floats out(size), log_mass(c.rows.rows());
    graph_means(c.rows.view(), c.view(), out.data(), log_mass.data());
    const Row wanted = c.all();
    for (std::size_t i = 0; i < size; ++i) CHECK(close(out[i], wanted[i]));
    const Floats told = random_floats(random, size), inner = inner_products(told, out, c.width);
    Floats source(size), end(size), attention(c.width);
    graph_mean_gradients(c.rows.view(), c.view(), log_mass.data(), told.data(), inner.data(),
                         {source.data(), end.data(), attention.data()});
    const auto loss = [&] { return product(told.data(), c.all()); };
    check_gradient(random, c.source, source, loss);
    check_gradient(random, c.end, end, loss);
    check_gradient(random, c.attention, attention, loss);
}

struct QueryLookCase {
    std::vector<std::int64_t> starts, query_starts;
    int width, heads;
    Floats asked, told;

    QueryLook view() const { return {width, heads, asked.data(), {told, query_starts, {}}}; }

    // What a row finds in its query, or nothing.
    void find(std::size_t graph, std::int64_t row, Row& out) const {
        const int depth = width / heads;
        const std::int64_t begin = query_starts[graph], nodes = query_starts[graph + 1] - begin;
        const float* keys = told.data() + begin * 2 * width;
        for (int j = 0; j < width; ++j) {
            const int h = j / depth;
            Row scores(nodes, 0.0);
            for (std::int64_t v = 0; v < nodes; ++v)
                for (int d = h * depth; d < (h + 1) * depth; ++d)
                    scores[v] += double{asked[row * width + d]} * keys[v * 2 * width + d] / std::sqrt(depth);
            out.push_back(softmax_mean(scores, [&](std::size_t v) { return keys[v * 2 * width + width + j]; }, 1.0));
        }
    }

    Row all() const {
        Row made;
        for (std::size_t graph = 0; graph + 1 < starts.size(); ++graph)
            for (std::int64_t row = starts[graph]; row < starts[graph + 1]; ++row) find(graph, row, made);
        return made;
    }
};

void test_query_look(Random& random) {
    QueryLookCase c;
    c.heads = random.between(1, 4), c.width = c.heads * random.between(1, 12);
    c.starts = c.query_starts = {0};
    for (int graph = random.between(1, 4); graph > 0; --graph) {
        c.starts.push_back(c.starts.back() + random.between(0, 40));
        c.query_starts.push_back(c.query_starts.back() + random.between(0, 18));
    }
    c.asked = random_floats(random, c.starts.back() * c.width);
    c.told = random_floats(random, c.query_starts.back() * 2 * c.width);
    Floats found(c.asked.size()), log_mass(c.starts.back() * c.heads);
    query_means(c.starts, c.view(), found.data(), log_mass.data());
    const Row wanted = c.all();
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(close(found[i], wanted[i]));
    const Floats from = random_floats(random, found.size());
    Floats asked = zeros(c.asked), told = zeros(c.told);
    query_mean_gradients(c.starts, c.view(), log_mass.data(), found.data(), from.data(), asked.data(), told.data());
    const auto loss = [&] { return product(from.data(), c.all()); };
    check_gradient(random, c.asked, asked, loss);
    check_gradient(random, c.told, told, loss);
}

void test_split(Random& random) {
    std::vector<std::int64_t> starts{random.between(0, 9)};
    for (int graph = random.between(0, 9); graph > 0; --graph) starts.push_back(starts.back() + random.between(0, 30));
    const int parts = random.between(1, 5);
    const auto graphs = static_cast<std::int64_t>(starts.size()) - 1;
    std::vector<std::int64_t> begins(parts, -1), ends(parts, -1);
    split_graphs(starts, parts, [&](int part, std::int64_t begin, std::int64_t end) {
        begins[part] = begin, ends[part] = end;
    });
    std::int64_t next = 0;
    for (int part = 0; part < parts; ++part) {
        if (begins[part] < 0) continue;
        CHECK(begins[part] == next && ends[part] > next);
        // No part has more than its share and the one graph that it ends with.
        CHECK(starts[ends[part] - 1] - starts[next] <= (starts[graphs] - starts[0]) / parts + 1);
        next = ends[part];
    }
    CHECK(next == graphs);
    if (graphs)
        CHECK_THROWS(split_graphs(starts, parts, [](int, std::int64_t, std::int64_t) { throw std::bad_alloc(); }),
                     std::bad_alloc);
}

}  // namespace

void test_gradients(int effort) {
    Random random(12);
    for (int i = 0; i < 20 * effort; ++i) {
        test_gin_gradients(random);
        test_graph_look(random);
        test_query_look(random);
        test_split(random);
    }
}

}  // namespace prune4sed::tests
