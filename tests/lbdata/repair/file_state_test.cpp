#include "lbdata/repair/file_state.hpp"

#include <gtest/gtest.h>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

const std::string head = R"({"metadata":{"rank":0,"type":"LBDatafile"},"phases":[)";

TEST(FileState, AgreesWithRepair) {
  const plimsoll::testing::TemporaryFolder folder;
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

}  // namespace
}  // namespace plimsoll::lbdata
