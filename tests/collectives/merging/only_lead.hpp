#pragma once

#include <gmock/gmock.h>

#include <plimsoll/collectives/merge.hpp>

namespace plimsoll::testing {

/// The lead of a result that has just one.
inline const collectives::Lead& only_lead(const collectives::MergeResult& result) {
  EXPECT_THAT(result.profile.leads, ::testing::SizeIs(1));
  return result.profile.leads.at(0);
}

}  // namespace plimsoll::testing
