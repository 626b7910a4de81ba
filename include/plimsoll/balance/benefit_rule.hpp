#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Measurements of one rank in one phase.
struct RankPhase {
  double load_s = 0;             ///< sum of the loads of its objects and its background load, >= 0
  double heaviest_object_s = 0;  ///< load of its heaviest object
  /// Part of load_s in which the rank did not run; if `is_disturbed`, the maximum, infinite if unknown.
  double interrupted_s = 0;
  /// Whether other processes may share the processors, so that loads may be too high.
  bool is_disturbed = false;
};

/// What the ranks know about the imbalance of a phase: the merged estimates of all ranks.
struct LoadEvidence {
  double max_typical_s = 0;  ///< maximum typical load of a rank
  double sum_typical_s = 0;  ///< sum of the typical loads
  double max_assured_s = 0;  ///< see RankLoadWindow::observe()
  /// Number of phases since the last sudden change of the load of the rank with max_assured_s.
  double phases_since_change = std::numeric_limits<double>::infinity();
  double heaviest_object_s = 0;  ///< load of the heaviest object
  double sum_spread = 0;         ///< sum of the relative spreads
  std::int64_t n_ranks = 0;      ///< number of merged ranks

  double mean_typical_s() const { return n_ranks == 0 ? 0 : sum_typical_s / static_cast<double>(n_ranks); }
};

/// Merges `right` into `left`; for mpi::Communicator::all_reduce.
void merge_evidence(LoadEvidence& left, const LoadEvidence& right);

/// Recent loads of one rank, to tell a lasting overload from noise. The page
/// docs/explanation/when-to-balance.md explains the formulae.
class RankLoadWindow {
 public:
  explicit RankLoadWindow(std::int64_t n_ranks) : n_ranks_(n_ranks) {}

  /// Adds a phase, and returns this rank's part of the evidence. `usual_spread` is the mean relative spread
  /// of all ranks (BenefitRule::usual_spread()). The typical load is the median of the recent phases. The
  /// assured load is what remains of it if all of the noise that the rank can have worked against it;
  /// max_assured_s is the maximum rank load minus the part of the gain that is then lost. Cost: O(1).
  LoadEvidence observe(const RankPhase& phase, double usual_spread);
  /// Scales the recent loads after a migration that changes the predicted load of this rank.
  void rescale(double before_s, double after_s);

 private:
  std::int64_t n_ranks_;
  std::vector<double> loads_s_;        // of the recent phases, oldest first
  std::vector<double> least_loads_s_;  // lower bounds of the work in the same phases
  std::size_t n_steady_ = 0;  // number of loads since the last sudden change, at most those of the median
  double phases_since_change_ = 0;
};

/// Migration of objects between phases, summed over all ranks.
struct MigrationVolume {
  std::int64_t objects = 0;  ///< number of objects that migrate
  double bytes = 0;          ///< bytes that their migration sends; 0 if unknown
};

/// Decides when balancing pays: when the time that a new placement saves in the phases to come exceeds the
/// cost of computing it and of migrating its objects. The page docs/explanation/when-to-balance.md explains
/// the formulae.
///
/// The rule reads no clock and calls no MPI. If all ranks pass the same values, all ranks get the same
/// answers. Per phase, call observe(). Where worth_deciding() is true, compute a placement and call
/// decided(). Where worth_moving() is then true, migrate and call moved(). Each call takes constant time.
class BenefitRule {
 public:
  /// Adds a completed phase. `evidence` is merged over all ranks.
  void observe(const LoadEvidence& evidence);

  /// Returns whether a strategy is worth its decision time.
  bool worth_deciding() const;
  /// Adds a decision that took this time on the slowest rank.
  void decided(double decision_s) { decision_s_ = decision_s; }
  /// Returns whether a computed placement is worth its migrations. `predicted_gain_s` is the maximum rank
  /// load before minus after. After a refusal, worth_deciding() remains false for a number of phases that
  /// doubles with each refusal, unless the gain doubles.
  bool worth_moving(double predicted_gain_s, const MigrationVolume& volume);
  /// Adds a migration that took this time on the slowest rank.
  void moved(const MigrationVolume& volume, double migration_s);

  /// Returns the gain per phase, in seconds, that remains if all noise worked against it; 0 if none is sure.
  double assured_gain_s() const { return assured_gain_s_; }
  /// Returns the number of phases over which a new placement is expected to keep its gain.
  double phases_to_come() const;
  /// Returns the predicted time of a migration.
  double migration_s(const MigrationVolume& volume) const;
  /// Returns the mean relative spread of the rank loads, for RankLoadWindow::observe(); 0 if unknown.
  double usual_spread() const { return usual_spread_; }

 private:
  void record_lifetime(double phases);

  double n_phases_ = 0;
  double assured_gain_s_ = 0;
  double phases_since_change_ = 0;  // of the load that causes the gain
  double usual_spread_ = 0;
  double decision_s_ = 0;           // time of the last decision; 0 before the first
  double guessed_migration_s_ = 0;  // sums over all migrations: as guessed, and as measured
  double measured_migration_s_ = 0;
  double wait_phases_ = 0;         // phases to wait since the last refusal
  double refused_phase_ = 0;       // number of phases at the last refusal
  double refused_gain_s_ = 0;      // assured gain at the last refusal
  double move_phase_ = 0;          // number of phases at the last migration
  double move_gain_s_ = 0;         // assured gain at the last migration; 0 if it has come back
  std::vector<double> lifetimes_;  // phases for which the gains of the last migrations lasted
};

}  // namespace plimsoll::balance
