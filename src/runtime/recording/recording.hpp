#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <plimsoll/runtime/object.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/runtime/work_meter.hpp>

#include "runtime/recording/device_times.hpp"
#include "runtime/recording/edge_table.hpp"
#include "runtime/recording/object_registry.hpp"
#include "runtime/recording/phase_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// All data that this rank has recorded in the current phase.
struct Recording {
  /// Requires a meter with CPU time for loads in CPU time.
  explicit Recording(WorkMeter& work_meter, LoadTime load_time = LoadTime::wall);

  /// Registers an object. Throws Error (usage) if an object with this ID is already registered on this rank.
  ObjectHandle enter(ObjectId id, lbdata::EntityIndex entity, bool measured);
  /// Adds the loads and messages of the other threads to those of this rank, at the end of the phase.
  void merge_threads();
  /// Calls the load models of elements and of the program for the loads that are not measured. Throws Error
  /// (usage) for an invalid load, and passes on exceptions of the model.
  void ask_load_model();
  /// Begins the next phase, in which nothing is recorded yet. Objects and their values are kept.
  void clear();

  /// Returns the messages that the calling thread records, for a thread other than the recorder's own.
  EdgeTable& edges_of_other_thread();
  /// Returns the name of a slot's object for messages to the user.
  std::string name_of(std::uint32_t slot) const;
  /// Describes the object of a handle that is not registered: its name if the recorder still knows it.
  std::string name_of_unknown(ObjectHandle object) const;
  /// Returns a list of the begin() calls without end(), such as "object 5, object 8 on thread 1 (system ID
  /// 4711)".
  std::string open_work() const;

  WorkMeter& meter;
  ObjectRegistry objects;
  DeviceTimes devices;
  PhaseLoads loads;
  EdgeTable edges;
  UserValues phase_values;
  std::function<double(ObjectHandle)> load_model;  ///< load model of the program; may be empty
  std::function<std::optional<double>(ObjectHandle)> load_of_elements;  ///< asked first; may be empty
  ObjectHandle rank_object;
  bool in_own_work = false;  ///< set by OwnWork

 private:
  std::optional<double> modelled_load(ObjectHandle object) const;
};

/// Marks the time of Plimsoll's own work, as long as it exists: MPI calls do not count as idle time of the
/// program (setting lb_auto_idle).
class OwnWork {
 public:
  explicit OwnWork(Recording& recording)
      : recording_(recording), outer_(std::exchange(recording.in_own_work, true)) {}
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;
  ~OwnWork() { recording_.in_own_work = outer_; }

 private:
  Recording& recording_;
  bool outer_;
};

/// Idle time of this rank, as long as this object exists.
class IdleTime {
 public:
  explicit IdleTime(WorkMeter& meter) : meter_(meter) { meter_.begin(WorkMeter::idle); }
  IdleTime(const IdleTime&) = delete;
  IdleTime& operator=(const IdleTime&) = delete;
  ~IdleTime() { meter_.end(WorkMeter::idle); }

 private:
  WorkMeter& meter_;
};

}  // namespace plimsoll::runtime
