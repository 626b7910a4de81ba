#pragma once

#include <gmock/gmock.h>

#include <plimsoll/collectives/merge.hpp>

namespace plimsoll::testing {

/// Returns the only lead of a result.
inline const collectives::Lead& only_lead(const collectives::MergeResult& result) {
  EXPECT_THAT(result.profile.leads, ::testing::SizeIs(1));
  return result.profile.leads.at(0);
}

}  // namespace plimsoll::testing
