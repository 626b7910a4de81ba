#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/migration.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Messages between two objects on any ranks.
struct PlanEdge {
  ObjectId from = ObjectId::none;
  ObjectId to = ObjectId::none;
  double bytes = 0;
  std::int64_t messages = 1;
};

/// Objects of this rank, in the program's own arrays. IDs are any numbers that are unique over all ranks. A
/// column has one value per object, or is empty.
struct PlanObjects {
  std::span<const ObjectId> ids;
  std::span<const double> loads_s;                ///< expected load of each object, >= 0
  std::span<const std::uint8_t> migratable = {};  ///< 0: the object stays; empty: all objects may migrate
  std::span<const double> positions = {};         ///< `axes` coordinates per object
  int axes = 0;                                   ///< coordinates per object
  std::span<const double> sizes_bytes = {};       ///< size of each serialised object, >= 0
  std::span<const PlanEdge> edges = {};           ///< messages, each recorded on one rank only
};

/// Options of a plan.
struct PlanOptions {
  std::string strategy = "RefineLB";                   ///< as in `plimsoll balance --strategy`
  std::optional<balance::WorkCoefficients> work = {};  ///< work model of strategies that have one
  double background_s = 0;                             ///< load of this rank that belongs to no object, >= 0
  double speed = 1;                                    ///< relative speed of this rank, > 0
  bool available = true;                               ///< whether objects may be placed on this rank
};

/// Plans migrations of a program that does not use a LoadRecorder. Collective over the communicator, which is
/// duplicated: programs that plan often pass an mpi::Communicator instead. Loads are gathered on one rank,
/// which runs the strategy; each rank then learns its own migrations only. Cost on that rank: 24 bytes per
/// object, and what the strategy needs. Strategies that run in rounds (balance::DistributedStrategy) gather
/// nothing, unless they have limits.
///
/// Throws Error on all ranks: usage for an invalid strategy, for different strategies on two ranks, for
/// columns of different lengths, for a missing column that the strategy needs, and for invalid values: loads,
/// sizes and background must be finite and >= 0, speeds finite and > 0, and coordinates finite. Otherwise
/// like the strategy.
MigrationPlan plan(MPI_Comm communicator, const PlanObjects& objects, const PlanOptions& options = {});
/// Does the same without duplicating the communicator.
MigrationPlan plan(const mpi::Communicator& ranks, const PlanObjects& objects,
                   const PlanOptions& options = {});

}  // namespace plimsoll::runtime

namespace plimsoll::PLIMSOLL_ABI {
using runtime::plan;
using runtime::PlanEdge;
using runtime::PlanObjects;
using runtime::PlanOptions;
}  // namespace plimsoll
