#include "interpose/parts/region_stack.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace plimsoll::interpose {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RegionStack, ReturnsTheInnermostRegion) {
  RegionStack regions;
  EXPECT_EQ(regions.current(), no_region);
  regions.begin("outer");
  const Region outer = regions.current();
  regions.begin("inner");
  EXPECT_NE(regions.current(), outer);
  regions.begin("outer");
  EXPECT_EQ(regions.current(), outer) << "the same name is the same region";
  regions.end("outer");
  regions.end("inner");
  EXPECT_EQ(regions.current(), outer);
  regions.end("outer");
  EXPECT_EQ(regions.current(), no_region);
  EXPECT_THAT(regions.names(), ElementsAre("outer", "inner"));
  EXPECT_EQ(regions.problem_at_end(), "");
}

TEST(RegionStack, IgnoresMistakesAndReportsTheFirst) {
  RegionStack regions;
  regions.begin("a");
  regions.begin("b");
  const Region inner = regions.current();
  regions.end("a");
  EXPECT_EQ(regions.current(), inner);
  const std::string first = regions.problem();
  EXPECT_THAT(first, AllOf(HasSubstr("(\"a\")"), HasSubstr("in region \"b\""), HasSubstr("innermost")));
  regions.end("b");
  regions.end("a");
  regions.end("a");
  EXPECT_EQ(regions.current(), no_region);
  EXPECT_EQ(regions.problem_at_end(), first);
}

TEST(RegionStack, ReportsEachKindOfMistake) {
  RegionStack ended;
  ended.end("a");
  EXPECT_THAT(ended.problem(), HasSubstr("outside all regions"));
  EXPECT_TRUE(ended.names().empty());
  RegionStack nameless;
  nameless.begin("");
  EXPECT_EQ(nameless.current(), no_region);
  EXPECT_THAT(nameless.problem(), HasSubstr("without a name"));
  RegionStack open;
  open.begin("a");
  EXPECT_EQ(open.problem(), "");
  EXPECT_THAT(open.problem_at_end(), HasSubstr("\"a\" was open at MPI_Finalize"));
  RegionStack deep;
  for (std::size_t depth = 0; depth <= RegionStack::max_depth; ++depth) deep.begin("a");
  EXPECT_THAT(deep.problem(), HasSubstr("more than 1000 regions"));
}

TEST(RegionStack, PutsNamesThatAreTooManyIntoOneRegion) {
  RegionStack regions;
  for (Region number = 1; number <= max_named_regions + 2; ++number) {
    const std::string name = "region " + std::to_string(number);
    regions.begin(name);
    EXPECT_EQ(regions.current(), number <= max_named_regions ? number : other_regions);
    regions.end(name);
    EXPECT_EQ(regions.current(), no_region);
  }
  EXPECT_EQ(regions.names().size(), max_named_regions);
  EXPECT_THAT(regions.problem(), HasSubstr("more than 64 names"));
  regions.begin(std::string(300, 'x'));
  regions.end(std::string(300, 'x'));
  EXPECT_EQ(regions.current(), no_region);
}

TEST(RegionStack, NestsRegionsInLevels) {
  RegionStack regions;
  regions.set_level(1);
  EXPECT_EQ(regions.current(), no_region);
  regions.set_level(2);
  const Region level = regions.current();
  EXPECT_NE(level, no_region);
  regions.begin("a");
  regions.set_level(3);
  EXPECT_EQ(regions.names().at(regions.current() - 1), "a");
  regions.end("a");
  EXPECT_EQ(regions.names().at(regions.current() - 1), "level 3");
  regions.set_level(2);
  EXPECT_EQ(regions.current(), level);
  regions.set_level(0);
  EXPECT_EQ(regions.current(), no_region);
  EXPECT_THAT(regions.names(), ElementsAre("level 2", "a", "level 3"));
}

TEST(RegionStack, CutsLongNamesBetweenCharacters) {
  RegionStack regions;
  std::string name;
  for (int k = 0; k < 150; ++k) name += "é";
  regions.begin(name);
  EXPECT_EQ(regions.names().at(0).size(), RegionStack::max_name_bytes);
  regions.end(name);
  EXPECT_EQ(regions.current(), no_region);
}

}  // namespace
}  // namespace plimsoll::interpose
