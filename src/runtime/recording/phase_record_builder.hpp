#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/runtime/phase_summary.hpp>

#include "runtime/recording/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Finds the entities for the ends of messages. Also updates the entities of objects and edges when the
/// entity table is compacted.
class EntityResolver {
 public:
  EntityResolver(Recording& recording, NodeLBData& data) : recording_(recording), data_(data) {}

  /// Resolves the new edges of the phase, or all edges if objects were added or removed. Returns whether it
  /// resolved any.
  bool resolve_edges();
  /// Removes unused entities from `data` if they are the majority.
  void forget_unused();

 private:
  lbdata::EntityIndex entity_of(Endpoint end);
  bool is_here(Endpoint end) const;

  Recording& recording_;
  NodeLBData& data_;
  std::uint64_t resolved_version_ = 0;  // version of the objects at the last resolution
};

/// Builds the LB data of the current phase from its recording. This takes two steps, because the times of the
/// rank are known only after all ranks have reached the phase end.
class PhaseRecordBuilder {
 public:
  /// Builds one phase. `recording` and `data` must outlive this object.
  PhaseRecordBuilder(Recording& recording, const NodeLBData& data, std::int64_t phase);

  /// Adds tasks with their loads, and messages. The edges must be resolved.
  void add_work();
  /// Adds the user-defined values and positions of the objects, and the times of the rank to the values of
  /// the rank object; also its background load if the program marks waits (PhaseSummary::marked_idle_s).
  void add_values(const RankTimes& times, bool marks_waits);

  /// Returns the device times of the tasks that are expected in the next phase; empty if the program has
  /// added none, or if they are the loads.
  std::vector<double> device_loads_s() const;
  /// Returns the loads of the tasks that are expected in the next phase if the device times are the loads.
  /// Those of this phase may be late, but the record contains only what has been measured.
  std::vector<double> expected_loads_s() const;

  lbdata::PhaseRecord& record() { return record_; }

 private:
  void add_communications();
  void add_tasks();
  void add_subphases(std::uint32_t slot, std::uint32_t columns);
  void add_user_defined(std::uint32_t task, std::uint32_t slot);

  Recording& recording_;
  const NodeLBData& data_;
  lbdata::PhaseRecord record_;
  std::vector<std::uint32_t> slots_;  // slots of the tasks
};

}  // namespace plimsoll::runtime
