#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/statistics.hpp>
#include <plimsoll/runtime/phase_summary.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/recording/edge_table.hpp"
#include "runtime/recording/phase_hooks.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Collective calls of a recorder, its Balancer and an ObjectSystem that wait for all ranks.
enum class CollectiveCall : std::int32_t {
  next_phase,
  balance_at_phase_ends,
  plan,
  moved,
  migrate,
  owner,
  infer_loads,
  run_until_quiet,
  close
};

/// Returns the name of the function in C++, without parentheses.
std::string_view name_of(CollectiveCall call);

/// A collective call of one rank, and the phase in which the rank makes it.
struct Arrival {
  std::int64_t phase = 0;
  CollectiveCall call = CollectiveCall::next_phase;
  int rank = 0;

  friend auto operator<=>(const Arrival&, const Arrival&) = default;
};

/// Range of the arrivals of several ranks. Part of the reduction with which each of these calls begins, so
/// that ranks in different calls or phases find out before one of them waits for a message that the other
/// never sends.
struct Arrivals {
  Arrival first{.phase = std::numeric_limits<std::int64_t>::max()};  ///< earliest phase and call, lowest rank
  Arrival last{.phase = std::numeric_limits<std::int64_t>::min()};   ///< latest phase and call, highest rank

  void merge(const Arrivals& other);
  /// Returns whether all ranks are in the same call and phase.
  bool agree() const { return first.phase == last.phase && first.call == last.call; }
  /// Returns the error (usage) of ranks that do not agree. It is the same on all ranks.
  Error mismatch() const;
};

/// Data that the ranks share at each phase end, in one reduction.
struct PhaseReduction {
  static constexpr int none = std::numeric_limits<int>::max();

  /// Adds the loads of this rank's tasks in the phase, in seconds.
  void add_loads(const std::vector<double>& loads_s);
  /// Adds the loads that a load model predicts for this rank's tasks in the next phase, in seconds.
  void add_modeled_loads(const std::vector<double>& loads_s);
  /// Adds this rank's messages. The edges must be resolved.
  void add_messages(std::span<const EdgeTable::Edge> edges);

  /// Returns the statistics over all ranks, with `times` of this rank.
  PhaseSummary summary(std::int64_t phase, const RankTimes& times) const;

  /// Statistics over the ranks merged so far. The modelled loads remain empty without a load model.
  PhaseStatistics over_ranks;
  int failed_rank = none;             ///< lowest rank that has an error to throw
  bool files_need_all_ranks = false;  ///< OutputFiles::needs_all_ranks() of any rank
  bool check_is_due = false;          ///< whether the objects or messages of any rank need an ObjectCheck
  BalancingEvidence balancing;        ///< for the balancer, if any
  Arrivals arrivals;                  ///< the collective calls of the ranks
};

/// Merges `right` into `left`; for mpi::Communicator::all_reduce.
void merge_reductions(PhaseReduction& left, const PhaseReduction& right);

}  // namespace plimsoll::runtime
