#include "primal_dual.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "hot.hpp"

namespace prune4sed {
namespace {

constexpr float kBalance = 0.5f;  // how far use and keeping move in a step, against how far prices do
constexpr float kOver = 1.9f;     // over-relaxation: steps are taken almost twice; they would not settle beyond
constexpr float kNever = -1e6f;   // the saving of entries that are not joined
constexpr float kKeepStep = kBalance / 4;  // every edge is in two rows and two columns

constexpr int kBlock = PrimalDual::kBlock;
typedef float Block __attribute__((vector_size(kBlock * sizeof(float)), aligned(sizeof(float))));
typedef float Half __attribute__((vector_size(kBlock / 2 * sizeof(float))));

[[gnu::always_inline]] inline Block load(const float* from) {
    Block v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

[[gnu::always_inline]] inline void store(float* to, Block v) { std::memcpy(to, &v, sizeof v); }

[[gnu::always_inline]] inline Block gather(const float* from, const int* at) {
    Block v;
    for (int k = 0; k < kBlock; ++k) v[k] = from[at[k]];
    return v;
}

// In one order on every machine.
[[gnu::always_inline]] inline float total(Block v) {
    Half halves[2];
    std::memcpy(halves, &v, sizeof v);
    const Half sum = halves[0] + halves[1];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

[[gnu::always_inline]] inline Block at_least(Block v, Block least) { return v > least ? v : least; }

// What a price that must not be negative becomes.
template <class Value>
[[gnu::always_inline]] inline Value moved(Value price, Value by, Value none) {
    const Value next = price + by > none ? price + by : none;
    return price + kOver * (next - price);
}

// One star: where its numbers are. Stars are taken in order. What a star keeps it says before those who are told have their
// turn; what its own told entries ask it says when those who keep account of them have had theirs, with the prices of before.
struct StarStep {
    const float *all_said, *saving;
    const int* partner;
    float *kept, *said, *near, *far;
    const float *near_step, *far_step;
    int told, rows;
    float wanted;

    // Returns the sum of the new prices. Most stars have one or two blocks, and loops of known length; 0: any number.
    template <int Blocks>
    [[gnu::always_inline]] inline float take(int blocks, float* room) const {
        if constexpr (Blocks > 0) blocks = Blocks;
        Block few[Blocks > 0 ? Blocks : 1];
        Block* const kept_in = Blocks > 0 ? few : reinterpret_cast<Block*>(room);
        const Block none{};
        for (int b = 0; b < blocks; ++b) kept_in[b] = none;
        float sum = 0;
        int s = 0, i = 0;
        const auto price_row = [&](Block line) __attribute__((always_inline)) {
            const float price = moved(near[i], near_step[i] * (total(line) - wanted), 0.0f);
            near[i] = price;
            sum += price;
        };
        for (; i < told; ++i) {
            Block line = none;
            for (int b = 0; b < blocks; ++b, s += kBlock) {
                const Block ahead = gather(all_said, partner + s);
                kept_in[b] += ahead;
                line += ahead;
            }
            price_row(line);
        }
        for (; i < rows; ++i) {
            Block line = none;
            const float price = near[i];
            for (int b = 0; b < blocks; ++b, s += kBlock) {
                const Block before = load(kept + s), asked = load(far + b * kBlock) + price;
                const Block slope = asked + gather(all_said, partner + s) - load(saving + s);
                const Block next = at_least(before - kKeepStep * slope, none);
                const Block ahead = next + (next - before);
                store(kept + s, before + kOver * (next - before));
                store(said + s, ahead);
                kept_in[b] += ahead;
                line += ahead;
            }
            price_row(line);
        }
        Block far_sum = none;
        for (int b = 0; b < blocks; ++b) {
            const Block excess = kept_in[b] - wanted;
            kept_in[b] = moved(load(far + b * kBlock), load(far_step + b * kBlock) * excess, none);
            store(far + b * kBlock, kept_in[b]);
            far_sum += kept_in[b];
        }
        s = 0;
        for (i = 0; i < told; ++i)
            for (int b = 0; b < blocks; ++b, s += kBlock) store(said + s, kept_in[b] + near[i]);
        return sum + total(far_sum);
    }
};

// A step in the price of something that `count` others have to do with, or none where nothing has.
float price_step(float count, float more = 0) { return count > 0 ? 1 / (kBalance * (count + more)) : 0; }

}  // namespace

void PrimalDual::clear(int rows, int columns) {
    star_.clear();
    cost_.clear();
    row_price_.assign(rows, 0);
    column_price_.assign(columns, 0);
    row_excess_.resize(rows);
    column_excess_.resize(columns);
}

int PrimalDual::add(int row, int column, float cost, int star_rows, int star_columns, int told) {
    const int width = (star_columns + kBlock - 1) / kBlock * kBlock;
    Star star{row, column, width == 0 ? 0 : star_rows, width, width == 0 ? 0 : told, 0, 0, 0};
    if (!star_.empty()) {
        const Star& last = star_.back();
        star.slot = last.slot + last.rows * last.width;
        star.near = last.near + last.rows;
        star.far = last.far + last.width;
    }
    star_.push_back(star);
    cost_.push_back(cost);
    return static_cast<int>(star_.size()) - 1;
}

void PrimalDual::lay_out() {
    const Star end = star_.empty() ? Star{} : star_.back();
    const int slots = end.slot + end.rows * end.width;
    for (auto* by_pair : {&used_, &wanted_, &use_step_, &asked_sum_}) by_pair->assign(star_.size(), 0);
    near_.assign(end.near + end.rows, 0);
    far_.assign(end.far + end.width, 0);
    int widest = 0;
    for (const Star& star : star_) widest = std::max(widest, star.width);
    room_.resize(widest);
    kept_.assign(slots, 0);
    saving_.assign(slots, kNever);
    partner_.assign(slots, slots);
    said_.resize(slots + 1);
    said_[slots] = 0;
}

void PrimalDual::join(int slot, int partner, float saving) {
    partner_[slot] = partner;
    partner_[partner] = slot;
    saving_[slot] = saving_[partner] = saving;
}

// Steps are the shorter the more they meet: of all that uses a row or column, and of all that a pair has to pay for. Rows and
// columns of stars without any edge have no price.
PRUNE4SED_HOT void PrimalDual::choose_steps() {
    row_step_.assign(row_price_.size(), 0);
    column_step_.assign(column_price_.size(), 0);
    near_step_.resize(near_.size());
    far_step_.assign(far_.size(), 0);
    const Block none{}, one = none + 1.0f, never = none + kNever;
    for (std::size_t p = 0; p < star_.size(); ++p) {
        const Star& star = star_[p];
        ++row_step_[star.row];
        ++column_step_[star.column];
        float *near = near_step_.data() + star.near, *far = far_step_.data() + star.far;
        const float* saving = saving_.data() + star.slot;
        float prices = 2;
        for (int i = 0; i < star.rows; ++i) {
            Block line = none;
            for (int j = 0; j < star.width; j += kBlock, saving += kBlock) {
                const Block edges = load(saving) > never ? one : none;
                line += edges;
                store(far + j, load(far + j) + edges);
            }
            near[i] = total(line);
            prices += near[i] > 0;
        }
        Block priced = none;
        for (int j = 0; j < star.width; j += kBlock) priced += load(far + j) > none ? one : none;
        use_step_[p] = kBalance / (prices + total(priced));
    }
    for (float& step : row_step_) step = price_step(step);
    for (float& step : column_step_) step = price_step(step);
    for (float& step : near_step_) step = price_step(step, 1);
    for (float& step : far_step_) step = price_step(step, 1);
}

// What entries ask that are told what is kept, and what all prices of a star come to.
void PrimalDual::price_entries() {
    for (std::size_t p = 0; p < star_.size(); ++p) {
        const Star& star = star_[p];
        const float *near = near_.data() + star.near, *far = far_.data() + star.far;
        float* said = said_.data() + star.slot;
        for (int i = 0; i < star.told; ++i)
            for (int j = 0; j < star.width; ++j) *said++ = near[i] + far[j];
        asked_sum_[p] = std::accumulate(near, near + star.rows, 0.0f) + std::accumulate(far, far + star.width, 0.0f);
    }
}

void PrimalDual::start() {
    choose_steps();
    price_entries();
}

void PrimalDual::run(int steps) {
    for (int k = 0; k < steps; ++k) {
        use_pairs();
        keep_edges();
    }
}

// Pairs, and the prices of rows and columns.
void PrimalDual::use_pairs() {
    std::fill(row_excess_.begin(), row_excess_.end(), -1.0f);
    std::fill(column_excess_.begin(), column_excess_.end(), -1.0f);
    for (std::size_t p = 0; p < star_.size(); ++p) {
        const Star& star = star_[p];
        const float slope = cost_[p] + row_price_[star.row] + column_price_[star.column] - asked_sum_[p];
        const float next = std::max(0.0f, used_[p] - use_step_[p] * slope);
        wanted_[p] = next + (next - used_[p]);
        used_[p] += kOver * (next - used_[p]);
        row_excess_[star.row] += wanted_[p];
        column_excess_[star.column] += wanted_[p];
    }
    // A row must be used, so its price may be negative.
    for (std::size_t r = 0; r < row_price_.size(); ++r) row_price_[r] += kOver * row_step_[r] * row_excess_[r];
    for (std::size_t c = 0; c < column_price_.size(); ++c)
        column_price_[c] = moved(column_price_[c], column_step_[c] * column_excess_[c], 0.0f);
}

// Entries, and the prices of the rows and columns of stars.
PRUNE4SED_HOT void PrimalDual::keep_edges() {
    for (std::size_t p = 0; p < star_.size(); ++p) {
        const Star& star = star_[p];
        if (star.rows == 0) continue;
        const StarStep step{said_.data(),
                            saving_.data() + star.slot,
                            partner_.data() + star.slot,
                            kept_.data() + star.slot,
                            said_.data() + star.slot,
                            near_.data() + star.near,
                            far_.data() + star.far,
                            near_step_.data() + star.near,
                            far_step_.data() + star.far,
                            star.told,
                            star.rows,
                            wanted_[p]};
        const int blocks = star.width / kBlock;
        switch (blocks) {
            case 1: asked_sum_[p] = step.take<1>(1, nullptr); break;
            case 2: asked_sum_[p] = step.take<2>(2, nullptr); break;
            default: asked_sum_[p] = step.take<0>(blocks, room_.data());
        }
    }
}

}  // namespace prune4sed
