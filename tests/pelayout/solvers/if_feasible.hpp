#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include <plimsoll/pelayout/solution.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns the solution; empty if the solver reports that none exists. Expects no other error.
inline std::optional<Solution> if_feasible(const std::function<Solution()>& solve) {
  std::optional<Solution> solution;
  const auto error = plimsoll::testing::error_of([&] { solution = solve(); });
  if (error) {
    EXPECT_EQ(error->kind(), ErrorKind::bad_input) << error->what();
  }
  return solution;
}

}  // namespace plimsoll::pelayout
