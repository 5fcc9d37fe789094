#include "graph_attention.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include "attention_lanes.hpp"
#include "hot.hpp"

namespace prune4sed {
namespace {

using std::size_t;

// The node of a row and its neighbours, as rows.
void list_near(const NodeRows& rows, std::int64_t graph, std::int64_t row, std::vector<std::int64_t>& near) {
    near.assign(1, row);
    for (std::int64_t at = rows.first[row]; at < rows.last[row]; ++at)
        near.push_back(rows.starts[graph] + rows.neighbours[at]);
}

PRUNE4SED_HOT void mean(const Nearby& a, float* to, float* log_mass) {
    const Mass mass = near_shares(a);
    const float level = 1.0f / mass.sum;
    *log_mass = mass.peak + std::log(mass.sum);
    for (int j = 0; j < a.width; j += kLanes) {
        Lanes sum{};
        for (int i = 0; i < a.count; ++i) sum += load(a.sources + a.near[i] * a.width + j) * a.shares[i];
        store(to + j, sum * level);
    }
}

PRUNE4SED_INLINE float inner_product(const float* a, const float* b, int width) {
    Lanes sum{};
    for (int j = 0; j < width; j += kLanes) sum += load(a + j) * load(b + j);
    return total(sum);
}

// The gradient of the leaky ReLU at z, times the vector.
PRUNE4SED_INLINE Lanes steep(const Lanes& z, const Lanes& vector) {
#ifdef PRUNE4SED_VECTORS
    return z > 0.0f ? vector : vector * kGraphSlope;
#else
    Lanes out = vector;
    for (int i = 0; i < kLanes; ++i) out.x[i] *= z[i] > 0 ? 1.0f : kGraphSlope;
    return out;
#endif
}

struct Told {
    const GraphLook& look;
    const float *log_mass, *told, *inner;
    const GraphLookGradients& to;
};

// All that a row gets: from the arcs into it, and from those out of it, which are the same turned round.
PRUNE4SED_HOT void gather(const Told& a, std::int64_t row, const std::int64_t* near, int count) {
    const int width = a.look.width;
    const float *source = a.look.source, *end = a.look.end, *attention = a.look.attention;
    const size_t here = static_cast<size_t>(row) * width;
    float *to_source = a.to.source + here, *to_end = a.to.end + here;
    for (int j = 0; j < width; j += kLanes) store(to_source + j, Lanes{}), store(to_end + j, Lanes{});
    for (int i = 0; i < count; ++i) {
        const std::int64_t other = near[i];
        const size_t there = static_cast<size_t>(other) * width;
        const float in = std::exp(near_score(source + there, end + here, attention, width) - a.log_mass[row]);
        const float by_in = in * (inner_product(a.told + here, source + there, width) - a.inner[row]);
        const float out = std::exp(near_score(source + here, end + there, attention, width) - a.log_mass[other]);
        const float by_out = out * (inner_product(a.told + there, source + here, width) - a.inner[other]);
        for (int j = 0; j < width; j += kLanes) {
            const Lanes weight = load(attention + j);
            const Lanes z = load(source + there + j) + load(end + here + j), turned = load(source + here + j) + load(end + there + j);
            store(to_end + j, load(to_end + j) + steep(z, weight) * by_in);
            store(a.to.attention + j, load(a.to.attention + j) + leaky(z, kGraphSlope) * by_in);
            store(to_source + j, load(to_source + j) + load(a.told + there + j) * out + steep(turned, weight) * by_out);
        }
    }
}

}  // namespace

void graph_means(const NodeRows& rows, const GraphLook& look, float* out, float* log_mass) {
    std::vector<std::int64_t> near;
    std::vector<float> shares;
    for (std::int64_t graph = 0; graph < rows.size(); ++graph)
        for (std::int64_t row = rows.starts[graph]; row < rows.starts[graph + 1]; ++row) {
            list_near(rows, graph, row, near);
            shares.resize(near.size() + kLanes);
            const float* end = look.end + row * look.width;
            mean({look.source, end, look.attention, near.data(), static_cast<int>(near.size()), look.width, shares.data()},
                 out + row * look.width, log_mass + row);
        }
}

void graph_mean_gradients(const NodeRows& rows, const GraphLook& look, const float* log_mass, const float* told,
                          const float* inner, const GraphLookGradients& gradients) {
    std::vector<std::int64_t> near;
    const Told all{look, log_mass, told, inner, gradients};
    for (std::int64_t graph = 0; graph < rows.size(); ++graph)
        for (std::int64_t row = rows.starts[graph]; row < rows.starts[graph + 1]; ++row) {
            list_near(rows, graph, row, near);
            gather(all, row, near.data(), static_cast<int>(near.size()));
        }
}

}  // namespace prune4sed
