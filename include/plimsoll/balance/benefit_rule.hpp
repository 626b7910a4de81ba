#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include <plimsoll/balance/load_evidence.hpp>
#include <plimsoll/balance/migration_price.hpp>
#include <plimsoll/balance/saved_time.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Why a phase was not balanced, with the numbers that were compared.
struct Refusal {
  /// What was compared.
  enum class Reason : std::uint8_t {
    none,             ///< it was balanced
    first_phases,     ///< the first phase contains initialisation, and one more shows no noise
    even,             ///< max_load_s <= 1.02 x bound_s, with the mean as the bound
    heaviest_object,  ///< max_load_s <= bound_s, with the heaviest object as the bound
    uncertain,        ///< assured_load_s <= bound_s, but not even: noise may explain the imbalance
    decision,         ///< gain_s x phases <= price_s, which is the time of the last decision
    no_placement,     ///< the strategy found no better placement
    price,            ///< gain_s x phases <= price_s
    /// price_s > budget_s, and price_s > max_load_s or gain_s x phases <= price_s x (1 + 40 x price_s /
    /// elapsed_s)
    budget,
  };

  Reason reason = Reason::none;
  double max_load_s = 0;      ///< typical load of the rank with the highest one
  double assured_load_s = 0;  ///< LoadEvidence::max_assured_s
  double bound_s = 0;         ///< LoadEvidence::bound_s()
  double gain_s = 0;          ///< gain per phase that was compared
  double phases = 0;          ///< number of phases over which the gain was expected
  double price_s = 0;         ///< time to decide and migrate
  double budget_s = 0;        ///< see BenefitRule::budget_s()
  double elapsed_s = 0;       ///< time of the slowest ranks, over all phases
  MigrationVolume volume;     ///< that the price is for; without objects, it is that of a decision
  /// Phases until the next decision, unless the assured gain reaches `awaited_gain_s` before; 0: none.
  double phases_to_wait = 0;
  double awaited_gain_s = 0;
};

/// Decides when balancing pays: when the time that a new placement saves in the phases to come exceeds the
/// cost of computing it and of migrating its objects. The page docs/explanation/when-to-balance.md explains
/// the formulae.
///
/// Whatever the predictions are worth, balancing costs little: a migration that has not yet saved what it
/// cost limits the price of the next one (budget_s()), unless the expected gain is
/// well above the price.
///
/// The rule reads no clock and calls no MPI. If all ranks pass the same values, all ranks get the same
/// answers. Per phase, call observe(). Where worth_deciding() is true, compute a placement and call
/// decided(). Where worth_moving() is then true, migrate and call moved(). Each call takes constant time.
class BenefitRule {
 public:
  /// Adds a completed phase. `evidence` is merged over all ranks.
  void observe(const LoadEvidence& evidence);

  /// Returns whether a strategy is worth its decision time.
  bool worth_deciding();
  /// Adds a decision that took this time on the slowest rank.
  void decided(double decision_s);
  /// Returns whether a computed placement is worth its migrations. `predicted_gain_s` is the maximum rank
  /// load before minus after. After a refusal, worth_deciding() remains false until the gain may pay, for a
  /// number of phases that at most doubles with each refusal, unless the gain doubles.
  bool worth_moving(double predicted_gain_s, const MigrationVolume& volume);
  /// Returns the number of objects that a part of a refused plan may migrate, so that it may pay; 0: none.
  std::int64_t affordable_moves(std::int64_t moves) const;
  /// Adds a migration that took this time on the slowest rank.
  void moved(const MigrationVolume& volume, double migration_s);

  /// Returns why worth_deciding() or worth_moving() returned false after the last phase.
  const Refusal& refusal() const { return refusal_; }
  /// Returns the gain per phase, in seconds, that remains if all noise worked against it; 0 if none is sure.
  double assured_gain_s() const { return assured_gain_s_; }
  /// Returns the number of phases over which a new placement is expected to keep its gain.
  double phases_to_come() const;
  /// Returns what the next decision and migration may cost: 3 % of the time of all phases, minus what earlier
  /// ones cost and have not saved yet.
  double budget_s() const;
  /// Returns the predicted time of a migration.
  double migration_s(const MigrationVolume& volume) const { return price_.predict_s(volume); }
  /// Returns the mean relative spread of the rank loads, for RankLoadWindow::observe(); 0 if unknown.
  double usual_spread() const { return usual_spread_; }

 private:
  bool refuse(Refusal::Reason reason);
  double possible_gain_s() const { return evidence_.max_typical_s - evidence_.bound_s(); }
  bool is_waiting() const;
  double chance_gain_s() const;
  double ample_s(double price_s) const;
  bool is_allowed(double price_s) const;
  void record_lifetime(double phases);

  double n_phases_ = 0;
  LoadEvidence evidence_;
  double assured_gain_s_ = 0;
  double usual_spread_ = 0;
  double decision_s_ = 0;  // time of the last decision; 0 before the first
  double elapsed_s_ = 0;   // time of the slowest ranks, over all phases
  double unsaved_s_ = 0;   // cost of decisions and migrations that has not been saved yet
  SavedTime saved_;
  double promised_gain_s_ = 0;  // of the last plan that was worth its migrations
  MigrationPrice price_;
  std::deque<double> gains_s_;  // possible gains since the last migration, oldest first
  Refusal refusal_;
  Refusal waits_after_;            // the refusal after which worth_deciding() waits
  double wait_phases_ = 0;         // phases to wait since the last refusal
  double longest_wait_ = 0;        // at most so many; doubles with each refusal
  double refused_phase_ = 0;       // number of phases at the last refusal
  double move_phase_ = 0;          // number of phases at the last migration
  double gain_phase_ = 0;          // number of phases at the last migration for most of a gain
  double move_gain_s_ = 0;         // possible gain at that migration; 0 if it has come back
  std::vector<double> lifetimes_;  // phases for which the gains of the last migrations lasted
};

}  // namespace plimsoll::balance
