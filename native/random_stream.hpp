// Random numbers that are the same on every machine and in every version: integers only, no standard distributions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace prune4sed {

// The finaliser of splitmix64: a bijection in which every input bit reaches every output bit.
constexpr std::uint64_t mix64(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

// splitmix64 (Steele, Lea, Flood 2014), which fills the state of the generator below.
constexpr std::uint64_t splitmix64(std::uint64_t& state) { return mix64(state += 0x9e3779b97f4a7c15ULL); }

// One key for a seed and the numbers that tell its streams apart.
constexpr std::uint64_t stream_key(std::uint64_t seed, std::uint64_t stream, std::uint64_t item = 0) {
    std::uint64_t state = seed;
    state = splitmix64(state) + stream;
    state = splitmix64(state) + item;
    return splitmix64(state);
}

// A value and how often it is drawn, relative to the others.
struct Share {
    std::int32_t value;
    std::uint32_t weight;
};

// xoshiro256** (Blackman, Vigna 2018). Every item of every stream has its own, so that what is drawn for an item
// depends neither on how many come before it nor on how often those were drawn again.
class RandomStream {
  public:
    explicit RandomStream(const std::array<std::uint64_t, 4>& state) : state_(state) {}
    RandomStream(std::uint64_t seed, std::uint64_t stream, std::uint64_t item) {
        std::uint64_t key = stream_key(seed, stream, item);
        for (std::uint64_t& word : state_) word = splitmix64(key);
    }

    std::uint64_t next() {
        const std::uint64_t result = rotate(state_[1] * 5, 7) * 9, shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = rotate(state_[3], 45);
        return result;
    }

    // An integer from 0 to n - 1, all equally likely (Lemire 2019); n > 0.
    std::uint32_t below(std::uint32_t n) {
        std::uint64_t product = (next() >> 32) * n;
        if (static_cast<std::uint32_t>(product) < n) {
            const std::uint32_t unfair = (0u - n) % n;
            while (static_cast<std::uint32_t>(product) < unfair) product = (next() >> 32) * n;
        }
        return static_cast<std::uint32_t>(product >> 32);
    }

    // True half of the time, at the price of one bit.
    bool coin() {
        if (coins_left_ == 0) {
            coins_ = next();
            coins_left_ = 64;
        }
        --coins_left_;
        const bool head = coins_ & 1;
        coins_ >>= 1;
        return head;
    }

    // One of the values, as often as their weights say; their sum is more than 0 and fits 32 bits.
    std::int32_t pick(std::span<const Share> shares) {
        std::uint32_t total = 0;
        for (const Share& share : shares) total += share.weight;
        std::uint32_t rest = below(total);
        for (const Share& share : shares) {
            if (rest < share.weight) return share.value;
            rest -= share.weight;
        }
        return shares.back().value;
    }

    void shuffle(std::vector<std::int32_t>& items) {
        for (std::size_t i = items.size(); i > 1; --i)
            std::swap(items[i - 1], items[below(static_cast<std::uint32_t>(i))]);
    }

  private:
    static constexpr std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

    std::array<std::uint64_t, 4> state_{};
    std::uint64_t coins_ = 0;
    int coins_left_ = 0;
};

// A random order of 0 .. n - 1 of which any place can be asked for without making the rest: a Feistel network on the
// smallest square of a power of two that holds n, walked until it lands below n.
class RandomOrder {
  public:
    RandomOrder(std::uint64_t seed, std::uint64_t stream, std::uint64_t round, std::uint64_t n) : size_(n) {
        while (half_bits_ < 32 && (std::uint64_t{1} << (2 * half_bits_)) < n) ++half_bits_;
        std::uint64_t key = stream_key(seed, stream, round);
        for (std::uint64_t& k : keys_) k = splitmix64(key);
    }

    // The item at a place; place < n.
    std::uint64_t at(std::uint64_t place) const {
        do place = permuted(place);
        while (place >= size_);
        return place;
    }

  private:
    std::uint64_t permuted(std::uint64_t x) const {
        const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
        std::uint64_t left = x >> half_bits_, right = x & mask;
        for (const std::uint64_t key : keys_) left = std::exchange(right, left ^ (mix64(right ^ key) & mask));
        return (left << half_bits_) | right;
    }

    std::uint64_t size_;
    int half_bits_ = 1;
    std::array<std::uint64_t, 8> keys_{};
};

}  // namespace prune4sed
