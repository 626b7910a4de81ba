#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {

using Words = std::vector<std::string>;

/// Runs `plimsoll layout solve`.
inline Outcome solve(Words arguments) {
  arguments.insert(arguments.begin(), {"layout", "solve"});
  return run_plimsoll(arguments);
}

inline Words operator+(Words left, const Words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// Fixture for solving layouts. tests/data/README.md explains why the expected layouts are optimal.
class LayoutSolve : public ::testing::Test {
 protected:
  const std::string example_ = own_path("cime/example.json");
  const std::string timing_ = own_path("cime/timing");
  const Words as_cime_ = {"--model", "cime", "--cost", "total"};
  TemporaryFolder folder_;
};

}  // namespace plimsoll::testing
