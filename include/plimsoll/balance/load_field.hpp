#pragma once

#include <string_view>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Loads as recorded, by rank and phase, in the order of the data set.
struct RecordedLoads {
  /// Columns of Tasks of one phase.
  struct Phase {
    std::vector<double> time_s;
    std::vector<double> subphase_time_s;
  };
  std::vector<std::vector<Phase>> ranks;  ///< phases by rank; empty if no loads were replaced
};

/// Replaces the load of each task by a number in its `user_defined` or, if that does not contain it, in its
/// `attributes`, such as `cpu_time`. Subphases are scaled in proportion; they become 0 if the recorded load
/// is 0. Returns the recorded loads. Does nothing if `field` is empty.
///
/// Cost: O(tasks), parses the user data of each task. Throws Error (bad_input) if a task does not have the
/// field, or if its value is not a finite number >= 0; the data set is then unchanged.
RecordedLoads use_load_field(lbdata::Dataset& dataset, std::string_view field);

/// Restores the loads that use_load_field() replaced. The tasks must be unchanged otherwise.
void restore_loads(lbdata::Dataset& dataset, RecordedLoads&& recorded);

}  // namespace plimsoll::balance
