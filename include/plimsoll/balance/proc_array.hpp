#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::inline v0_1::balance {

/// A processor as a strategy sees it. Times in seconds.
struct ProcInfo {
  std::int32_t proc_id = 0;  ///< its rank
  double pe_speed = 1;       ///< relative speed, more than 0
  bool available = true;     ///< whether objects may be placed here
  /// What stays here whatever is decided: background and sentinels.
  double overhead = 0;
  /// When this processor finishes: overhead + load of its migratable objects / pe_speed.
  double total_load = 0;
};

/// The processors with their loads before balancing (Charm++'s ProcArray). Where that one has no speeds and
/// takes the average over all processors, this one has both right, and sentinels count as overhead.
class ProcArray {
 public:
  /// O(processors + objects). Throws Error (bad_input) for a load that is negative or not finite, a speed
  /// that is not above 0, an object on a processor that does not exist, or columns of different length.
  explicit ProcArray(const LDStats& stats);

  std::vector<ProcInfo> procs;

  /// The total load that all available processors would have if it could be spread evenly: (overhead of
  /// available processors in work + all migratable load) / sum of their speeds. As of construction. 0 if
  /// none is available.
  double average_load() const { return average_load_; }
  /// Load of all migratable objects, at speed 1.
  double migratable_load() const { return migratable_load_; }
  std::int32_t n_migratable() const { return n_migratable_; }
  /// Number of available processors.
  std::int32_t n_available() const { return n_available_; }
  /// Whether a migratable object is on a processor that is not available, and so has to leave.
  bool must_evacuate() const { return must_evacuate_; }
  /// Greatest total load of an available processor.
  double max_load() const;
  /// Takes all migratable objects off: total_load := overhead.
  void reset_total_load();
  /// Throws Error (usage) if there are migratable objects and no processor to place them on.
  void require_available() const;

 private:
  double average_load_ = 0;
  double migratable_load_ = 0;
  std::int32_t n_available_ = 0;
  std::int32_t n_migratable_ = 0;
  bool must_evacuate_ = false;
};

}  // namespace plimsoll::balance
