// Balancing in the C interface, plimsoll.h: Balancer without exceptions and classes.
#include <plimsoll.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/balancer.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/bindings/c_recorder.hpp"
#include "runtime/bindings/c_structures.hpp"

using namespace plimsoll;
using namespace plimsoll::runtime;

namespace {

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

extern "C" {

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
