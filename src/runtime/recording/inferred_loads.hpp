#pragma once

#include <map>
#include <string>
#include <vector>

#include <plimsoll/balance/load_inference.hpp>

#include "runtime/recording/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Difference between the time of a rank and the sum of the inferred loads of its objects.
struct InferenceError {
  double unexplained_s = 0;  ///< time minus loads, in seconds, in the last phase
  double deviation_s = 0;    ///< standard deviation of the difference, in seconds
};

/// Infers the loads of the objects that have features, at the end of each phase. Each pack is an equation:
/// the objects of a pack number with the time that the program passed for it, and all other objects with the
/// rest of the rank's time.
class InferredLoads {
 public:
  /// Throws Error (usage) for invalid names. `recording` must outlive this object.
  InferredLoads(Recording& recording, const std::vector<std::string>& features);

  /// Adds time that the program measured for a pack in this phase.
  void add_pack_time(int pack, double time_s) { pack_times_s_[pack] += time_s; }

  /// Measures the packs of this rank at the end of the phase. From now on, the time that they explain counts
  /// as time of objects. Returns no packs if recording is off.
  balance::PhaseFeatures measure();
  /// Replaces the loads of the objects with features by those that the model predicts.
  void set_loads();

  balance::LoadInference& model() { return model_; }
  const balance::LoadInference& model() const { return model_; }
  /// Returns the errors of the inferred loads of the last phase.
  const InferenceError& error() const { return error_; }
  /// Adds the time of the packs to values that are written to the files; on the first rank, also the costs.
  void add_to(UserValues& values, bool is_first_rank) const;
  /// Begins the next phase.
  void clear() { pack_times_s_.clear(); }

 private:
  Recording& recording_;
  balance::LoadInference model_;
  std::map<int, double> pack_times_s_;  // of this phase
  double time_s_ = 0;                   // of all packs in the last phase
  InferenceError error_;
};

}  // namespace plimsoll::runtime
