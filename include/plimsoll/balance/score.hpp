#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns the time at which each processor finishes, in seconds: bg_walltime + load / pe_speed. `placement`
/// is the processor of each object, such as from_proc or to_proc. Throws Error (usage) for a placement of
/// another length or a processor that does not exist.
std::vector<double> finish_times(const LDStats& stats, std::span<const std::int32_t> placement);

/// Returns the time that each processor works in each subphase, in seconds, by subphase and processor; empty
/// without LDStats::subphases. The placement must be valid.
std::vector<std::vector<double>> subphase_times(const LDStats& stats,
                                                std::span<const std::int32_t> placement);

/// Returns the time that a phase takes, in seconds: the maximum of finish_times(). With LDStats::subphases,
/// the ranks wait for each other after each subphase, so the time is the sum over the subphases of the
/// maximum over the processors; 0 without processors. Cost: O(objects x subphases). Throws like
/// finish_times().
double phase_time(const LDStats& stats, std::span<const std::int32_t> placement);

/// Returns the stats of one subphase: the loads of the objects in it and, if it is SubphaseLoads::outside,
/// the background loads. Has only `procs`, `obj_data` and `from_proc`. The ranks do not wait in it.
LDStats subphase_stats(const LDStats& stats, std::uint32_t subphase);

/// Returns the imbalance, max / mean - 1; NaN unless the mean is above 0.
double imbalance(std::span<const double> values);
/// Returns the same if the maximum is `max` instead, such as phase_time().
double imbalance(double max, std::span<const double> values);

/// Cause of a lower bound on the maximum rank time.
enum class BoundCause {
  mean,             ///< mean of all work over the available ranks
  heaviest_object,  ///< heaviest migratable object, on the rank where it would finish first
  pair_of_objects,  ///< two of the P+1 heaviest objects must share one of P available ranks
  fixed_load,       ///< non-migratable objects and background load of one rank
  load_unit,        ///< mean rounded up to whole load units: all loads are multiples of one unit
  subphases,        ///< sum of the bounds of the subphases, after each of which the ranks synchronise
};

/// Returns "mean", "heaviest object", "pair of objects", "fixed load", "whole load units" or "sum of the
/// subphases' bounds".
std::string_view to_string(BoundCause cause);

/// Lower bound on the time of a phase (phase_time()), and its cause.
struct Bound {
  double time_s = 0;                    ///< bound in seconds; 0 without load
  BoundCause cause = BoundCause::mean;  ///< cause of the bound
};

/// Returns a lower bound on phase_time() of any placement: the largest of the bounds, or the first if tied.
///
/// fixed_load considers all ranks, and the other bounds only the available ranks. pair_of_objects uses the
/// P-th and (P+1)-th heaviest objects, on the rank where they would finish first. Two of the P+1 heaviest
/// objects must share a rank, and they weigh at least as much as these two. The bound therefore holds for all
/// speeds. load_unit requires equal speeds, and background loads that are multiples of the unit. subphases
/// adds up these bounds of all subphases. Cost: O(objects + P log P) per subphase. Throws like ProcArray.
Bound lower_bound(const LDStats& stats);
/// Returns the same bound without subphases, i.e. on the maximum of finish_times(), from an existing
/// ProcArray of these stats.
Bound finish_time_bound(const LDStats& stats, const ProcArray& procs);

/// Value that a strategy minimises: lower is better. `first` has priority over `second`.
struct Score {
  double first = 0;   ///< primary value
  double second = 0;  ///< secondary value, for equal `first`
  friend auto operator<=>(const Score&, const Score&) = default;
};

/// Returns phase_time(), over all processors (available or not), divided by the average load of the available
/// ones. With more_loads, returns the maximum over all load dimensions. 1 is perfect; 0 without load. Cost:
/// O(objects) per dimension or subphase.
double relative_max_load(const LDStats& stats, std::span<const std::int32_t> placement);

/// Returns the maximum load of one of LDStats::more_loads over all ranks, relative to the average over the
/// available ranks; 0 if all loads are 0.
double relative_max(const LDStats& stats, const LoadDimension& dimension,
                    std::span<const std::int32_t> placement);

/// Returns (relative_max_load, 0) of the first dimension only, without subphases, for strategies that balance
/// walltime.
Score balance_score(const LDStats& stats, std::span<const std::int32_t> placement);
/// Returns (relative_max_load, 0) of all dimensions and subphases.
Score vector_balance_score(const LDStats& stats, std::span<const std::int32_t> placement);
/// Returns the excess of balance_score above max(`tolerance`, lower bound) as `first`, and the off-rank bytes
/// as `second`. Strategies that keep communication within ranks minimise it.
Score communication_score(const LDStats& stats, std::span<const std::int32_t> placement, double tolerance);

/// Terms of a strategy's score. Limits and the search for needless migrations use them to update the score
/// after each migration, instead of computing it for all objects.
struct ScoreTerms {
  /// Quantity that the terms describe.
  enum class Kind {
    none,           ///< minimises nothing, or its terms are unknown
    own,            ///< known only to Strategy::score()
    load,           ///< balance_score(), or vector_balance_score() with `all_loads`
    communication,  ///< communication_score(), in which messages count too; with `all_loads`, `first` is the
                    ///< maximum excess over all dimensions
  };
  Kind kind = Kind::none;
  bool all_loads = false;  ///< whether more_loads and subphases count
  double tolerance = 1;    ///< maximum load that counts as balanced, relative to the average (communication)
  double per_message = 0;  ///< bytes that each off-rank message counts for (communication)
  /// Bytes that each migration counts for, relative to the mean communication of an object (communication).
  double per_migration = 0;

  static ScoreTerms of_load(bool all_loads) { return {Kind::load, all_loads}; }
  /// By default, a message counts so little that it decides only between equal bytes.
  static ScoreTerms of_communication(double tolerance, bool all_loads = false, double per_message = 0.001) {
    return {Kind::communication, all_loads, tolerance, per_message};
  }
};

/// Returns the bytes that each migration counts for: `per_migration` times the mean of what an object
/// communicates with others. Throws Error (usage) if all migrations together would count infinitely.
double cost_per_migration(const ScoreTerms& terms, const LDStats& stats);

/// Returns the score that consists of these terms; (0, 0) for the kinds `none` and `own`.
Score score_of(const ScoreTerms& terms, const LDStats& stats, std::span<const std::int32_t> placement);

}  // namespace plimsoll::balance
