// Structures, plans and balancing in the C interface, plimsoll.h: Balancer without exceptions and classes.

#include <fmt/format.h>
#include <plimsoll.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/runtime/balancer.hpp>
#include <plimsoll/runtime/plan.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/bindings/c_recorder.hpp"

using namespace plimsoll;
using namespace plimsoll::runtime;

namespace plimsoll::PLIMSOLL_ABI::runtime {

std::size_t checked_size(std::uint32_t struct_size, const StructureName& name) {
  const bool cuts_a_member = struct_size % sizeof struct_size != 0;  // because members have 4 or 8 bytes
  if (struct_size >= sizeof struct_size && struct_size <= max_structure_bytes && !cuts_a_member)
    return struct_size;
  throw support::usage_error(fmt::format("invalid struct_size {} of {}", struct_size, name.name),
                             fmt::format("use {} to initialise it", name.initialiser));
}

void missing_structure(const StructureName& name) {
  throw support::usage_error(fmt::format("the {} is NULL", name.name), "specify a structure");
}

void unknown_member(const StructureName& name) {
  throw support::usage_error(
      fmt::format("{} has a member that this version of Plimsoll does not support", name.name),
      "use the version that the program was built with, or a later one");
}

std::size_t checked_count(const char* elements, std::int64_t count, const void* values) {
  if (count < 0 || (count > 0 && values == nullptr)) {
    throw support::usage_error(fmt::format("invalid array of {} {}", count, elements),
                               "specify the array and its size");
  }
  return static_cast<std::size_t>(count);
}

std::string checked_text(const char* what, const char* text) {
  if (text == nullptr) throw support::usage_error(fmt::format("the {} is NULL", what), "specify a string");
  return text;
}

}  // namespace plimsoll::runtime

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr StructureName plan_name = {"plimsoll_migration_plan", "PLIMSOLL_MIGRATION_PLAN_INIT"};
constexpr StructureName transport_name = {"plimsoll_transport", "PLIMSOLL_TRANSPORT_INIT"};

// New members must not be placed where earlier programs have padding.
static_assert(offsetof(plimsoll_migration_plan, memory) + sizeof(void*) == sizeof(plimsoll_migration_plan));
static_assert(offsetof(plimsoll_transport, remove) + sizeof(void (*)()) == sizeof(plimsoll_transport));

std::size_t bytes_or_error(std::int64_t bytes) {
  if (bytes >= 0) return static_cast<std::size_t>(bytes);
  throw Error(ErrorKind::system, {.what = fmt::format("it returned {}", bytes)});
}

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
    throw support::usage_error(fmt::format("invalid number of axes {}", given.axes), "use 0 to 3 axes");
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
    const mpi::Communicator ranks(communicator);
    PlanInput given;
    mpi::agreed(ranks, [&] {
      clear_plan(plan);
      read_input(input, strategy, given);
    });
    MigrationPlan decided = plimsoll::plan(ranks, given.objects, given.options);
    mpi::agreed(ranks, [&] { give_plan(std::move(decided), plan); });
  };
  return status_of(
      language, [communicator] { return is_rank_0(communicator); }, work);
}

Balancer& balancer_of(plimsoll_recorder& recorder) {
  if (recorder.balancer) return *recorder.balancer;
  throw support::usage_error("the recorder has no balancer", "call plimsoll_start_balancer() first");
}

// Runs the body of a C function that uses the balancer and returns a status.
template <class Work>
int balance_with(plimsoll_recorder* recorder, const Work& work) {
  return status_with(recorder, [&](plimsoll_recorder& self) { work(balancer_of(self)); });
}

// Runs the body of a collective C function. If `read_arguments` throws, `work` must still make its collective
// call, which then throws on all ranks, so that no rank waits for another one.
template <class Read, class Work>
int balance_with(plimsoll_recorder* recorder, const Read& read_arguments, const Work& work) {
  return balance_with(recorder, [&](Balancer& balancer) {
    try {
      read_arguments();
    } catch (...) {
      balancer.fail_next_call(support::current_error());
    }
    work(balancer);
  });
}

// Runs the body of a C function that uses the balancer and returns no status.
template <class Work>
void note_with(plimsoll_recorder* recorder, const Work& work) {
  with(recorder, [&](LoadRecorder&) { work(balancer_of(*recorder)); });
}

}  // namespace

PlanMemory::PlanMemory(MigrationPlan its_plan) : plan(std::move(its_plan)) {
  const auto flat = [](const Move& move) {
    return plimsoll_move{{static_cast<std::uint64_t>(move.object)}, move.from, move.to, move.bytes};
  };
  std::ranges::transform(plan.exports, std::back_inserter(exports), flat);
  std::ranges::transform(plan.imports, std::back_inserter(imports), flat);
}

plimsoll_migration_plan PlanMemory::view() const {
  return {.struct_size = sizeof(plimsoll_migration_plan),
          .moves = plan.moves,
          .export_count = std::ssize(exports),
          .exports = exports.data(),
          .import_count = std::ssize(imports),
          .imports = imports.data(),
          .max_time_before_s = plan.max_time_before_s,
          .max_time_after_s = plan.max_time_after_s,
          .mean_time_s = plan.mean_time_s,
          .decision_s = plan.decision_s,
          .strategy = plan.strategy.c_str(),
          .remark = plan.remark.c_str(),
          .memory = nullptr};
}

void clear_plan(plimsoll_migration_plan* caller) {
  plimsoll_migration_plan earlier = PLIMSOLL_MIGRATION_PLAN_INIT;
  read_structure(caller, earlier, plan_name);
  delete static_cast<PlanMemory*>(earlier.memory);
  write_structure({}, caller, plan_name);
}

void give_plan(MigrationPlan plan, plimsoll_migration_plan* caller) {
  auto memory = std::make_unique<PlanMemory>(std::move(plan));
  plimsoll_migration_plan flat = memory->view();
  flat.memory = memory.get();
  write_structure(flat, caller, plan_name);
  static_cast<void>(memory.release());  // plimsoll_free_plan() deletes it
}

std::vector<Move> moves_of(const char* name, std::int64_t count, const plimsoll_move* moves) {
  std::vector<Move> result(checked_count(name, count, moves));
  std::transform(moves, moves + count, result.begin(), [](const plimsoll_move& move) {
    return Move{cpp_id(move.object), move.from, move.to, move.bytes};
  });
  return result;
}

MigrationPlan read_plan(const plimsoll_migration_plan* caller) {
  plimsoll_migration_plan given = PLIMSOLL_MIGRATION_PLAN_INIT;
  read_structure(caller, given, plan_name);
  const auto text = [](const char* its_text) { return its_text == nullptr ? "" : its_text; };
  return {.exports = moves_of("exports", given.export_count, given.exports),
          .imports = moves_of("imports", given.import_count, given.imports),
          .moves = given.moves,
          .strategy = text(given.strategy),
          .max_time_before_s = given.max_time_before_s,
          .max_time_after_s = given.max_time_after_s,
          .mean_time_s = given.mean_time_s,
          .decision_s = given.decision_s,
          .remark = text(given.remark)};
}

ObjectTransport read_transport(const plimsoll_transport* caller) {
  plimsoll_transport functions = PLIMSOLL_TRANSPORT_INIT;
  read_structure(caller, functions, transport_name);
  if (functions.size_bytes == nullptr || functions.pack == nullptr || functions.unpack == nullptr)
    throw support::usage_error("missing functions to migrate objects", "set size_bytes, pack and unpack");
  const auto flat = [](ObjectId id) { return plimsoll_id{static_cast<std::uint64_t>(id)}; };
  ObjectTransport transport = {
      .size_bytes =
          [=](ObjectId id) { return bytes_or_error(functions.size_bytes(flat(id), functions.context)); },
      .pack =
          [=](ObjectId id, std::span<std::byte> to) {
            return bytes_or_error(functions.pack(flat(id), to.data(), std::ssize(to), functions.context));
          },
      .unpack =
          [=](ObjectId id, std::span<const std::byte> from) {
            return bytes_or_error(
                functions.unpack(flat(id), from.data(), std::ssize(from), functions.context));
          },
      .remove = nullptr};
  if (functions.remove != nullptr)
    transport.remove = [=](ObjectId id) { functions.remove(flat(id), functions.context); };
  return transport;
}

}  // namespace plimsoll::runtime

extern "C" void plimsoll_free_plan(plimsoll_migration_plan* plan) {
  if (plan == nullptr || plan->memory == nullptr) return;
  try {
    clear_plan(plan);
  } catch (const Error&) {
    return;  // the plan was never initialised, so that no function has filled it
  }
}

extern "C" {

int plimsoll_plan_objects(MPI_Comm communicator, const plimsoll_plan_input* input, const char* strategy,
                          plimsoll_migration_plan* plan) {
  return plan_objects(Language::c, communicator, input, strategy, plan);
}

int plimsoll_plan_objects_fortran(MPI_Fint communicator, const plimsoll_plan_input* input,
                                  const char* strategy, plimsoll_migration_plan* plan) {
  if (mpi::initialised())
    return plan_objects(Language::fortran, MPI_Comm_f2c(communicator), input, strategy, plan);
  return status_without_recorder(&mpi_is_not_initialised);
}

int plimsoll_start_balancer(plimsoll_recorder* recorder) {
  return status_with(recorder, [](plimsoll_recorder& self) {
    if (self.balancer) throw support::usage_error("the recorder already has a balancer", "start it once");
    self.balancer.emplace(self.recorder);
  });
}

int plimsoll_balance_at_phase_ends(plimsoll_recorder* recorder, const plimsoll_transport* transport) {
  ObjectTransport given;
  return balance_with(
      recorder, [&] { given = read_transport(transport); },
      [&](Balancer& balancer) { balancer.balance_at_phase_ends(std::move(given)); });
}

void plimsoll_request_migrations(plimsoll_recorder* recorder, int64_t count, const plimsoll_move* moves) {
  note_with(recorder, [&](Balancer& balancer) { balancer.request(moves_of("moves", count, moves)); });
}

int plimsoll_plan(plimsoll_recorder* recorder, const char* strategy, plimsoll_migration_plan* plan) {
  return balance_with(
      recorder, [&] { clear_plan(plan); },
      [&](Balancer& balancer) {
        MigrationPlan decided = strategy == nullptr ? balancer.plan() : balancer.plan(strategy);
        mpi::agreed(recorder->recorder.communicator(), [&] { give_plan(std::move(decided), plan); });
      });
}

int plimsoll_moved(plimsoll_recorder* recorder, const plimsoll_migration_plan* plan) {
  MigrationPlan given;
  return balance_with(
      recorder, [&] { given = read_plan(plan); }, [&](Balancer& balancer) { balancer.moved(given); });
}

int plimsoll_migrate(plimsoll_recorder* recorder, const plimsoll_migration_plan* plan,
                     const plimsoll_transport* transport) {
  MigrationPlan given;
  ObjectTransport functions;
  return balance_with(
      recorder,
      [&] {
        given = read_plan(plan);
        functions = read_transport(transport);
      },
      [&](Balancer& balancer) { balancer.migrate(given, functions); });
}

int plimsoll_owner(plimsoll_recorder* recorder, int64_t count, const plimsoll_id* ids, int* ranks) {
  std::vector<ObjectId> given;
  return balance_with(
      recorder,
      [&] {
        checked_count("ranks", count, ranks);
        given.reserve(checked_count("ids", count, ids));
        for (std::int64_t k = 0; k < count; ++k) given.push_back(cpp_id(ids[k]));
      },
      [&](Balancer& balancer) { std::ranges::copy(balancer.owner(given), ranks); });
}

int plimsoll_set_strategy(plimsoll_recorder* recorder, const char* strategy) {
  return balance_with(recorder,
                      [&](Balancer& balancer) { balancer.set_strategy(checked_text("strategy", strategy)); });
}

int plimsoll_set_load_model(plimsoll_recorder* recorder, const char* model) {
  return balance_with(
      recorder, [&](Balancer& balancer) { balancer.set_load_model(checked_text("load model", model)); });
}

void plimsoll_set_available(plimsoll_recorder* recorder, int available) {
  note_with(recorder, [&](Balancer& balancer) { balancer.set_available(available != 0); });
}

void plimsoll_on_migration(plimsoll_recorder* recorder, plimsoll_migration_hook hook, void* context) {
  if (hook == nullptr) return;
  note_with(recorder, [&](Balancer& balancer) {
    balancer.on_migration([hook, context](const MigrationPlan& plan) {
      const PlanMemory memory(plan);
      hook(RoomyStructure(memory.view()).get(), context);
    });
  });
}

}  // extern "C"
