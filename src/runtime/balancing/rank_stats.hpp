#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/runtime/migration.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/runtime/object.hpp>

#include "runtime/recording/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// End of a RankEdge: an object on this rank, an object on another rank, or a rank.
struct RankEdgeEnd {
  enum class Kind : std::uint8_t { object_here, object_elsewhere, rank };
  std::uint64_t number = 0;  ///< index into RankStats::ids, ID of the object, or number of the rank
  Kind kind = Kind::object_here;
};

/// Messages that were recorded on this rank.
struct RankEdge {
  RankEdgeEnd from;
  RankEdgeEnd to;
  double bytes = 0;
  std::int64_t messages = 0;
  std::uint8_t category = 0;  ///< lbdata::CommCategory minus 1
};

/// Object of a rank that is to leave it.
struct LeavingObject {
  std::uint32_t object = 0;  ///< index into RankStats::ids
  std::int32_t to = 0;       ///< rank that the object goes to
};

/// Shared block of memory that objects of a rank use. Blocks with the same ID and home are the same on all
/// ranks.
struct RankBlock {
  std::int64_t id = 0;
  std::int64_t home = 0;  ///< rank, as the program has set it: see check_with_all()
  double bytes = 0;
};

/// One rank's part of balance::LDStats. Columns have one value per object, or are empty.
struct RankStats {
  balance::ProcStats proc;  ///< without `node`, which the deciding rank derives from `host`
  std::uint64_t host = 0;   ///< mpi::host_number()
  std::vector<ObjectId> ids;
  std::vector<double> loads_s;             ///< loads at speed 1, as strategies see them
  std::vector<double> measured_s;          ///< measured loads, if they differ from loads_s
  std::vector<double> device_s;            ///< loads of the device of the rank; empty: 0
  std::vector<std::uint8_t> migratable;    ///< empty: all objects are migratable
  std::vector<std::uint64_t> collections;  ///< collection of each object; empty: unknown
  std::vector<double> positions;           ///< n_axes coordinates per object
  std::uint32_t n_axes = 0;
  /// Loads at speed 1 of the objects in each subphase, n_subphases per object; the rest of loads_s belongs to
  /// no subphase.
  std::vector<double> subphases_s;
  std::uint32_t n_subphases = 0;
  std::vector<balance::ObjMemory> memory;  ///< ObjMemory::block is an index into `blocks`
  std::vector<RankBlock> blocks;           ///< shared blocks that objects of this rank use
  std::vector<RankEdge> edges;

  bool may_migrate(std::size_t object) const { return migratable.empty() || migratable[object] != 0; }
};

/// Throws Error (usage) if a column that a strategy needs is missing or has the wrong length, for a load or
/// size that is negative or not finite, and for a coordinate that is not finite.
void check(const RankStats& stats, const balance::StrategyNeeds& needs);

/// Returns the sum of the loads, without those that check() rejects.
double sum_of_loads_s(const RankStats& stats);
/// Throws Error (usage) if `sum_s`, the sum of sum_of_loads_s() over all ranks, is not finite, and for a
/// shared block whose home is not one of `ranks` ranks.
void check_with_all(const RankStats& stats, double sum_s, int ranks);

/// Packs the columns of one rank that a strategy needs, for GatheredStats::add_rank(). Throws like check().
std::vector<std::byte> pack(const RankStats& stats, const balance::StrategyNeeds& needs);

/// The balance::LDStats of all ranks, built from their messages. Processor r is rank r. Objects are sorted by
/// rank, and on each rank they keep their order.
class GatheredStats {
 public:
  explicit GatheredStats(const balance::StrategyNeeds& needs) : needs_(needs) {}

  /// Reserves memory. Throws Error (usage) for more objects than LDStats can have.
  void reserve(std::int64_t objects, int ranks);
  /// Adds the next rank: call it in rank order. Throws Error (bad_input) for a message that pack() did not
  /// make, and Error (usage) for positions with different numbers of axes.
  void add_rank(std::span<const std::byte> message);
  /// Returns the complete stats, and resolves the ends of edges. Edges to an object that no rank has are
  /// dropped. Throws Error (usage) if two objects have the same ID and one of them is migratable; only known
  /// if the strategy needs IDs or communication.
  balance::LDStats& complete();

  /// Returns the objects of a rank that are to leave it.
  std::vector<LeavingObject> leaving(int rank) const;

 private:
  void set_axes(std::uint32_t axes_of_rank);
  void add_subphases();
  void add_device_loads(const std::vector<double>& of_rank);
  void number_blocks(const std::vector<RankBlock>& of_rank);
  void expect_unique(std::uint32_t first, std::uint32_t second) const;
  void resolve_edges();

  balance::StrategyNeeds needs_;
  balance::LDStats stats_;
  std::vector<std::size_t> first_object_;  // first object of each rank, and the number of objects at the end
  struct Edges {
    std::size_t rank;
    std::vector<RankEdge> edges;
  };
  std::vector<Edges> edges_;
  struct Subphases {
    std::uint32_t count = 0;
    std::vector<double> loads_s;  // `count` per object
  };
  std::vector<Subphases> subphases_;                                              // by rank
  std::map<std::uint64_t, std::int32_t> node_of_host_;                            // by RankStats::host
  std::map<std::pair<std::int32_t, std::int64_t>, std::uint32_t> block_numbers_;  // by home and ID
};

/// Loads of the tasks of a phase that has ended.
struct TaskLoads {
  std::span<const double> loads_s;        ///< predicted loads, one per task
  std::span<const double> device_s = {};  ///< loads of the device; empty: 0
  /// Loads in the last phases, n_phases per task; empty: only the last phase counts. They become the
  /// subphases of the stats, divided by n_phases, so that a strategy balances the mean phase.
  std::span<const double> phases_s = {};
  std::size_t n_phases = 1;
};

/// Returns the stats of the objects that are registered now, with the loads of a phase that has ended.
/// `loads` are those of the tasks of `record`; an object without a task, because it has come
/// or changed since, has the load of its history. Fills the columns that a strategy needs, and leaves `proc`
/// unchanged. Cost: O(objects + entities), plus O(edges). Throws Error (bad_input) for invalid memory sizes
/// among the user-defined values.
RankStats recorded_stats(const Recording& recording, NodeLBData& data, const lbdata::PhaseRecord& record,
                         const TaskLoads& loads, const balance::ProcStats& proc,
                         const balance::StrategyNeeds& needs);

/// Throws Error (usage) if the program requests that an object which is not in `ids` migrates, or to a rank
/// that does not exist.
void expect_valid(const std::vector<ObjectId>& ids, std::span<const Move> requested, int ranks);

/// Returns the objects that leave this rank if the program's requests replace decisions of the strategy.
std::vector<LeavingObject> leaving_objects(const std::vector<ObjectId>& ids, std::span<const Move> decided,
                                           std::span<const Move> requested);

}  // namespace plimsoll::runtime
