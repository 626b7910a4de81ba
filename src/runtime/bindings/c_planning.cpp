// Planning without a recorder in the C interface, plimsoll.h.
#include <fmt/format.h>
#include <plimsoll.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/plan.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/bindings/c_plans.hpp"
#include "runtime/bindings/c_recorder.hpp"
#include "runtime/bindings/c_structures.hpp"

namespace {

using plimsoll::runtime::checked_count;
using plimsoll::runtime::checked_text;
using plimsoll::runtime::clear_plan;
using plimsoll::runtime::give_plan;
using plimsoll::runtime::Language;
using plimsoll::runtime::MigrationPlan;
using plimsoll::runtime::ObjectId;
using plimsoll::runtime::PlanEdge;
using plimsoll::runtime::PlanObjects;
using plimsoll::runtime::PlanOptions;
using plimsoll::runtime::read_structure;
using plimsoll::runtime::status_of;
using plimsoll::runtime::status_without_recorder;
using plimsoll::runtime::StructureName;
using plimsoll::support::usage_error;

constexpr StructureName input_name = {"plimsoll_plan_input", "PLIMSOLL_PLAN_INPUT_INIT"};

// New members must not be placed where earlier programs have padding.
static_assert(offsetof(plimsoll_plan_input, speed) + sizeof(double) == sizeof(plimsoll_plan_input));

struct PlanInput {
  std::vector<ObjectId> ids;
  std::vector<PlanEdge> edges;
  PlanObjects objects;
  PlanOptions options;
};

template <class Value>
std::span<const Value> column(const Value* values, std::int64_t count) {
  if (values == nullptr) return {};
  return {values, static_cast<std::size_t>(count)};
}

void read_input(const plimsoll_plan_input* caller, const char* strategy, PlanInput& input) {
  plimsoll_plan_input given = PLIMSOLL_PLAN_INPUT_INIT;
  read_structure(caller, given, input_name);
  if (given.axes < 0 || given.axes > 3)
    throw usage_error(fmt::format("invalid number of axes {}", given.axes), "use 0 to 3 axes");
  input.ids.reserve(checked_count("ids", given.count, given.ids));
  for (std::int64_t k = 0; k < given.count; ++k) input.ids.push_back(ObjectId{given.ids[k]});
  input.edges.reserve(checked_count("edges", given.edge_count, given.edges));
  for (std::int64_t k = 0; k < given.edge_count; ++k) {
    const plimsoll_edge& edge = given.edges[k];
    input.edges.push_back({ObjectId{edge.from}, ObjectId{edge.to}, edge.bytes, edge.messages});
  }
  input.objects = {.ids = input.ids,
                   .loads_s = column(given.loads_s, given.count),
                   .migratable = column(given.migratable, given.count),
                   .positions = column(given.positions, given.count * given.axes),
                   .axes = static_cast<int>(given.axes),
                   .sizes_bytes = column(given.sizes_bytes, given.count),
                   .edges = input.edges};
  input.options = {.strategy = checked_text("strategy", strategy),
                   .background_s = given.background_s,
                   .speed = given.speed,
                   .available = given.available != 0};
}

int plan_objects(Language language, MPI_Comm communicator, const plimsoll_plan_input* input,
                 const char* strategy, plimsoll_migration_plan* plan) {
  const auto work = [&] {
    const plimsoll::mpi::Communicator ranks(communicator);
    PlanInput given;
    plimsoll::mpi::agreed(ranks, [&] {
      clear_plan(plan);
      read_input(input, strategy, given);
    });
    MigrationPlan decided = plimsoll::plan(ranks, given.objects, given.options);
    plimsoll::mpi::agreed(ranks, [&] { give_plan(std::move(decided), plan); });
  };
  return status_of(
      language, [communicator] { return plimsoll::runtime::is_rank_0(communicator); }, work);
}

}  // namespace

extern "C" {

int plimsoll_plan_objects(MPI_Comm communicator, const plimsoll_plan_input* input, const char* strategy,
                          plimsoll_migration_plan* plan) {
  return plan_objects(Language::c, communicator, input, strategy, plan);
}

int plimsoll_plan_objects_fortran(MPI_Fint communicator, const plimsoll_plan_input* input,
                                  const char* strategy, plimsoll_migration_plan* plan) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised != 0)
    return plan_objects(Language::fortran, MPI_Comm_f2c(communicator), input, strategy, plan);
  return status_without_recorder(&plimsoll::runtime::mpi_is_not_initialised);
}

}  // extern "C"
