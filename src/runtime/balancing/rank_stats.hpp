#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/runtime/object.hpp>

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
  std::int32_t home = 0;
  double bytes = 0;
};

/// One rank's part of balance::LDStats. Columns have one value per object, or are empty.
struct RankStats {
  balance::ProcStats proc;  ///< without `node`, which the deciding rank derives from `host`
  std::uint64_t host = 0;   ///< mpi::host_number()
  std::vector<ObjectId> ids;
  std::vector<double> loads_s;             ///< loads at speed 1, as strategies see them
  std::vector<double> measured_s;          ///< measured loads, if they differ from loads_s
  std::vector<std::uint8_t> migratable;    ///< empty: all objects are migratable
  std::vector<std::uint64_t> collections;  ///< collection of each object; empty: unknown
  std::vector<double> positions;           ///< n_axes coordinates per object
  std::uint32_t n_axes = 0;
  std::vector<balance::ObjMemory> memory;  ///< ObjMemory::block is an index into `blocks`
  std::vector<RankBlock> blocks;           ///< shared blocks that objects of this rank use
  std::vector<RankEdge> edges;

  bool may_migrate(std::size_t object) const { return migratable.empty() || migratable[object] != 0; }
};

}  // namespace plimsoll::runtime
