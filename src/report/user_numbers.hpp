#pragma once

#include <string>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>

namespace plimsoll::inline v0_1::report {

/// A member of the tasks' `user_defined` that is a number in some tasks.
struct UserNumbers {
  std::string name;
  std::vector<double> of_object;  ///< by object; NaN where the task has no such number
};

/// Returns the numbers in the `user_defined` of all objects, by name. Throws Error (bad_input) if they have
/// more than 1,000 names.
std::vector<UserNumbers> user_numbers(const lbdata::Dataset& dataset, const balance::DatasetPhase& phase);

}  // namespace plimsoll::report
