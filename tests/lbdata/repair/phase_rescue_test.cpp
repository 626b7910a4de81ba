#include "lbdata/repair/phase_rescue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string head = R"({"metadata":{"rank":0,"type":"LBDatafile"},"phases":[)";

TEST(FileState, AgreesWithRepair) {
  const TemporaryFolder folder;
  const auto state_of = [&](const std::string& content) {
    return file_state(folder.write("file", content), {.max_bytes = 1000});
  };
  EXPECT_EQ(state_of(head + "]}"), FileState::whole);
  EXPECT_EQ(state_of(head + R"({"id":0,"tasks":[]}]})"), FileState::whole);
  for (const std::string phases :
       {R"({"id":0,"ta)", R"({"id":0,"tasks":[]},{"id":0,"tasks":[]}]})",
        R"({"id":true,"tasks":[]},{"id":1,"tasks":[]}]})", R"({"id":0,"tasks":[]}}]})"})
    EXPECT_EQ(state_of(head + phases), FileState::repairable) << phases;
  EXPECT_EQ(state_of(R"({"phases":[{"id":0,"tasks":[]})"), FileState::repairable) << "the type is missing";
  EXPECT_EQ(state_of(head + R"({"id":true,"tasks":[]}]})"), FileState::unusable) << "no phase can be kept";
  for (const std::string text : {"", "{", "some text", R"({"type":"LBStatsfile","phases":[]})"})
    EXPECT_EQ(state_of(text), FileState::unusable) << text;
  EXPECT_EQ(state_of(head + std::string(1000, ' ') + "]}"), FileState::unusable) << "larger than the limit";
  EXPECT_EQ(file_state(folder / "absent", {}), FileState::unusable);
  EXPECT_EQ(file_state(plimsoll::testing::own_path("lb/phases/data.0.json"), {}), FileState::whole);
}

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
