// Primal-dual steps of a level: its stars become a linear program (primal_dual.hpp), whose prices become shares.
#include <algorithm>

#include "relaxation.hpp"

namespace prune4sed {
namespace {

constexpr int kStepsPerEntry = 32;  // so many cost no more than to work through an entry of a star
constexpr int kPerLook = 500'000;   // entries times steps between two looks at the clock, less than a millisecond
constexpr float kTrifle = 1e-6f;    // what is used or kept less is not; numbers near nothing are slow to compute with
// Where nodes cost so many times what edges do, the edges would be lost in the roundings.
constexpr int kDearest = 10'000;

float worth_telling(float amount) { return amount > kTrifle ? amount : 0; }

}  // namespace

// Columns that pairs may use, numbered as they come; returns how many.
template <class Cost>
int Relaxation<Cost>::number_program_columns(const Level<Cost>& level) {
    program_column_.resize(instance_.num_columns());
    for (int column : level.column) program_column_[column] = -1;
    int columns = 0;
    for (int column : level.column)
        if (program_column_[column] < 0) program_column_[column] = columns++;
    return columns;
}

// Pairs that are ruled out stay out of the program.
template <class Cost>
void Relaxation<Cost>::lay_out_program(const Level<Cost>& level) {
    const float unit = 1 / static_cast<float>(largest_share_);
    program_.clear(level.rows(), number_program_columns(level));
    program_pair_.assign(level.column.size(), -1);
    slot_.resize(level.entries);
    for (std::size_t p = 0; p < level.column.size(); ++p) {
        if (!level.alive[p]) continue;
        const int row = level.pair_row[p], degree = level.degree(row), columns = level.star_columns[p];
        const float cost = unit * static_cast<float>(level.fixed[p]);
        const int* const links = level.link_row.data() + level.link_offset[row];
        const int told = static_cast<int>(std::lower_bound(links, links + degree, row) - links);
        program_pair_[p] = program_.add(row, program_column_[level.column[p]], cost, degree, columns, told);
        const PrimalDual::Star& star = program_.star(program_pair_[p]);
        int e = level.star_offset[p];
        for (int i = 0; i < degree; ++i)
            for (int j = 0; j < columns; ++j) slot_[e++] = star.slot + i * star.width + j;
    }
    program_.lay_out();
    for (int e = 0; e < level.entries; ++e) {
        const int other = level.partner[e];
        if (other > e) program_.join(slot_[e], slot_[other], unit * static_cast<float>(level.share[e] + level.share[other]));
    }
}

// From the prices that the last sweep found for the stars, the duals of the assignment after it, and what the parent used
// and kept: much of that is right here, too.
template <class Cost>
void Relaxation<Cost>::set_out(const Level<Cost>& level) {
    const float unit = 1 / static_cast<float>(largest_share_);
    const auto scaled = [unit](Cost price) { return unit * static_cast<float>(price); };
    for (int r = 0; r < level.rows(); ++r) {
        program_.row_price(r) = -scaled(assignment_.row_dual(r));
        for (int p = level.pair_offset[r]; p < level.pair_offset[r + 1]; ++p) {
            if (!level.alive[p]) continue;
            const int pair = program_pair_[p];
            program_.column_price(program_column_[level.column[p]]) = -scaled(assignment_.column_dual(level.column[p]));
            if (!level.used.empty()) program_.used(pair) = level.used[p];
            if (level.star_columns[p] == 0) continue;
            const Cost* near = edge_price_.data() + price_begin_[r] + (p - level.pair_offset[r]) * level.degree(r);
            const Cost* far = far_price_.data() + far_begin_[p];
            std::transform(near, near + level.degree(r), program_.near_prices(pair), scaled);
            std::transform(far, far + level.star_columns[p], program_.far_prices(pair), scaled);
        }
    }
    if (level.used.empty()) return;
    for (int e = 0; e < level.entries; ++e)
        if (level.partner[e] > e) program_.kept(slot_[e]) = level.kept[e];
}

// What is kept of an edge, and how its saving is divided. Where both stars together ask more or less for it than it saves,
// each bears half of the difference.
template <class Cost>
void Relaxation<Cost>::divide(Level<Cost>& level, int e, float asked) {
    const int other = level.partner[e];
    level.kept[e] = worth_telling(program_.kept(slot_[e]));
    const Cost total = level.share[e] + level.share[other];
    const float more = static_cast<float>(largest_share_) * (asked - program_.asked(slot_[other]));
    // In this order, so that what is no number is nothing.
    const float claim = std::min(static_cast<float>(total), std::max(0.0f, (static_cast<float>(total) + more) / 2));
    level.share[e] = std::min<Cost>(total, static_cast<Cost>(claim));
    level.share[other] = total - level.share[e];
}

template <class Cost>
void Relaxation<Cost>::take_over(Level<Cost>& level) {
    level.used.assign(level.column.size(), 0);
    for (std::size_t p = 0; p < level.column.size(); ++p)
        if (level.alive[p]) level.used[p] = worth_telling(program_.used(program_pair_[p]));
    if (static_cast<int>(level.kept.size()) < level.entries) {
        level.kept.clear();  // nothing to keep when it moves
        level.kept.resize(level.entries);
    }
    std::fill_n(level.kept.begin(), level.entries, 0.0f);
    for (std::size_t p = 0; p < level.column.size(); ++p) {
        if (!level.alive[p] || level.star_columns[p] == 0) continue;
        const int columns = level.star_columns[p];
        const PrimalDual::Star& star = program_.star(program_pair_[p]);
        const float *near = program_.near_prices(program_pair_[p]), *far = program_.far_prices(program_pair_[p]);
        for (int i = star.told; i < star.rows; ++i)
            for (int j = 0, e = level.star_offset[p] + i * columns; j < columns; ++j, ++e)
                if (level.partner[e] >= 0) divide(level, e, near[i] + far[j]);
    }
}

template <class Cost>
void Relaxation<Cost>::approach(Level<Cost>& level, int steps) {
    const auto costs_much = [this](Cost fixed) {
        return fixed / kDearest > largest_share_ || fixed / kDearest < -largest_share_;
    };
    if (largest_share_ == 0 || std::any_of(level.fixed.begin(), level.fixed.end(), costs_much)) return;
    lay_out_program(level);
    set_out(level);
    program_.start();
    const int slots = program_.slots(), slice = std::max(1, kPerLook / std::max(1, slots));
    for (int done = 0; done < steps && !watch_->check(); done += slice) {
        const int some = std::min(slice, steps - done);
        program_.run(some);
        pause(static_cast<std::size_t>(slots) * some / kStepsPerEntry);
    }
    take_over(level);
}

template void Relaxation<std::int32_t>::approach(Level<std::int32_t>&, int);
template void Relaxation<std::int64_t>::approach(Level<std::int64_t>&, int);

}  // namespace prune4sed
