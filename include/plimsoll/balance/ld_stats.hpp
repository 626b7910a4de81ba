#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/balance/real_type.hpp>

namespace plimsoll::balance {

/// What was measured on a processor (a rank). Times in seconds since the last balancing.
///
/// Strategies read `bg_walltime`, `pe_speed` and `available`; the rest informs.
struct ProcStats {
  LBRealType total_walltime = 0;
  LBRealType total_cputime = 0;
  LBRealType idletime = 0;
  /// Work that is no object's; stays on this processor, and is not divided by its speed.
  LBRealType bg_walltime = 0;
  LBRealType bg_cputime = 0;
  /// Relative speed, more than 0: an object takes walltime / pe_speed. A double with 1 as the usual value,
  /// where Charm++'s old manual has an int.
  double pe_speed = 1;
  double utilization = 0;  ///< busy share of the time, 0 to 1
  bool available = true;   ///< whether objects may be placed here
  std::int32_t n_objs = 0;
};

/// One object. The columns of all objects are LDStats::obj_data, from_proc and to_proc.
///
/// Further dimensions of load (GPU seconds, memory) will be further columns of LDStats, so that strategies
/// of one dimension stay as they are.
struct LDObjData {
  /// Load in seconds on a processor of speed 1: what was measured, times the speed of where it was measured.
  LBRealType walltime = 0;
  bool migratable = true;
};

/// One end of an edge: an object (by its index in LDStats::obj_data) or a processor. Below 2^31 of each.
class CommEnd {
 public:
  static CommEnd object(std::uint32_t index) { return CommEnd(index); }
  static CommEnd processor(std::uint32_t index) { return CommEnd(index | processor_bit); }

  bool is_object() const { return (code_ & processor_bit) == 0; }
  std::uint32_t index() const { return code_ & ~processor_bit; }
  friend bool operator==(CommEnd, CommEnd) = default;

 private:
  static constexpr std::uint32_t processor_bit = 1u << 31;
  explicit CommEnd(std::uint32_t code) : code_(code) {}

  std::uint32_t code_;
};

/// Communication from one end to another, summed over the time measured.
struct LDCommData {
  CommEnd sender;
  CommEnd receiver;
  double bytes = 0;
  std::int64_t messages = 0;
};

/// The load balancing database: what a strategy sees, and where it leaves its decision.
///
/// For Charm++ programmers: the names are those of CentralLB.h (objData is obj_data, commData comm_data).
/// The counts are functions, so that they can't disagree with the arrays, and ends of edges are indices, so
/// that there is nothing to look up.
struct LDStats {
  std::vector<ProcStats> procs;
  std::vector<LDObjData> obj_data;
  std::vector<LDCommData> comm_data;
  std::vector<std::int32_t> from_proc;  ///< where each object is
  std::vector<std::int32_t> to_proc;    ///< where each object shall be; written by a strategy

  /// Number of processors.
  std::int32_t count() const { return static_cast<std::int32_t>(procs.size()); }
  std::int32_t n_objs() const { return static_cast<std::int32_t>(obj_data.size()); }
  std::int64_t n_comm() const { return static_cast<std::int64_t>(comm_data.size()); }
  /// Number of objects that may be moved. O(n_objs).
  std::int32_t n_migrateobjs() const;
};

}  // namespace plimsoll::balance
