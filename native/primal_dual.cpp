#include "primal_dual.hpp"

#include <algorithm>
#include <cstring>

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

// One star: where its numbers are. Prices of entries are written apart, for others still want those of before.
struct StarStep {
    const float *all_asked, *asked, *saving;
    const int* partner;
    float *kept, *next_asked, *near, *far;
    const float *near_step, *far_step;
    int rows;
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
        int s = 0;
        for (int i = 0; i < rows; ++i) {
            Block line = none;
            for (int b = 0; b < blocks; ++b, s += kBlock) {
                const Block before = load(kept + s);
                const Block slope = load(asked + s) + gather(all_asked, partner + s) - load(saving + s);
                const Block next = at_least(before - kKeepStep * slope, none);
                store(kept + s, before + kOver * (next - before));
                const Block ahead = next + (next - before);
                kept_in[b] += ahead;
                line += ahead;
            }
            near[i] = moved(near[i], near_step[i] * (total(line) - wanted), 0.0f);
            sum += near[i];
        }
        Block far_sum = none;
        for (int b = 0; b < blocks; ++b) {
            const Block excess = kept_in[b] - wanted;
            kept_in[b] = moved(load(far + b * kBlock), load(far_step + b * kBlock) * excess, none);
            store(far + b * kBlock, kept_in[b]);
            far_sum += kept_in[b];
        }
        s = 0;
        for (int i = 0; i < rows; ++i)
            for (int b = 0; b < blocks; ++b, s += kBlock) store(next_asked + s, kept_in[b] + near[i]);
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

int PrimalDual::add(int row, int column, float cost, int star_rows, int star_columns) {
    Star star{row, column, star_columns == 0 ? 0 : star_rows, (star_columns + kBlock - 1) / kBlock * kBlock, 0, 0, 0};
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
    asked_.resize(slots);
    next_asked_.resize(slots);
    partner_.resize(slots);
    for (int s = 0; s < slots; ++s) partner_[s] = s;
}

void PrimalDual::join(int slot, int partner, float saving) {
    partner_[slot] = partner;
    partner_[partner] = slot;
    saving_[slot] = saving_[partner] = saving;
}

// Steps are the shorter the more they meet: of all that uses a row or column, and of all that a pair has to pay for. Rows and
// columns of stars without any edge have no price.
void PrimalDual::choose_steps() {
    row_step_.assign(row_price_.size(), 0);
    column_step_.assign(column_price_.size(), 0);
    near_step_.assign(near_.size(), 0);
    far_step_.assign(far_.size(), 0);
    for (std::size_t p = 0; p < star_.size(); ++p) {
        const Star& star = star_[p];
        ++row_step_[star.row];
        ++column_step_[star.column];
        float *near = near_step_.data() + star.near, *far = far_step_.data() + star.far;
        const float* saving = saving_.data() + star.slot;
        for (int i = 0; i < star.rows; ++i)
            for (int j = 0; j < star.width; ++j, ++saving) {
                near[i] += *saving > kNever;
                far[j] += *saving > kNever;
            }
        const auto prices = std::count_if(near, near + star.rows, [](float count) { return count > 0; }) +
                            std::count_if(far, far + star.width, [](float count) { return count > 0; });
        use_step_[p] = kBalance / static_cast<float>(2 + prices);
    }
    for (float& step : row_step_) step = price_step(step);
    for (float& step : column_step_) step = price_step(step);
    for (float& step : near_step_) step = price_step(step, 1);
    for (float& step : far_step_) step = price_step(step, 1);
}

void PrimalDual::price_entries() {
    for (std::size_t p = 0; p < star_.size(); ++p) {
        const Star& star = star_[p];
        const float *near = near_.data() + star.near, *far = far_.data() + star.far;
        float* asked = asked_.data() + star.slot;
        asked_sum_[p] = 0;
        for (int i = 0; i < star.rows; ++i) {
            asked_sum_[p] += near[i];
            for (int j = 0; j < star.width; ++j) *asked++ = near[i] + far[j];
        }
        for (int j = 0; j < star.width; ++j) asked_sum_[p] += far[j];
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
        const StarStep step{asked_.data(),
                            asked_.data() + star.slot,
                            saving_.data() + star.slot,
                            partner_.data() + star.slot,
                            kept_.data() + star.slot,
                            next_asked_.data() + star.slot,
                            near_.data() + star.near,
                            far_.data() + star.far,
                            near_step_.data() + star.near,
                            far_step_.data() + star.far,
                            star.rows,
                            wanted_[p]};
        const int blocks = star.width / kBlock;
        switch (blocks) {
            case 1: asked_sum_[p] = step.take<1>(1, nullptr); break;
            case 2: asked_sum_[p] = step.take<2>(2, nullptr); break;
            default: asked_sum_[p] = step.take<0>(blocks, room_.data());
        }
    }
    asked_.swap(next_asked_);
}

}  // namespace prune4sed
