#pragma once

#include <functional>

#include <plimsoll/runtime/object.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/runtime/user_value.hpp>
#include <plimsoll/runtime/work_meter.hpp>

#include "runtime/recording/edge_table.hpp"
#include "runtime/recording/object_registry.hpp"
#include "runtime/recording/phase_loads.hpp"

namespace plimsoll::inline v0_1::runtime {

/// All data that this rank has recorded in the current phase.
struct Recording {
  /// Requires a meter with CPU time for loads in CPU time.
  explicit Recording(WorkMeter& work_meter, LoadTime load_time = LoadTime::wall);

  /// Registers an object. Throws Error (usage) if an object with this ID is already registered on this rank.
  ObjectHandle enter(ObjectId id, lbdata::EntityIndex entity, bool measured);
  /// Calls the program's load model for the loads that are not measured. Throws Error (usage) for an invalid
  /// load, and passes on exceptions of the model.
  void ask_load_model();
  /// Begins the next phase, in which nothing is recorded yet. Objects and their values are kept.
  void clear();

  WorkMeter& meter;
  ObjectRegistry objects;
  PhaseLoads loads;
  EdgeTable edges;
  UserValues phase_values;
  std::function<double(ObjectHandle)> load_model;  ///< load model of the program; may be empty
  ObjectHandle rank_object;
};

}  // namespace plimsoll::runtime
