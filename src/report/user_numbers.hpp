#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

/// A member of the tasks' `user_defined` that is a number in some tasks.
struct UserNumbers {
  std::string name;
  std::vector<double> of_object;  ///< by object; NaN where the task has no such number
};

/// Numbers in the `user_defined` of all objects of a phase.
struct UserNumberColumns {
  std::vector<UserNumbers> columns;  ///< sorted by name
  bool complete = true;              ///< false if more names exist than were requested
};

/// Returns the numbers with the first `max_names` names. Cost: O(members of `user_defined`); memory: 8 bytes
/// per object and name.
UserNumberColumns user_numbers(const lbdata::Dataset& dataset, const balance::DatasetPhase& phase,
                               std::size_t max_names);

/// Returns whether a number of this name can be summed over the objects of a rank. Identifiers cannot
/// (names that are or end in `id` or `rank`), nor can sizes of memory that objects share
/// (docs/reference/lb-data-files.md).
bool is_summable(std::string_view name);

}  // namespace plimsoll::report
