#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/statistics.hpp>
#include <plimsoll/runtime/phase_summary.hpp>

#include "runtime/recording/edge_table.hpp"

namespace plimsoll::runtime {

/// What the ranks tell each other at a phase's end, in one reduction.
struct PhaseReduction {
  static constexpr int none = std::numeric_limits<int>::max();

  /// Takes in the loads of this rank's tasks: of the phase, and those that a load model expects of the next.
  void add_loads(const std::vector<double>& loads_s);
  void add_modeled_loads(const std::vector<double>& loads_s);
  /// Takes in this rank's messages. The edges must be resolved.
  void add_messages(std::span<const EdgeTable::Edge> edges);

  /// What all ranks know of the phase, and `times` of this rank.
  PhaseSummary summary(std::int64_t phase, const RankTimes& times) const;

  lbdata::Statistics object_load_s;
  lbdata::Statistics rank_load_s;
  lbdata::Statistics object_load_modeled_s;  // of no values without a load model of its own
  lbdata::Statistics rank_load_modeled_s;
  lbdata::Statistics object_comm_bytes;
  lbdata::Statistics rank_comm_bytes;
  double duration_s = 0;
  int failed_rank = none;           ///< lowest that has an error to throw
  int failed_to_write_rank = none;  ///< lowest that goes on without writing, since this phase
};

/// Takes `right` into `left`; for mpi::Communicator::all_reduce.
void merge_reductions(PhaseReduction& left, const PhaseReduction& right);

}  // namespace plimsoll::runtime
