// The lower bound: stars joined by an assignment, tightened by dual ascent.
//
// Every preserved query edge saves cost. That saving is split into two shares, one for the star of each end. Given
// the shares, a (query node, target node) pair is worth its node cost minus the best matching of its star, and the
// assignment problem over those values bounds every mapping from below, whatever the split. Sweeps move shares to
// where they raise the bound; the reduced costs of the assignment rule out pairs that no better mapping can use. Rings that
// no mapping can keep whole may be kept at a penalty (ring_penalty.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "assignment.hpp"
#include "buffer.hpp"
#include "instance.hpp"
#include "limits.hpp"
#include "local_search.hpp"
#include "primal_dual.hpp"
#include "ring_penalty.hpp"
#include "star.hpp"

namespace prune4sed {

// A subproblem: some query nodes are fixed, the others (rows) still have candidate columns (pairs).
// Pair p of row r owns a star matrix of degree(r) x star_columns[p] entries. Entry e of one star and entry
// partner[e] of another speak of the same preserved edge; share[e] + share[partner[e]] is what the edge saves, less the
// penalty of the rings that it is in. The same holds for the savings in `fixed`, and `base` has been granted what these
// rings can pay at most.
template <class Cost>
struct Level {
    std::vector<int> node;                                 // row -> query node
    std::vector<int> order;                                // in which sweeps take the rows
    std::vector<int> link_offset, link_row, link_back, link_class, link_edge;  // unassigned neighbours of each row, by row
    std::vector<int> pair_offset, pair_row, column;
    std::vector<Cost> fixed, value;                        // fixed: node cost minus savings to assigned nodes
    std::vector<Cost> reduced, slack;                      // by the duals of `bound`; slack: with what looking ahead adds
    std::vector<char> alive;
    std::vector<int> star_offset, star_columns;
    std::vector<Cost> without;                             // star values of the neighbours of row without_row, less its edge
    int without_row = -1;
    Buffer<int> partner, partner_pair;                     // partner -1: the edge cannot be preserved any more
    Buffer<Cost> share;
    int entries = 0;                                       // how much of the three arrays above, and of `kept`, is in use
    std::vector<float> used;                               // how much primal-dual steps used each pair, and
    Buffer<float> kept;                                    // kept each entry with a later partner; `used` is empty if none were
    Cost base = 0;                                         // cost decided so far, all open edges counted as lost
    Cost bound = 0;
    RingSet rings = 0;                                     // whose edges are kept at a penalty
    RingSet wanted = 0;                                    // of them: those that children go on with

    int rows() const { return static_cast<int>(node.size()); }
    int degree(int row) const { return link_offset[row + 1] - link_offset[row]; }
    bool has_open_edges() const { return !link_row.empty(); }
};

// The partner of entry e, or e itself if it has none: its share is 0, and loops need not ask. Which entries are live
// is hard to guess for a processor, and a wrong guess costs as much as the work on several entries.
inline int live_or(int partner, int e) { return partner ^ ((partner ^ e) & (partner >> 31)); }

template <class Cost>
class Relaxation {
  public:
    Relaxation(const Instance& instance, LocalSearch& local_search, Incumbent& incumbent)
        : instance_(instance), local_search_(local_search), incumbent_(incumbent) {}

    void prepare(Cost scale, StopWatch& watch);
    Cost scale() const { return scale_; }

    // Only mappings of at most this many ticks are of interest; with the incumbent it sets the cut-off.
    void set_ceiling(std::int64_t ticks) { ceiling_ = ticks; }
    std::int64_t limit() const { return std::min(ceiling_, incumbent_.cost - 1); }
    Cost cutoff() const;

    // Node costs with a degree bound for the stars: cheap, and enough for many pairs. False: stopped before the end.
    bool root_assignment();
    Cost root_bound() const { return root_bound_; }
    const std::vector<int>& root_mapping() const { return candidate_map_; }
    // Columns of every query node that a better mapping may still use. False: there is no better mapping.
    bool root_candidates(std::vector<std::vector<int>>& candidates) const;

    std::size_t count_entries(const std::vector<std::vector<int>>& candidates) const;
    void build(Level<Cost>& level, const std::vector<std::vector<int>>& candidates, RingSet rings = 0);

    // Which rings levels may name from now on; false: none.
    bool set_rings(const std::vector<ScarceRings>& groups) { return rings_.set(instance_, groups, scale_); }
    RingSet all_rings() const { return rings_.all(); }
    // Of these rings, those that a level keeps too much of in its relaxation. It must be the one last evaluated or derived.
    RingSet overdone_rings(const Level<Cost>& level, RingSet rings);

    // The following return false once the level is proven to hold nothing better.
    bool evaluate(Level<Cost>& level);
    // Sweeps start from the duals of the last assignment, so the level must be the one last evaluated or derived.
    // There is one at least, and they go on while `patience` times the last gain would close the gap; so many primal-dual
    // steps follow, which prove more, or prepare for more to be proven of children.
    bool tighten(Level<Cost>& level, int max_sweeps, int patience, int steps = 0);
    // What all children that fix `row` have in common; to be called before the first of them is derived, and again when
    // the level has changed other than by ruling out pairs.
    void leave_out(Level<Cost>& level, int row);
    // assigned() has the column of the pair by then.
    bool derive(const Level<Cost>& parent, Level<Cost>& child, int row, int pair);

    // Rules a pair out: the edges that it would preserve are lost to all other pairs.
    void kill(Level<Cost>& level, int pair);

    // Images of the query nodes fixed on the way to the current level; -1 elsewhere.
    std::vector<int>& assigned() { return assigned_; }
    std::int64_t work() const { return work_; }

  private:
    using Job = typename StarMatching<Cost>::Job;
    Cost kept_saving(const Level<Cost>& level, int link, int c1, int c2) const;
    RingSet still_whole(RingSet rings, int u) const;
    void give_back_values(Level<Cost>& level, RingSet before);
    void give_back_to_row(Level<Cost>& level, int row, int edge_class, int image, Cost back);
    void give_back_shares(Level<Cost>& level, RingSet before);
    void count_fixed_edges();
    void collect_used(const Level<Cost>& level);
    void count_target_classes();
    Cost degree_share(int u, int v) const;
    bool pause(std::size_t entries);
    bool assign(Level<Cost>& level);
    bool heed_assignment(Level<Cost>& level);
    bool filter(Level<Cost>& level);
    void reserve_prices(const Level<Cost>& level);
    void lay_out_prices(const Level<Cost>& level);
    std::size_t solve_row(Level<Cost>& level, int row);
    bool solve_rows(Level<Cost>& level);
    bool solve_jobs();
    // The same as evaluate, and a stronger filter.
    bool evaluate_ahead(Level<Cost>& level);
    void keep_excess(const Level<Cost>& level);
    Cost price_elsewhere(const Level<Cost>& level, int row);
    void match_beside(const Level<Cost>& level, int first_row, int last_row);
    bool look_ahead(Level<Cost>& level);
    bool sweep(Level<Cost>& level, bool forward);
    bool sweep_row(Level<Cost>& level, int row, Cost& bound);
    void share_out(Level<Cost>& level, int pair, int degree, const Cost* row_price, const Cost* column_price);

    void approach(Level<Cost>& level, int steps);
    int number_program_columns(const Level<Cost>& level);
    void lay_out_program(const Level<Cost>& level);
    void set_out(const Level<Cost>& level);
    void divide(Level<Cost>& level, int entry, float asked);
    void take_over(Level<Cost>& level);

    void link_rows(Level<Cost>& level);
    void number_star_columns(Level<Cost>& level);
    void link_stars(Level<Cost>& level);
    void derive_rows(const Level<Cost>& parent, Level<Cost>& child, int row);
    void order_rows(const Level<Cost>& parent, Level<Cost>& child, int row);
    void measure_distance(const Level<Cost>& parent, int row);
    struct Room {
        Cost reduced, slack;
    };
    Room room_with(const Level<Cost>& parent, int pair, int other_row) const;
    bool derive_pairs(const Level<Cost>& parent, Level<Cost>& child, int row, int pair);
    int star_column(const Level<Cost>& level, int pair, int degree, int target) const;
    void keep_filtered(const Level<Cost>& parent, Level<Cost>& child);
    void reserve_star(const Level<Cost>& parent);
    void derive_stars(const Level<Cost>& parent, Level<Cost>& child);
    int copy_star(const Level<Cost>& parent, Level<Cost>& child, int pair, int child_pair, int next);

    const Instance& instance_;
    LocalSearch& local_search_;
    Incumbent& incumbent_;
    StopWatch* watch_ = nullptr;
    const Level<Cost>* assigned_level_ = nullptr;  // whose duals the assignment holds
    Assignment<Cost> assignment_;
    StarMatching<Cost> star_;
    RingPenalty<Cost> rings_;
    Cost scale_ = 1, root_bound_ = 0;
    Cost largest_share_ = 0;  // all that an edge saves
    std::int64_t ceiling_ = 0, work_ = 0, next_check_ = 0;
    std::vector<int> assigned_, candidate_map_;
    std::vector<Cost> row_price_, column_price_;  // for whoever does not want them
    std::vector<Job> jobs_;
    // of all stars of a level: row prices, by row and pair, and column prices, by pair
    std::vector<int> price_begin_, far_begin_;
    std::vector<Cost> edge_price_, far_price_;
    // scratch of look_ahead
    std::vector<Cost> elsewhere_, elsewhere_sum_, beside_, ahead_;
    Buffer<Cost> excess_;
    // scratch of ring_level
    std::vector<int> row_of_, kept_halves_, used_pair_, used_entry_, matched_row_;
    std::vector<Cost> used_value_;
    // scratch of approach
    PrimalDual program_;
    std::vector<int> program_pair_, program_column_, slot_;
    // scratch of root_assignment, build and derive
    Level<Cost> root_;
    std::vector<int> class_degree_;  // target node x edge class
    std::vector<int> pair_at_, usable_, column_number_, column_offset_;
    std::vector<int> origin_, new_index_, new_entry_, skip_, kept_columns_, heir_;
    std::vector<char> seen_, distance_;
};

}  // namespace prune4sed
