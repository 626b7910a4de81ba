#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <plimsoll/balance/load_evidence.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// What the ranks know about the changes of their loads in a phase: the merged values of all ranks.
struct ChangeEvidence {
  /// Maximum number of phases between two loads that are compared.
  static constexpr std::size_t max_lag = 8;

  double max_load_s = 0;  ///< maximum load of a rank in the phase
  double sum_load_s = 0;  ///< sum of the loads of the ranks in the phase
  double heaviest_object_s = 0;
  /// Sums of the standard deviations of the noise, in seconds, if loads repeat after 1, 2, ... phases; below
  /// 0 if they are unknown.
  std::array<double, max_lag> sum_noise_s = {};
  std::int64_t n_ranks = 0;  ///< number of merged ranks
};

/// Merges `right` into `left`; for mpi::Communicator::all_reduce.
void merge_changes(ChangeEvidence& left, const ChangeEvidence& right);

/// Returns whether a placement that considers the changes of the loads gains clearly more in each phase than
/// one for the typical loads.
bool is_steadier(const LoadEvidence& changing, const LoadEvidence& typical);

/// Recent loads of one rank, to tell loads that change regularly from noise.
class RankLoadChanges {
 public:
  /// Adds a phase, and returns this rank's part of the evidence. Cost: O(1).
  ChangeEvidence observe(const RankPhase& phase);
  /// Forgets the loads, after a migration.
  void clear() { loads_s_.clear(); }

 private:
  std::deque<double> loads_s_;  // oldest first
};

/// Decides whether loads change from phase to phase so that a placement of the last phase does not last, but
/// one that is good in each of several phases does: loads that repeat every few phases, or drift across all
/// objects. The page docs/explanation/when-to-balance.md explains the formulae.
class ChangingLoads {
 public:
  /// Maximum number of phases that such a placement considers.
  static constexpr std::size_t max_phases = 8;

  /// Adds a phase that has ended on all ranks.
  void observe(const ChangeEvidence& evidence);
  /// Forgets the phases, after a migration.
  void clear() { phases_.clear(); }
  /// Returns the number of phases that a placement must consider, so that it lasts.
  std::size_t n_phases() const { return phases_.size(); }
  /// Returns the evidence of the mean phase, for a placement that is good in each of the last phases.
  LoadEvidence evidence() const;

 private:
  struct Phase {
    double max_load_s;
    double mean_load_s;
    double bound_s;
  };
  std::deque<Phase> phases_;  // oldest first
  double noise_s_ = 0;        // standard deviation of the noise of a rank; below 0 if it is unknown
  std::int64_t n_ranks_ = 0;
};

}  // namespace plimsoll::balance
