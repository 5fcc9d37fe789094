// The relaxation as one linear program, brought near its optimum by primal-dual steps.
//
// Sweeps move the prices of one row at a time and stall far below what the shares can prove. Here all moves at once: pairs
// are used and edges kept by fractions, each the more the cheaper what it needs is, and prices rise where more is wanted than
// there is (Chambolle and Pock, 2011; step lengths by the rows and columns of the program, Pock and Chambolle, 2011; with
// over-relaxation). They come near the optimum where subgradient steps creep, above all from where a parent ended.
// All of it is floating-point arithmetic and proves nothing: its prices are made into shares, which prove what they prove.
#pragma once

#include <vector>

#include "buffer.hpp"

namespace prune4sed {

// Minimise the cost of the pairs in use less the savings of the edges kept, so that every row uses one pair, no column is
// used more than once, and in the star of a pair no row and no column keeps more than the pair is used. The duals of these
// conditions are the prices. First come `clear`, `add` and `lay_out`, then `join` and whatever is known of prices and use, then
// `start`.
//
// An edge is an entry of two stars. The star that was added first keeps account of it, in the rows that lead to later rows;
// in its first rows, which lead to rows before its own, the other star only says what it asks, and is told what is kept.
class PrimalDual {
  public:
    static constexpr int kBlock = 8;  // columns of stars are padded to whole vectors

    struct Star {
        int row, column;      // of its pair
        int rows, width;      // of its matrix, padding included
        int told;             // so many of its rows, the first ones, lead to rows before its own
        int slot, near, far;  // where its entries, the prices of its rows and those of its columns begin
    };

    void clear(int rows, int columns);
    // Pairs come row by row, in ascending order. Returns the number of the pair.
    int add(int row, int column, float cost, int star_rows, int star_columns, int told);
    void lay_out();
    // These entries of two stars, the first added first, are the same edge; what is not joined cannot be kept.
    void join(int slot, int partner, float saving);
    void start();
    void run(int steps);

    int slots() const { return static_cast<int>(kept_.size()); }
    const Star& star(int pair) const { return star_[pair]; }
    float& row_price(int row) { return row_price_[row]; }
    float& column_price(int column) { return column_price_[column]; }
    float* near_prices(int pair) { return near_.data() + star_[pair].near; }
    float* far_prices(int pair) { return far_.data() + star_[pair].far; }
    float& used(int pair) { return used_[pair]; }
    // By the first slot given to `join`.
    float& kept(int slot) { return kept_[slot]; }
    // By the second slot: what the prices of its row and column come to, after `start` or `run`.
    float asked(int slot) const { return said_[slot]; }

  private:
    void choose_steps();
    void price_entries();
    void use_pairs();
    void keep_edges();

    std::vector<Star> star_;
    // by pair; wanted: how much to use it, looking ahead; asked_sum: all prices of its star
    std::vector<float> cost_, used_, wanted_, use_step_, asked_sum_;
    std::vector<float> row_price_, row_step_, row_excess_, column_price_, column_step_, column_excess_;
    std::vector<float> near_, near_step_, far_, far_step_, room_;
    Buffer<int> partner_;
    // by slot; said: what an entry that is told asks, or what one that keeps account keeps, looking ahead. One more at the
    // end, with nothing said, is the partner of all entries that are not joined.
    Buffer<float> saving_, kept_, said_;
};

}  // namespace prune4sed
