#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/lbdata/repair.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Losses, ListsNothingForCompleteFile) {
  EXPECT_THAT(losses({.phases = 3}), IsEmpty());
}

TEST(Losses, ListsIncompletePhaseOfTruncatedFile) {
  const Diagnostic end{.what = "the text ends", .byte = 40};
  EXPECT_THAT(losses({.damage = end, .cut = true, .torn = true, .torn_phase = 7}),
              ElementsAre("incomplete phase 7 and any later phases"));
  EXPECT_THAT(losses({.damage = end, .cut = true, .torn = true}),
              ElementsAre("an incomplete phase and any later phases"));
  EXPECT_THAT(losses({.damage = end, .cut = true}),
              ElementsAre("any data after byte 40, where the text ends"));
}

TEST(Losses, ListsAllKindsInFixedOrder) {
  const RepairResult result{.damage = Diagnostic{.what = "expected ',', found 'x'", .byte = 99},
                            .torn = true,
                            .torn_phase = 2,
                            .unreadable_phases = 1,
                            .repeated_phases = 1200,
                            .metadata_lost = true,
                            .identical_lost = true,
                            .findings = {{.what = "missing member \"id\"", .file = "f"}}};
  EXPECT_THAT(
      losses(result),
      ElementsAre("incomplete phase 2", "all data from byte 99 on: expected ',', found 'x'",
                  "1 phase violating the schema", "1,200 phases with a duplicate ID",
                  "metadata (skipped and identical phases, attributes)",
                  "the list of phases identical to possibly lost phases", "f: missing member \"id\""));
}

}  // namespace
}  // namespace plimsoll::lbdata
