#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/real_type.hpp>

namespace plimsoll::inline v0_1::balance {

/// What was measured on a processor (a rank). Times in seconds since the last balancing.
///
/// Strategies read `bg_walltime`, `pe_speed` and `available`; the rest informs.
struct ProcStats {
  LBRealType total_walltime = 0;  ///< all wall time measured
  LBRealType total_cputime = 0;   ///< all processor time measured
  LBRealType idletime = 0;        ///< wall time without work
  /// Work that is no object's; stays on this processor, and is not divided by its speed.
  LBRealType bg_walltime = 0;
  LBRealType bg_cputime = 0;  ///< the same in processor time
  /// Relative speed, more than 0: an object takes walltime / pe_speed. A double with 1 as the usual value,
  /// where Charm++'s old manual has an int.
  double pe_speed = 1;
  double utilization = 0;   ///< busy share of the time, 0 to 1
  bool available = true;    ///< whether objects may be placed here
  std::int32_t n_objs = 0;  ///< objects here, sentinels included
  /// The shared-memory host: processors of equal number share it. Negative: a host of its own.
  std::int32_t node = -1;
  double rank_alpha = 1;          ///< factor of this processor's load in its work (work model)
  double rank_working_bytes = 0;  ///< memory that it needs whatever objects it has
};

/// One object. The columns of all objects are LDStats::obj_data, from_proc and to_proc, and those of
/// more_loads, memory and positions if they are known.
struct LDObjData {
  /// Load in seconds on a processor of speed 1: what was measured, times the speed of where it was measured.
  LBRealType walltime = 0;
  bool migratable = true;  ///< false: a sentinel, which stays where it is
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
  std::int64_t messages = 0;  ///< 0 or more
};

/// A dimension of load beside LDObjData::walltime: GPU seconds, bytes, or what a user's field counts.
/// Strategies that balance one dimension leave it aside.
struct LoadDimension {
  std::string name;  ///< such as "gpu_time"
  /// 0 or more, in the dimension's own unit; other than walltime it is not divided by pe_speed, and no
  /// processor has background of it.
  std::vector<LBRealType> of_object;
};

/// What an object needs in memory, in bytes. Source: vt's user data of tasks (`task_footprint_bytes`,
/// `task_working_bytes`, `task_serialized_bytes`, `shared_id`).
struct ObjMemory {
  static constexpr std::uint32_t no_block = ~std::uint32_t{0};  ///< it uses no shared block
  double footprint_bytes = 0;                                   ///< always
  double working_bytes = 0;                                     ///< while it works
  double serialized_bytes = 0;                                  ///< while it migrates
  std::uint32_t block = no_block;  ///< the shared block that it uses, an index of LDStats::blocks
  /// What a migration of it sends: its serialised form, or its footprint if that isn't known.
  double migration_bytes() const { return serialized_bytes > 0 ? serialized_bytes : footprint_bytes; }
};

/// A piece of memory that objects on one processor share; each processor that has such an object has a copy.
struct SharedBlock {
  double bytes = 0;
  std::int32_t home = 0;  ///< the processor that keeps it
};

/// The load balancing database: what a strategy sees, and where it leaves its decision.
///
/// For Charm++ programmers: the names are those of CentralLB.h (objData is obj_data, commData comm_data).
/// The counts are functions, so that they can't disagree with the arrays, and ends of edges are indices, so
/// that there is nothing to look up.
struct LDStats {
  std::vector<ProcStats> procs;         ///< by rank
  std::vector<LDObjData> obj_data;      ///< by object
  std::vector<LDCommData> comm_data;    ///< one per edge
  std::vector<std::int32_t> from_proc;  ///< where each object is
  std::vector<std::int32_t> to_proc;    ///< where each object shall be; written by a strategy

  // What follows is empty where it isn't known or wasn't asked for.
  /// Of each edge of comm_data, a lbdata::CommCategory less 1. Empty: all are SendRecv.
  std::vector<std::uint8_t> comm_categories;
  /// `id`, else `seq_id`, of each object (64 bits, signed or not): what users know it by. Only sentinels may
  /// have one in common.
  std::vector<std::uint64_t> numbers;
  std::vector<LoadDimension> more_loads;  ///< dimensions beside walltime; usually none
  std::vector<ObjMemory> memory;          ///< of each object
  std::vector<SharedBlock> blocks;        ///< to which ObjMemory::block refers
  /// n_axes coordinates of each object, one object after the other: its index, or where a user says it is.
  std::vector<double> positions;
  std::uint32_t n_axes = 0;  ///< coordinates of an object; 0 without positions

  /// Number of processors.
  std::int32_t count() const { return static_cast<std::int32_t>(procs.size()); }
  std::int32_t n_objs() const { return static_cast<std::int32_t>(obj_data.size()); }
  std::int64_t n_comm() const { return static_cast<std::int64_t>(comm_data.size()); }
  /// Where an object is; empty if that isn't known.
  std::span<const double> position(std::size_t object) const {
    if (positions.empty()) return {};
    return std::span(positions).subspan(object * n_axes, n_axes);
  }
  /// What a migration of an object sends, 0 if it isn't known.
  double migration_bytes(std::size_t object) const {
    return memory.empty() ? 0 : memory[object].migration_bytes();
  }
  /// Number of objects that may be moved. O(n_objs).
  std::int32_t n_migrateobjs() const;
};

}  // namespace plimsoll::balance
