// Elements, and the data that the recorder has of them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>

#include <plimsoll/objects.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {

/// Returns the loads of this rank's elements in the last phase, by position.
inline std::map<std::int64_t, double> element_loads_s(const LoadRecorder& recorder) {
  const lbdata::Tasks& tasks = recorder.node_lb_data().phases().back().tasks;
  const lbdata::EntityTable& entities = recorder.node_lb_data().entities();
  std::map<std::int64_t, double> loads;
  for (std::uint32_t task = 0; task < tasks.size(); ++task)
    if (const lbdata::IndexTuple index = entities.index(tasks.entity[task]); index.size() > 0)
      loads[index[0]] = tasks.time_s[task];
  return loads;
}

/// Fixture with a system that records data and checks the calls of the program.
struct RecordedElements : RecorderRun {
  int next_rank() const { return (system.rank() + 1) % system.rank_count(); }

  static Settings checked(Settings settings) {
    settings.lb_check = true;
    return settings;
  }

  LoadRecorder recorder{MPI_COMM_WORLD, checked(settings())};
  ObjectSystem system{recorder};
};

}  // namespace plimsoll::testing
