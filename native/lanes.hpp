// Sixteen floats at a time, and the product of a few rows with a matrix, for the layers of the networks.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__GNUC__) && !defined(PRUNE4SED_PLAIN_LANES)
#define PRUNE4SED_VECTORS
#define PRUNE4SED_INLINE inline __attribute__((always_inline))
#else
#define PRUNE4SED_INLINE inline
#endif

namespace prune4sed {

constexpr int kLanes = 16;
constexpr int kTile = 6;  // rows at a time: that many sums fit the registers with AVX2 and with AVX-512

#ifdef PRUNE4SED_VECTORS
typedef float Lanes __attribute__((vector_size(kLanes * sizeof(float))));
typedef std::int32_t IntLanes __attribute__((vector_size(kLanes * sizeof(float))));
#else
struct Lanes {
    float x[kLanes];
    float operator[](int i) const { return x[i]; }
    Lanes& operator+=(const Lanes& b) { return *this = *this + b; }
    friend Lanes operator+(Lanes a, const Lanes& b) {
        for (int i = 0; i < kLanes; ++i) a.x[i] += b.x[i];
        return a;
    }
    friend Lanes operator*(Lanes a, const Lanes& b) {
        for (int i = 0; i < kLanes; ++i) a.x[i] *= b.x[i];
        return a;
    }
    friend Lanes operator*(Lanes a, float b) {
        for (int i = 0; i < kLanes; ++i) a.x[i] *= b;
        return a;
    }
    friend Lanes operator+(Lanes a, float b) {
        for (int i = 0; i < kLanes; ++i) a.x[i] += b;
        return a;
    }
    friend Lanes operator-(Lanes a, float b) {
        for (int i = 0; i < kLanes; ++i) a.x[i] -= b;
        return a;
    }
    friend Lanes operator-(Lanes a, const Lanes& b) {
        for (int i = 0; i < kLanes; ++i) a.x[i] -= b.x[i];
        return a;
    }
    friend Lanes operator/(Lanes a, const Lanes& b) {
        for (int i = 0; i < kLanes; ++i) a.x[i] /= b.x[i];
        return a;
    }
};
#endif

PRUNE4SED_INLINE Lanes load(const float* from) {
    Lanes v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

PRUNE4SED_INLINE void store(float* to, const Lanes& v) { std::memcpy(to, &v, sizeof v); }

PRUNE4SED_INLINE float total(const Lanes& v) {
    float sum[kLanes];
    store(sum, v);
    for (int half = kLanes / 2; half; half /= 2)
        for (int i = 0; i < half; ++i) sum[i] += sum[i + half];
    return sum[0];
}

PRUNE4SED_INLINE Lanes larger(const Lanes& a, const Lanes& b) {
#ifdef PRUNE4SED_VECTORS
    return a > b ? a : b;
#else
    Lanes out = a;
    for (int i = 0; i < kLanes; ++i) out.x[i] = a.x[i] > b.x[i] ? a.x[i] : b.x[i];
    return out;
#endif
}

// max(v, slope * v), for slopes below 1.
PRUNE4SED_INLINE Lanes leaky(const Lanes& v, float slope) {
#ifdef PRUNE4SED_VECTORS
    const Lanes bent = v * slope;
    return v > bent ? v : bent;
#else
    Lanes out = v;
    for (float& x : out.x) x = x > 0 ? x : slope * x;
    return out;
#endif
}

PRUNE4SED_INLINE Lanes relu(const Lanes& v) { return leaky(v, 0.0f); }

// exp of numbers that are 0 or less, to about 1e-7 of the result (the polynomial is Cephes's).
PRUNE4SED_INLINE Lanes exp_below(Lanes v) {
#ifdef PRUNE4SED_VECTORS
    const Lanes least = Lanes{} - 87.0f;
    v = v < least ? least : v;  // so that what is no number stays none
    const IntLanes power = __builtin_convertvector(v * 1.44269504f - 0.5f, IntLanes);
    const Lanes whole = __builtin_convertvector(power, Lanes);
    v = v - whole * 0.693359375f;
    v = v - whole * -2.12194440e-4f;
    Lanes y = v * 1.9875691500e-4f + 1.3981999507e-3f;
    y = y * v + 8.3334519073e-3f;
    y = y * v + 4.1665795894e-2f;
    y = y * v + 1.6666665459e-1f;
    y = y * v + 5.0000001201e-1f;
    y = y * v * v + v + 1.0f;
    const IntLanes bits = (power + 127) << 23;
    Lanes scale;
    std::memcpy(&scale, &bits, sizeof scale);
    return y * scale;
#else
    for (float& x : v.x) x = std::exp(x < -87.0f ? -87.0f : x);
    return v;
#endif
}

// The logarithm of numbers that are 1 or more, to about 1e-7 (the polynomial is Cephes's).
PRUNE4SED_INLINE Lanes log_above(Lanes v) {
#ifdef PRUNE4SED_VECTORS
    constexpr std::int32_t half = 0x3f3504f3;  // the bits of the root of a half: what is left is between it and twice it
    IntLanes bits;
    std::memcpy(&bits, &v, sizeof bits);
    const IntLanes power = (bits - half) >> 23;
    bits -= power << 23;
    std::memcpy(&v, &bits, sizeof v);
    const Lanes whole = __builtin_convertvector(power, Lanes), z = v - 1.0f, square = z * z;
    Lanes y = z * 7.0376836292e-2f - 1.1514610310e-1f;
    y = y * z + 1.1676998740e-1f;
    y = y * z - 1.2420140846e-1f;
    y = y * z + 1.4249322787e-1f;
    y = y * z - 1.6668057665e-1f;
    y = y * z + 2.0000714765e-1f;
    y = y * z - 2.4999993993e-1f;
    y = y * z + 3.3333331174e-1f;
    y = y * z * square - whole * 2.12194440e-4f - square * 0.5f;
    return z + y + whole * 0.693359375f;
#else
    for (float& x : v.x) x = std::log(x);
    return v;
#endif
}

// to = a * weight + bias for kTile rows of `in` numbers; weight is (in, out) and `out` a multiple of kLanes.
PRUNE4SED_INLINE void tile_times(const float* a, int in, const float* weight, const float* bias, int out, float* to) {
    for (int j = 0; j < out; j += kLanes) {
        Lanes sum[kTile];
        for (int r = 0; r < kTile; ++r) sum[r] = load(bias + j);
        for (int k = 0; k < in; ++k) {
            const Lanes w = load(weight + static_cast<std::int64_t>(k) * out + j);
            for (int r = 0; r < kTile; ++r) sum[r] += w * a[r * in + k];
        }
        for (int r = 0; r < kTile; ++r) store(to + r * out + j, sum[r]);
    }
}

}  // namespace prune4sed
