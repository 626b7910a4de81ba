#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/statistics.hpp>
#include <plimsoll/runtime/phase_summary.hpp>

#include "runtime/recording/arrivals.hpp"
#include "runtime/recording/edge_table.hpp"
#include "runtime/recording/phase_observers.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

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
  int failed_rank = none;               ///< lowest rank that has an error to throw
  std::uint32_t observers_in_need = 0;  ///< bit k: PhaseObserver::needs_all_ranks() of observer k on any rank
  bool check_is_due = false;            ///< whether the objects or messages of any rank need an ObjectCheck
  BalancingEvidence balancing;          ///< for the balancer, if any
  Arrivals arrivals;                    ///< the collective calls of the ranks
};

/// Merges `right` into `left`; for mpi::Communicator::all_reduce.
void merge_reductions(PhaseReduction& left, const PhaseReduction& right);

}  // namespace plimsoll::runtime
