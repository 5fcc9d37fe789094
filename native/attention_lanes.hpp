// Both kinds of attention, sixteen floats at a time. Widths are multiples of 16.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "lanes.hpp"

namespace prune4sed {

// A node and who is near it, itself first.
struct Nearby {
    const float *sources, *end, *attention;  // (rows, width); (width,) of this node; (width,)
    const std::int64_t* near;
    int count, width;
    float* shares;  // room for count and a multiple of 16
};

struct Mass {
    float peak, sum;
};

constexpr float kGraphSlope = 0.2f;  // of its leaky ReLU

PRUNE4SED_INLINE float near_score(const float* source, const float* end, const float* attention, int width) {
    Lanes sum{};
    for (int j = 0; j < width; j += kLanes) sum += leaky(load(source + j) + load(end + j), kGraphSlope) * load(attention + j);
    return total(sum);
}

// The shares, up to their sum.
PRUNE4SED_INLINE Mass near_shares(const Nearby& a) {
    constexpr float never = -1e30f;
    float peak = never;
    for (int i = 0; i < a.count; ++i) {
        a.shares[i] = near_score(a.sources + a.near[i] * a.width, a.end, a.attention, a.width);
        peak = a.shares[i] > peak ? a.shares[i] : peak;
    }
    for (int i = a.count; i < a.count + kLanes; ++i) a.shares[i] = never;
    Lanes sum{};
    for (int i = 0; i < a.count; i += kLanes) {
        const Lanes share = exp_below(load(a.shares + i) - peak);
        store(a.shares + i, share);
        sum += share;
    }
    return {peak, total(sum)};
}

// Keys and values of one query.
struct Keys {
    int nodes = 0;
    const float* told = nullptr;  // (nodes, 2 * width)
};

// What sixteen rows, which ask (width, 16), find: (width, 16). A zero key beside the others lets a row find nothing.
// Leaves the shares of the keys (nodes, 16) of the last head up to their sum, and for every head, if asked for, the
// logarithm of the sum (heads, 16).
PRUNE4SED_INLINE void look(const Keys& keys, const float* asked, int width, int heads, float* shares, float* found,
                           float* log_mass = nullptr) {
    const int depth = width / heads;
    const float scale = 1.0f / std::sqrt(static_cast<float>(depth));
    for (int h = 0; h < heads; ++h) {
        Lanes peak{};
        for (int v = 0; v < keys.nodes; ++v) {
            const float* key = keys.told + static_cast<std::size_t>(v) * 2 * width + h * depth;
            Lanes score{};
            for (int d = 0; d < depth; ++d) score += load(asked + (h * depth + d) * kLanes) * key[d];
            score = score * scale;
            store(shares + v * kLanes, score);
            peak = larger(peak, score);
        }
        Lanes mass = exp_below(Lanes{} - peak);
        for (int v = 0; v < keys.nodes; ++v) {
            const Lanes share = exp_below(load(shares + v * kLanes) - peak);
            store(shares + v * kLanes, share);
            mass += share;
        }
        for (int d = h * depth; d < (h + 1) * depth; ++d) {
            Lanes sum{};
            for (int v = 0; v < keys.nodes; ++v)
                sum += load(shares + v * kLanes) * keys.told[static_cast<std::size_t>(v) * 2 * width + width + d];
            store(found + d * kLanes, sum / mass);
        }
        if (log_mass) store(log_mass + h * kLanes, peak + log_above(mass));
    }
}

}  // namespace prune4sed
