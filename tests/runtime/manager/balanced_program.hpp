#pragma once

#include <set>
#include <string>
#include <vector>

#include <plimsoll/runtime/balancer.hpp>

#include "runtime/balancing/object_store.hpp"
#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {

using runtime::Balancer;
using runtime::content_of;
using runtime::MigrationPlan;
using runtime::Move;
using runtime::object_id;
using runtime::ObjectSpec;
using runtime::ObjectStore;

/// A program whose objects all start on rank 0. The load of object k is k + 1 seconds in every phase.
class BalancedProgram {
 public:
  static constexpr std::uint64_t n_objects = 24;

  BalancedProgram(const Settings& settings) : recorder(MPI_COMM_WORLD, settings), balancer(recorder) {
    for (std::uint64_t k = 0; k < n_objects; ++k) {
      if (recorder.rank() != 0) break;
      recorder.register_object(id(k), {.index = {std::int64_t(k)}});
      store.objects[id(k)] = content_of(id(k), 10 * k);
    }
  }

  static ObjectId id(std::uint64_t k) { return object_id(0, k); }
  static std::uint64_t number(ObjectId id) {
    return lbdata::decode_identifier(static_cast<std::uint64_t>(id))->sequence - 1;  // sequences begin at 1
  }

  /// Works on the objects of this rank, which the recorder must know, and ends the phase.
  PhaseSummary step() {
    for (const auto& [object, content] : store.objects) {
      const ObjectHandle handle = recorder.find(object);
      EXPECT_TRUE(handle) << "object " << number(object) << " is not registered where it is";
      EXPECT_TRUE(content == content_of(object, 10 * number(object)));
      recorder.add_time(handle, static_cast<double>(number(object) + 1));
    }
    return recorder.next_phase();
  }

  /// Moves the objects of a plan without the help of the balancer.
  void move(const MigrationPlan& plan) {
    const mpi::Communicator ranks(MPI_COMM_WORLD);
    runtime::migrate(ranks, plan.exports, plan.imports, store.transport());
  }

  std::set<ObjectId> here() const {
    std::set<ObjectId> ids;
    for (const auto& [object, content] : store.objects) ids.insert(object);
    return ids;
  }

  LoadRecorder recorder;
  Balancer balancer;
  ObjectStore store;
};

/// Fixture with settings that balance after every phase.
class BalancedRun : public RecorderRun {
 protected:
  Settings always(const std::string& strategy = "GreedyLB", const std::string& name = "data") const {
    Settings result = settings(name);
    result.lb = true;
    result.lb_name = strategy;
    result.lb_when = "always";
    result.lb_run_lb_first_phase = true;
    return result;
  }

  double total_of_ranks(double mine) const {
    double sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
  }

  static constexpr double all_loads_s = 300;  // 1 + 2 + ... + 24
};

}  // namespace plimsoll::testing
