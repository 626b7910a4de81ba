#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/pelayout/pes_file.hpp>

#include "common/throws_error.hpp"
#include "pelayout/pes/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

TEST(NamePatterns, SearchesEachPatternOnce) {
  NamePatterns patterns;
  EXPECT_TRUE(patterns.is_found("g1[67]", "f09_g17"));
  EXPECT_FALSE(patterns.is_found("g1[67]", "T62_g37"));
  const std::uint64_t work = patterns.work();
  EXPECT_GT(work, 0U);
  for (int k = 0; k < 1000; ++k) EXPECT_TRUE(patterns.is_found("g1[67]", "f09_g17"));
  EXPECT_EQ(patterns.work(), work);
}

// Searching a file with 58 KB of expressions again for each of its sizes took 22 s.
TEST(NamePatterns, LimitsTotalSearchWork) {
  NamePatterns patterns;
  const std::string name(1000, 'a');
  EXPECT_ERROR(
      for (int k = 0; k < 100'000;
           ++k) { patterns.is_found("b" + std::to_string(k) + std::string(490, 'c'), name); },
      bad_input, "too long to search");
  EXPECT_LE(patterns.work(), 10'000'000U);
}

}  // namespace
}  // namespace plimsoll::pelayout

using namespace plimsoll::pelayout;

namespace {

PesEntry entry(const std::string& grid, const std::string& machine, const std::string& compset,
               const std::string& pesize, std::uint64_t line) {
  PesEntry result;
  result.grid = grid;
  result.machine = machine;
  result.compset = compset;
  result.pesize = pesize;
  result.line = line;
  return result;
}

const PesQuery query = {"a%ne30np4_l%r05_oi%oEC60to30", "anvil", "2000_EAM%CMIP6_ELM_MPASSI_MPASO", "L"};

PesFile file_of(std::vector<PesEntry> entries) {
  PesFile file;
  file.path = "pes.xml";
  file.entries = std::move(entries);
  return file;
}

TEST(PesSelection, AddsUpMatchingScores) {
  // Each entry scores higher than the previous ones: 0 without attributes, 1 with pesize, 2 with compset, 3
  // with grid, 5 with grid and compset, 6 with grid, compset and pesize, 7 with machine, 13 with all four.
  const std::vector<PesEntry> entries = {
      entry("any", "any", "any", "any", 1),
      entry("any", "any", "any", "L", 2),
      entry("any", "any", "EAM.+MPASO", "any", 3),
      entry("a%ne30np4_l%.+_oi%oEC", "any", "any", "any", 4),
      entry("a%ne30np4", "any", "EAM", "any", 5),
      entry("a%ne30np4", "any", "EAM", "L", 6),
      entry("any", "chrysalis|anvil", "any", "any", 7),
      entry("a%ne30", "anvil", "MPASO$", "L", 8),
  };
  for (std::size_t n = 1; n <= entries.size(); ++n) {
    std::vector<PesEntry> some(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_EQ(select_pes(file_of(some), query).line, n);
    std::reverse(some.begin(), some.end());
    EXPECT_EQ(select_pes(file_of(some), query).line, n);
  }
}

TEST(PesSelection, ExcludesEntriesThatDoNotMatch) {
  EXPECT_EQ(
      select_pes(file_of({entry("any", "any", "any", "any", 1), entry("a%ne120", "anvil", "EAM", "L", 2),
                          entry("any", "anvil", "EAM", "S", 3), entry("any", "^nvil", "EAM", "L", 4)}),
                 query)
          .line,
      1U);
}

TEST(PesSelection, ReportsMissingOrAmbiguousMatch) {
  EXPECT_ERROR(
      select_pes(file_of({entry("any", "any", "any", "S", 1), entry("any", "any", "any", "M", 2)}), query),
      bad_input, "no PE layout for grid a%ne30np4_l%r05_oi%oEC60to30, machine anvil");
  EXPECT_ERROR(
      select_pes(file_of({entry("any", "any", "any", "S", 1), entry("any", "any", "any", "M", 2)}), query),
      bad_input, "available pesizes: M, S");
  EXPECT_ERROR(select_pes(file_of({}), query), bad_input, "no pes element");
  // Grid (3) scores the same as compset + pesize (2 + 1).
  EXPECT_ERROR(
      select_pes(file_of({entry("ne30", "any", "any", "any", 11), entry("any", "any", "any", "any", 12),
                          entry("any", "any", "EAM", "L", 13)}),
                 query),
      bad_input, "more than one PE layout for grid a%ne30np4_l%r05_oi%oEC60to30");
  EXPECT_ERROR(
      select_pes(file_of({entry("ne30", "any", "any", "any", 11), entry("any", "any", "EAM", "L", 13)}),
                 query),
      bad_input, "lines 11 and 13 fit equally well");
  // A tie does not matter if another entry scores higher.
  EXPECT_EQ(select_pes(file_of({entry("ne30", "any", "any", "any", 11), entry("any", "any", "EAM", "L", 13),
                                entry("any", "anvil", "any", "any", 14)}),
                       query)
                .line,
            14U);
}

TEST(PesSelection, AppliesOverrides) {
  PesFile file = file_of({entry("any", "any", "any", "any", 1)});
  file.entries[0].components = {{"ATM", {64, 1, 0, {}}}, {"OCN", {32, 1, 64, {}}}};
  file.entries[0].variables = {{"MAX_TASKS_PER_NODE", "64"}};
  file.overrides = {entry("any", "any", "any", "any", 2), entry("any", "anvil", "any", "any", 3),
                    entry("any", "any", "EAM", "any", 4), entry("any", "titan", "any", "any", 5)};
  file.overrides[0].components = {{"ATM", {1, 1, 1, 1}}};  // an override with score 0 has no effect
  file.overrides[1].components = {{"ATM", {128, {}, {}, {}}}};
  file.overrides[1].comment = "wider";
  file.overrides[2].components = {{"ATM", {{}, 2, {}, 4}}, {"LND", {8, {}, {}, {}}}};
  file.overrides[2].variables = {{"MAX_TASKS_PER_NODE", "128"}};
  file.overrides[3].components = {{"ATM", {1, 1, 1, 1}}};
  const PesEntry selected = select_pes(file, query);
  EXPECT_EQ(selected.line, 1U);
  EXPECT_EQ(selected.comment, "wider");
  EXPECT_EQ(selected.components.at("ATM"), (ComponentPes{128, 2, 0, 4}));
  EXPECT_EQ(selected.components.at("OCN"), (ComponentPes{32, 1, 64, {}}));
  EXPECT_EQ(selected.components.at("LND").tasks, 8);
  EXPECT_EQ(selected.variables.at("MAX_TASKS_PER_NODE"), "128");
}

TEST(PesSelection, RejectsInvalidOrExpensiveExpressions) {
  const auto refused = [](const std::string& pattern, const std::string& why) {
    EXPECT_ERROR(select_pes(file_of({entry(pattern, "any", "any", "any", 7)}), query), bad_input, why);
  };
  refused("a(b", "pes.xml:7: \"a(b\" is not a supported regular expression: it is malformed");
  refused("a)|(b", "malformed");
  refused("[z-a]", "malformed");
  refused("*", "malformed");
  refused("(a)\\1", "back-reference");
  refused("(a{1000}){1000}", "repetition count");
  refused("(?=a)", "(?...)");
  refused(std::string(501, 'a'), "too long");
  EXPECT_EQ(select_pes(file_of({entry("(?:ne30)+\\w", "any", "any", "any", 7)}), query).line, 7U);
}

TEST(PesSelection, MatchesMaliciousExpressionsQuickly) {
  std::string stars;
  while (stars.size() < 480) stars += "(a*)*";
  std::string nested = "a";
  while (nested.size() < 480) nested = "(" + nested + ")*";
  PesQuery long_name = query;
  long_name.grid = std::string(1000, 'a') + "b";
  long_name.grid.resize(1000);
  for (const std::string& pattern : {stars + "$", nested + "c", std::string(490, '.') + "c"})
    EXPECT_EQ(select_pes(file_of({entry(pattern + "|a", "any", "any", "any", 7)}), long_name).line, 7U);
}

}  // namespace
