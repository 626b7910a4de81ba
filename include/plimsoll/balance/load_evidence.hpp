#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Measurements of one rank in one phase.
struct RankPhase {
  /// Sum of the loads of its objects and its background load, without the time in which other processes had
  /// the processor, >= 0.
  double load_s = 0;
  double heaviest_object_s = 0;  ///< load of its heaviest object
  /// Whether other processes may share the processors, or have done so recently. They slow down the rank
  /// while it runs, too.
  bool is_disturbed = false;
  /// Standard deviation of the time of the rank from the loads that decisions use; 0 if objects are measured.
  double load_error_s = 0;
};

/// What the ranks know about the imbalance of a phase: the merged estimates of all ranks.
struct LoadEvidence {
  double max_typical_s = 0;      ///< maximum typical load of a rank
  double sum_typical_s = 0;      ///< sum of the typical loads
  double max_assured_s = 0;      ///< see RankLoadWindow::observe()
  double heaviest_object_s = 0;  ///< load of the heaviest object
  double sum_spread = 0;         ///< sum of the relative spreads
  double sum_load_s = 0;         ///< sum of the loads of the phase itself
  double sum_load_error_s = 0;   ///< sum of RankPhase::load_error_s
  std::int64_t n_ranks = 0;      ///< number of merged ranks
  /// Whether the spread contains no changes of the work (ChangingLoads).
  bool knows_changes = false;

  double mean_typical_s() const { return n_ranks == 0 ? 0 : sum_typical_s / static_cast<double>(n_ranks); }
  /// Returns a lower bound on the maximum load of any placement: no placement is below the mean or the
  /// heaviest object, or makes up for errors of the loads.
  double bound_s() const;
};

/// Returns the evidence of ranks that work on two resources at the same time, such as processor and device:
/// the slower of both determines the time of a rank. No placement is below the bound of either.
LoadEvidence slower_resource(const LoadEvidence& left, const LoadEvidence& right);

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
  /// Adds what all ranks know about the phase that was observed last: what has changed the loads of all ranks
  /// alike is not noise that a placement could suffer from.
  void compare_with(const LoadEvidence& all_ranks);
  /// Scales the recent loads after a migration that changes the predicted load of this rank.
  void rescale(double before_s, double after_s);

 private:
  struct Phase {
    double load_s = 0;
    double mean_s = 0;  // of all ranks; 0 if unknown
  };

  double spread_of(const std::vector<double>& loads_s, double typical_s, double usual_spread) const;

  std::int64_t n_ranks_;
  std::vector<Phase> phases_;       // since the last sudden change, at most those of the median
  std::vector<double> heaviest_s_;  // heaviest objects of the last phases, oldest first
};

}  // namespace plimsoll::balance
