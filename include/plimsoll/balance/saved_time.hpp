#pragma once

#include <algorithm>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Compares the time of phases with that of a run without balancing, whose imbalance would be about that
/// before the migrations.
class SavedTime {
 public:
  /// Returns what the migrations save in a phase with this maximum load of a rank and this lower bound, in
  /// seconds; below 0 if the imbalance has become worse. Without migrations, nothing is saved.
  double of_phase(double max_load_s, double bound_s) const {
    return has_migrated_ ? uneven_ratio_ * bound_s - max_load_s : 0;
  }
  /// Adds migrations after a phase with this maximum load and lower bound. If migrations cause the imbalance,
  /// it does not justify more of them: it counts up to 1.05 times the one before.
  void migrated(double max_load_s, double bound_s) {
    if (bound_s <= 0) return;
    const double ratio = max_load_s / bound_s;
    uneven_ratio_ = has_migrated_ ? std::min(ratio, 1 + uneven_growth * (uneven_ratio_ - 1)) : ratio;
    has_migrated_ = true;
  }

 private:
  static constexpr double uneven_growth = 1.05;
  double uneven_ratio_ = 1;  // maximum load without balancing, divided by its bound
  bool has_migrated_ = false;
};

}  // namespace plimsoll::balance
