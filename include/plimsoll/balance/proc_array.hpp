#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Processor as a strategy sees it. Times are in seconds.
struct ProcInfo {
  std::int32_t proc_id = 0;  ///< rank of the processor
  double pe_speed = 1;       ///< relative speed, > 0
  bool available = true;     ///< whether objects may be placed here
  /// Time that does not depend on the placement: background load and non-migratable objects.
  double overhead = 0;
  /// Time when this processor finishes: overhead + load of its migratable objects / pe_speed.
  double total_load = 0;
};

/// Processors with their loads before balancing (Charm++'s ProcArray). Unlike Charm++'s class, this one
/// handles speeds and averages over available processors only. Non-migratable objects count as overhead.
class ProcArray {
 public:
  /// Computes the loads. Cost: O(processors + objects). Throws Error (bad_input) for a load that is negative
  /// or not finite, and for a speed <= 0. Also throws it for an object on a processor that does not exist,
  /// and for columns of different length.
  explicit ProcArray(const LDStats& stats);

  std::vector<ProcInfo> procs;

  /// Returns the total load of each available processor in a perfectly even distribution: (overhead of
  /// available processors as work + all migratable load) / sum of their speeds. Computed at construction; 0
  /// if no processor is available.
  double average_load() const { return average_load_; }
  /// Returns the load of all migratable objects, at speed 1.
  double migratable_load() const { return migratable_load_; }
  std::int32_t n_migratable() const { return n_migratable_; }
  /// Returns the number of available processors.
  std::int32_t n_available() const { return n_available_; }
  /// Returns whether a migratable object must migrate because it is on an unavailable processor.
  bool must_evacuate() const { return must_evacuate_; }
  /// Returns the maximum total load of an available processor.
  double max_load() const;
  /// Removes all migratable objects: total_load := overhead.
  void reset_total_load();
  /// Throws Error (usage) if migratable objects exist, but no processor is available.
  void require_available() const;

 private:
  double average_load_ = 0;
  double migratable_load_ = 0;
  std::int32_t n_available_ = 0;
  std::int32_t n_migratable_ = 0;
  bool must_evacuate_ = false;
};

}  // namespace plimsoll::balance
