#pragma once

#include <cstddef>
#include <cstdint>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Settings of RefineLB, RefineSwapLB and GreedyRefineLB: how long they search, and when they accept more
/// migrations or a later finish.
///
/// The experiments that first set these values are not recorded. The comments give the result of an
/// experiment that varies one value at a time: `few_moves_bench --benchmark_filter=context`, on fourteen
/// distributions of loads and four sizes with tolerance 1.0005. The first number is the mean share of
/// migrated objects, the second the mean excess of the maximum finish time above the lower bound; with the
/// values below, they are 16.1 % and 0.275 %. "No effect" means less than the last digit. Settings without a
/// result have no effect at half and at twice their value. Repeat the experiment after a change.
struct RefineContext {
  // Effort, which the strategies set.
  /// Maximum number of pairs of ranks that search_pairs() splits. RefineSwapLB sets its parameter `effort`,
  /// RefineLB small_search().
  std::uint64_t max_splits = 2048;
  /// Random seed of search_pairs().
  std::uint64_t seed = 1;

  // Comparison of placements (refine_within()).
  /// Number of splits in small_search() up to 4096 ranks. At half: 16.2 %, 0.281 %; at twice: 16.7 %,
  /// 0.255 %.
  std::uint64_t min_splits = 2048;
  /// Relative difference between maximum finish times up to which fewer migrations are better, unless the
  /// tolerance is smaller.
  double small_gain = 5e-4;
  /// Share of the tolerance that the first attempt uses, because a slightly lower maximum costs hardly any
  /// migrations. At 0.96: 16.1 %, 0.274 %; at 1: 16.1 %, 0.276 %.
  double aimed_share = 0.98;
  /// Number of objects up to which more placements are compared, because this takes little time. Twice the
  /// value takes 1.4 times as long. At half: no effect; at twice: 16.2 %, 0.228 %.
  std::int32_t max_compared = 4096;
  /// Number of targets to try with few objects. At half: 16.1 %, 0.258 %; at twice: 16.2 %, 0.281 %.
  std::uint64_t max_tries = 4;
  /// Share of migrated objects above which placements are compared.
  double many_moves = 0.2;
  /// Number of relocations per migration above which placements are compared. At half: no effect; at twice:
  /// 16.1 %, 0.276 %.
  double many_relocations = 0.05;

  // Migrations and swaps (shed_excess()).
  /// Maximum number of passes through the overloaded ranks. Each pass takes time. At 2: 16.8 %, 0.234 %; at
  /// 4: 16.0 %, 0.225 %.
  std::size_t n_passes = 3;
  /// Minimum fraction of the movable load that justifies a step in the first pass; half as much in each later
  /// pass. At 0.375: 15.8 %, 0.250 %; at 1: 16.0 %, 0.275 %.
  double minimum_share = 0.75;
  /// Maximum number of objects that the search for a swap inspects in the first pass, on ranks with
  /// sufficient room. At half: 16.1 %, 0.274 %; at twice: 16.0 %, 0.277 %.
  std::size_t search_width = 512;
  /// Number of the donor's objects to try in later passes.
  std::size_t index_choices = 8;
  /// Number of objects of other ranks, nearest to the best load, to inspect for each of these.
  std::size_t index_width = 64;
  /// Number of ranks to inspect for a swap of part of the excess. Doubles in each pass, because fewer
  /// overloaded ranks remain. At half: 17.3 %, 0.235 %; at twice: 16.0 %, 0.268 %.
  std::size_t partial_partners = 8;
  /// Number of ranks to inspect for making room. Doubles in each pass.
  std::size_t hosts = 16;
  /// Number of random ranks to inspect. Doubles in each pass. At half: no effect; at twice: 16.1 %, 0.281 %.
  std::size_t random_partners = 64;
  /// Share of the maximum possible load: a swap that moves it ends the search. At 0.35: 16.5 %, 0.220 %; at
  /// 1: 16.0 %, 0.285 %.
  double good_share = 0.7;
  /// Load that a random rank may receive in addition to the excess, relative to the excess. At half: 16.1 %,
  /// 0.272 %; at twice: 16.7 %, 0.279 %.
  double random_surplus = 0.3;
  /// Maximum number of steps per rank and pass that may take more than one migration.
  std::size_t max_steps_per_rank = 8;
  /// Minimum number of random ranks per pass, if the ranks are fewer. At half: 15.9 %, 0.275 %; at twice:
  /// 16.3 %, 0.275 %.
  std::size_t min_random_partners = 128;
  /// Maximum number of objects that a donor receives for one object.
  std::size_t max_returned = 16;

  // Splits of two ranks (search_pairs()).
  /// Maximum number of objects to split optimally, at most 32. The time grows with the square root of 2^n. At
  /// 8: 16.1 %, 0.269 %; at 20: no effect.
  std::size_t max_split_objects = 16;
  /// Maximum number of partners to try for the rank that finishes last. At half: 16.0 %, 0.265 %; at twice:
  /// 16.1 %, 0.281 %.
  int max_partners = 64;
  /// Number of random swaps that leave a local optimum. At 1: 16.2 %, 0.281 %; at 6: 16.1 %, 0.281 %.
  int kick_swaps = 3;
  /// Number of dead ends after which the search returns to the best known placement.
  int dead_ends_away = 16;
  /// Relative distance to the target at which a dead end ends the search: no user sees the difference.
  double near = 1e-6;
};

}  // namespace plimsoll::balance
