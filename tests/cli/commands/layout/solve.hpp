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

/// The expected values are those of CIME's tool: conformance/cime-solutions.md, and its own tests.
class LayoutSolve : public ::testing::Test {
 protected:
  void SetUp() override { PLIMSOLL_NEED_SHARED("data/cime"); }

  const std::string example_ = shared_path("data/cime/example.json");
  const std::string timing_ = shared_path("data/cime/timing");
  const Words as_cime_ = {"--model", "cime", "--cost", "total"};
  TemporaryFolder folder_;
};

}  // namespace plimsoll::testing
