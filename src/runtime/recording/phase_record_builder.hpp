#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/runtime/phase_summary.hpp>

#include "runtime/recording/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Builds the LB data of the current phase from its recording. This takes two steps, because the times of the
/// rank are known only after all ranks have reached the phase end.
class PhaseRecordBuilder {
 public:
  /// Builds one phase. `recording` and `data` must outlive this object.
  PhaseRecordBuilder(Recording& recording, const NodeLBData& data, std::int64_t phase);

  /// Adds tasks with their loads, and messages. The edges must be resolved.
  void add_work();
  /// Adds the user-defined values and positions of the objects, and the times of the rank to the values of
  /// the rank object.
  void add_values(const RankTimes& times);

  lbdata::PhaseRecord& record() { return record_; }

 private:
  void add_communications();
  void find_tasks();
  void add_tasks();
  void add_subphases(std::uint32_t slot);
  void add_user_defined(std::uint32_t task, std::uint32_t slot);

  Recording& recording_;
  const NodeLBData& data_;
  lbdata::PhaseRecord record_;
  std::vector<std::uint32_t> slots_;  // slots of the tasks
};

}  // namespace plimsoll::runtime
