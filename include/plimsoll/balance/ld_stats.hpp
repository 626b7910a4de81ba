#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/real_type.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Measurements of a processor (a rank). Times are in seconds since the last balancing.
///
/// Strategies read `bg_walltime`, `pe_speed` and `available`; the other members are informative.
struct ProcStats {
  LBRealType total_walltime = 0;  ///< total measured wall time
  LBRealType total_cputime = 0;   ///< total measured processor time
  LBRealType idletime = 0;        ///< wall time without work
  /// Background load: work that belongs to no object. It stays on this processor and is not divided by its
  /// speed.
  LBRealType bg_walltime = 0;
  LBRealType bg_cputime = 0;  ///< background load in processor time
  /// Relative speed, > 0: an object takes walltime / pe_speed. The usual value is 1. The type is double; in
  /// Charm++'s old manual it is int.
  double pe_speed = 1;
  double utilization = 0;   ///< busy share of the time, 0 to 1
  bool available = true;    ///< whether objects may be placed here
  std::int32_t n_objs = 0;  ///< number of objects here, including non-migratable objects
  /// Number of the shared-memory host: processors with the same number share a host. Negative: a separate
  /// host.
  std::int32_t node = -1;
  double rank_alpha = 1;          ///< factor of this processor's load in the work model
  double rank_working_bytes = 0;  ///< memory that the processor needs regardless of its objects
};

/// Load of one object, and whether it may migrate. LDStats stores all other data of objects in separate
/// arrays, such as from_proc, to_proc, memory and positions.
struct LDObjData {
  /// Load in seconds on a processor of speed 1: the measured time multiplied by the speed of the processor on
  /// which it was measured.
  LBRealType walltime = 0;
  bool migratable = true;  ///< whether the object may leave its processor
};

/// End of an edge: an object (its index in LDStats::obj_data) or a processor. Each index is below 2^31.
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

/// Communication from one end to another, summed over the measured time.
struct LDCommData {
  CommEnd sender;
  CommEnd receiver;
  double bytes = 0;
  std::int64_t messages = 0;  ///< number of messages, >= 0
};

/// Load dimension in addition to LDObjData::walltime: GPU seconds, bytes, or the values of a user-defined
/// field. Strategies that balance one dimension ignore it.
struct LoadDimension {
  std::string name;  ///< name, such as "gpu_time"
  /// Load of each object, >= 0, in the dimension's unit. Unlike walltime, it is not divided by pe_speed, and
  /// processors have no background load in this dimension.
  std::vector<LBRealType> of_object;
};

/// Memory that an object needs, in bytes. Source: vt's user data of tasks (`task_footprint_bytes`,
/// `task_working_bytes`, `task_serialized_bytes`, `shared_id`).
struct ObjMemory {
  /// Value of `block` if the object has no shared block.
  static constexpr std::uint32_t no_block = ~std::uint32_t{0};
  double footprint_bytes = 0;      ///< memory that the object always needs
  double working_bytes = 0;        ///< additional memory while the object works
  double serialized_bytes = 0;     ///< size of the serialised object, for migration
  std::uint32_t block = no_block;  ///< shared block that the object uses: an index into LDStats::blocks
  /// Returns the bytes that a migration of the object sends: the serialised form, or the footprint if that
  /// size is unknown.
  double migration_bytes() const { return serialized_bytes > 0 ? serialized_bytes : footprint_bytes; }
};

/// Memory block that objects on one processor share. Each processor with such an object has a copy.
struct SharedBlock {
  double bytes = 0;
  std::int32_t home = 0;  ///< processor that owns the block
};

/// Load balancing database: the input of a strategy, and the new placement that it writes.
///
/// The names follow Charm++'s CentralLB.h (objData is obj_data, commData is comm_data). Counts are functions,
/// so that they cannot disagree with the arrays. Ends of edges are indices, so that no look-up is needed.
struct LDStats {
  std::vector<ProcStats> procs;         ///< processors by rank
  std::vector<LDObjData> obj_data;      ///< objects by index
  std::vector<LDCommData> comm_data;    ///< edges
  std::vector<std::int32_t> from_proc;  ///< processor of each object
  std::vector<std::int32_t> to_proc;    ///< new processor of each object; written by a strategy

  // Members below are empty if unknown or not requested.
  /// Category of each edge of comm_data: lbdata::CommCategory minus 1. If empty, all edges are SendRecv.
  std::vector<std::uint8_t> comm_categories;
  /// User-visible number of each object: `id`, else `seq_id` (64 bits, signed or unsigned). Only
  /// non-migratable objects may share a number.
  std::vector<std::uint64_t> numbers;
  std::vector<LoadDimension> more_loads;  ///< load dimensions in addition to walltime; usually empty
  std::vector<ObjMemory> memory;          ///< memory of each object
  std::vector<SharedBlock> blocks;        ///< blocks that ObjMemory::block refers to
  /// Coordinates of the objects, n_axes per object: an object's index, or its position from user data.
  std::vector<double> positions;
  std::uint32_t n_axes = 0;  ///< coordinates per object; 0 without positions

  /// Returns the number of processors.
  std::int32_t count() const { return static_cast<std::int32_t>(procs.size()); }
  std::int32_t n_objs() const { return static_cast<std::int32_t>(obj_data.size()); }
  std::int64_t n_comm() const { return static_cast<std::int64_t>(comm_data.size()); }
  /// Returns the position of an object; empty if unknown.
  std::span<const double> position(std::size_t object) const {
    if (positions.empty()) return {};
    return std::span(positions).subspan(object * n_axes, n_axes);
  }
  /// Returns the bytes that the migration of an object sends; 0 if unknown.
  double migration_bytes(std::size_t object) const {
    return memory.empty() ? 0 : memory[object].migration_bytes();
  }
  /// Returns the number of migratable objects. Cost: O(n_objs).
  std::int32_t n_migrateobjs() const;
};

}  // namespace plimsoll::balance
