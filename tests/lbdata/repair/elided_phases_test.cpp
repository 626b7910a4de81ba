#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <plimsoll/lbdata/repair.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using ::testing::ElementsAre;

PhaseSpecification specification() {
  return PhaseSpecification::parse("200 -5 5\n%10 -2 3\n7\n", "spec");
}

std::optional<PhaseMetadata> lists(const ElidedPhases& elided, const std::set<std::int64_t>& written) {
  return elided.lists([&](std::int64_t phase) { return written.contains(phase); });
}

TEST(ElidedPhases, KeepTheirSummaryInOneLine) {
  for (const bool identical : {true, false}) {
    for (const auto& selection : {std::optional<PhaseSpecification>(), std::optional(PhaseSpecification()),
                                  std::optional(specification())}) {
      const ElidedPhases elided{
          .identical = identical, .specification = selection, .count = 12, .last = 9'000'000'000};
      const std::string line = to_line(elided);
      EXPECT_EQ(line.substr(counts_offset, counts_text(elided).size()), counts_text(elided));
      const std::string file = line + "{\"type\"";
      std::string_view text = file;
      const auto taken = take_line(text);
      ASSERT_TRUE(taken) << line;
      EXPECT_EQ(text, "{\"type\"");
      EXPECT_EQ(taken->identical, identical);
      EXPECT_EQ(taken->count, 12);
      EXPECT_EQ(taken->last, 9'000'000'000);
      ASSERT_EQ(taken->specification.has_value(), selection.has_value());
      for (std::int64_t phase = 0; selection && phase < 300; ++phase)
        EXPECT_EQ(taken->specification->includes(phase), selection->includes(phase)) << phase;
    }
  }
  EXPECT_EQ(counts_text({.count = 1, .last = 2}).size(),
            counts_text({.count = 1'000'000, .last = 5'000'000}).size());
}

TEST(ElidedPhases, RejectOtherText) {
  const std::string line = to_line({.specification = specification(), .count = 1, .last = 1});
  for (const std::string& file :
       {std::string(), std::string("{\"type\":1}\n"), line.substr(0, line.size() - 1),
        std::string("elided \n"), std::string("elided 1 x\n"), line.substr(0, 45) + " except %\n"}) {
    std::string_view text = file;
    EXPECT_FALSE(take_line(text)) << file;
    EXPECT_EQ(text, file);
  }
}

TEST(ElidedPhases, AreThoseThatAreNotWritten) {
  const auto identical = lists({.identical = true, .count = 4, .last = 6}, {0, 3, 5, 8});
  ASSERT_TRUE(identical);
  EXPECT_THAT(identical->identical_to_previous.list, ElementsAre(4, 6));
  EXPECT_THAT(identical->identical_to_previous.range, ElementsAre(ElementsAre(1, 2)));
  EXPECT_TRUE(identical->skipped.empty());

  // The specification selects 7, and of each ten phases the first four and the last two.
  const auto both =
      lists({.identical = true, .specification = specification(), .count = 5, .last = 8}, {0, 1, 3, 7});
  ASSERT_TRUE(both);
  EXPECT_THAT(both->skipped.range, ElementsAre(ElementsAre(4, 6)));
  EXPECT_THAT(both->identical_to_previous.list, ElementsAre(2, 8));
  EXPECT_TRUE(lists({.identical = true}, {0, 1})->identical_to_previous.empty());
}

TEST(ElidedPhases, AreUnknownIfWrittenPhasesAreLost) {
  EXPECT_FALSE(lists({.identical = true, .count = 4, .last = 6}, {0, 3}));
  EXPECT_FALSE(lists({.identical = true, .count = 4, .last = 6}, {0, 1, 3, 5}));
  // Without elided identical phases, a selected phase is missing.
  EXPECT_FALSE(lists({.specification = specification(), .count = 4, .last = 6}, {0, 1, 2}));
  EXPECT_TRUE(lists({.specification = specification(), .count = 3, .last = 6}, {0, 1, 2, 3}));
  EXPECT_FALSE(lists({.identical = true, .count = 1LL << 62, .last = 1LL << 62}, {}));
}

}  // namespace
}  // namespace plimsoll::lbdata
