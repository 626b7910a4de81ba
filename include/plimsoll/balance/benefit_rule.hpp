#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/rank_load_window.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

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
  void decided(double decision_s);
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
