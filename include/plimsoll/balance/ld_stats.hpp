#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

#ifndef PLIMSOLL_LB_REAL_TYPE
#error "link plimsoll::balance: its CMake target defines the load type (PLIMSOLL_LB_REAL_TYPE)"
#endif

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Type of a measured time: double, or float if Plimsoll was configured with PLIMSOLL_LB_REAL_TYPE=float.
/// Sums over objects are always doubles.
using LBRealType = PLIMSOLL_LB_REAL_TYPE;

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

/// Loads by subphase, of a phase in which the ranks synchronise after each subphase. Such a phase takes the
/// sum over the subphases of the maximum over the ranks.
struct SubphaseLoads {
  /// Subphase of the time outside of all subphases. The background load of processors counts here.
  static constexpr std::uint32_t outside = 0;

  std::uint32_t count = 0;  ///< number of subphases, including `outside`; 0: the ranks do not synchronise
  /// Loads of the objects, >= 0, `count` per object, in seconds at speed 1. Those of an object add up to its
  /// walltime.
  std::vector<LBRealType> loads;

  /// Returns loads of 0 for `outside` and `n_subphases` other subphases. Throws Error (bad_input) for more
  /// than 2^28 loads.
  static SubphaseLoads zeros(std::size_t n_objects, std::uint32_t n_subphases);

  bool empty() const { return count == 0; }
  double load_s(std::size_t object, std::uint32_t subphase) const {
    return static_cast<double>(loads[object * count + subphase]);
  }
  std::span<LBRealType> of_object(std::size_t object) {
    return std::span(loads).subspan(object * count, count);
  }
};

/// Scales the loads of an object in its subphases down if they exceed its total load. Returns its load
/// outside of them: all loads together are then the total load.
double fit_subphases(std::span<double> loads_s, double total_s);

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
  SubphaseLoads subphases;          ///< loads by subphase; empty unless the ranks synchronise after each
  std::vector<ObjMemory> memory;    ///< memory of each object
  std::vector<SharedBlock> blocks;  ///< blocks that ObjMemory::block refers to
  /// Coordinates of the objects, n_axes per object: an object's index, or its position from user data.
  std::vector<double> positions;
  std::uint32_t n_axes = 0;  ///< coordinates per object; 0 without positions

  /// Returns the number of processors.
  std::int32_t count() const { return static_cast<std::int32_t>(procs.size()); }
  std::int32_t n_objs() const { return static_cast<std::int32_t>(obj_data.size()); }
  std::int64_t n_comm() const { return static_cast<std::int64_t>(comm_data.size()); }
  /// Returns the load of an object in seconds at speed 1.
  double load_s(std::size_t object) const { return static_cast<double>(obj_data[object].walltime); }
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
  void reset_total_load() {
    for (ProcInfo& proc : procs) proc.total_load = proc.overhead;
  }
  /// Throws Error (usage) if migratable objects exist, but no processor is available.
  void require_available() const;

 private:
  double average_load_ = 0;
  double migratable_load_ = 0;
  std::int32_t n_available_ = 0;
  std::int32_t n_migratable_ = 0;
  bool must_evacuate_ = false;
};

/// Whether to build the edges of an ObjGraph. Strategies that ignore communication save this work.
enum class GraphEdges { build, ignore };

/// Objects, their communication, and their new processors (Charm++'s ObjGraph). Vertex v is object v of the
/// LDStats, which must outlive the graph and not change.
class ObjGraph {
 public:
  /// Communication with one neighbour.
  struct Edge {
    std::uint32_t neighbor = 0;  ///< vertex of the neighbour
    std::int64_t messages = 0;
    double bytes = 0;
  };
  static constexpr std::int32_t no_pe = -1;  ///< new_pe() of an object that is not placed yet

  /// Builds the graph. Cost: O(objects + edges). Edges with a processor at one end, and edges from an object
  /// to itself, are excluded. Throws Error (bad_input) for an edge to an object that does not exist.
  explicit ObjGraph(const LDStats& stats, GraphEdges edges = GraphEdges::build);

  std::uint32_t n_vertices() const { return static_cast<std::uint32_t>(new_pe_.size()); }
  /// Returns the load in seconds at speed 1.
  double compute_load(std::uint32_t vertex) const { return stats_.load_s(vertex); }
  bool migratable(std::uint32_t vertex) const { return stats_.obj_data[vertex].migratable; }
  std::int32_t current_pe(std::uint32_t vertex) const { return stats_.from_proc[vertex]; }

  /// Returns the new processor of a vertex, or no_pe if not placed yet.
  std::int32_t new_pe(std::uint32_t vertex) const { return new_pe_[vertex]; }
  void set_new_pe(std::uint32_t vertex, std::int32_t pe) { new_pe_[vertex] = pe; }

  /// Returns the edges that a vertex sends or receives along, in the order of LDStats::comm_data.
  std::span<const Edge> outgoing(std::uint32_t vertex) const { return edges_of(outgoing_, vertex); }
  std::span<const Edge> incoming(std::uint32_t vertex) const { return edges_of(incoming_, vertex); }

  /// Writes to_proc of the same stats: the new processor of each object, or from_proc if it has none. Throws
  /// Error (usage) if a non-migratable object would migrate, or if a new processor does not exist or is not
  /// available. In this case it writes nothing.
  void convert_decisions(LDStats& stats) const;

 private:
  /// Adjacency lists as compressed sparse rows; both arrays are empty without edges.
  struct Adjacency {
    std::vector<std::uint64_t> begin;
    std::vector<Edge> edges;
  };
  Adjacency adjacency(bool from_sender) const;
  std::span<const Edge> edges_of(const Adjacency& adjacency, std::uint32_t vertex) const {
    if (adjacency.edges.empty()) return {};
    return std::span(adjacency.edges)
        .subspan(adjacency.begin[vertex], adjacency.begin[vertex + 1] - adjacency.begin[vertex]);
  }

  const LDStats& stats_;
  std::vector<std::int32_t> new_pe_;
  Adjacency outgoing_;
  Adjacency incoming_;
};

}  // namespace plimsoll::balance
