#include <sys/stat.h>

#include <functional>
#include <limits>
#include <random>

#include <plimsoll/lbdata/phases.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t last_phase = std::numeric_limits<std::int64_t>::max();

PhaseSpecification parsed(std::string_view text) {
  return PhaseSpecification::parse(text, "spec");
}

std::vector<std::string> written(const PhaseSpecification& specification, PhaseRange interval) {
  std::vector<std::string> ranges;
  for (const PhaseRange& range : specification.ranges(interval)) ranges.push_back(to_string(range));
  return ranges;
}

std::vector<std::string> entries(std::string_view text) {
  std::vector<std::string> result;
  const PhaseSpecification specification = parsed(text);
  for (const PhaseSpecificationEntry& entry : specification.entries()) {
    result.push_back(std::to_string(entry.line) + ": " + to_string(entry));
  }
  return result;
}

void expect_phases(std::string_view text, const std::function<bool(std::int64_t)>& expected) {
  const PhaseSpecification specification = parsed(text);
  for (std::int64_t phase = 0; phase < 1000; ++phase) {
    EXPECT_EQ(specification.includes(phase), expected(phase)) << text << ", phase " << phase;
  }
}

TEST(PhaseSpecification, AgreesWithVtTests) {
  expect_phases("0 0 3\n%5 -1 1\n", [](auto x) { return x < 4 || x % 5 == 0 || x % 5 == 1 || x % 5 == 4; });
  expect_phases("%   10 0     1   \n0   -100    0\n", [](auto x) { return x % 10 == 0 || x % 10 == 1; });
  expect_phases("%   10 -5 0\n0   0    1\n%   20 -3 3\n   100 -10 10\n", [](auto x) {
    return x == 0 || x == 1 || x % 20 <= 3 || x % 10 >= 5 || x % 10 == 0 || (x >= 90 && x <= 110);
  });
  expect_phases("% 98   -5 0\n  %   99 -3 3\n   1 0 2\n", [](auto x) {
    return x % 98 >= 93 || x % 98 == 0 || x % 99 >= 96 || x % 99 <= 3 || (x >= 1 && x <= 3);
  });
}

TEST(PhaseSpecification, AgreesWithVtDocumentation) {
  const PhaseSpecification specification = parsed("0 0 10\n%100 -3 3\n200 -5 5\n");
  EXPECT_THAT(written(specification, {0, 310}), ElementsAre("0-10", "97-103", "195-205", "297-303"));
  EXPECT_THAT(written(parsed("0 0 2\n%5 -1 1"), {0, 9}), ElementsAre("0-2", "4-6", "9"));
}

TEST(PhaseSpecification, AcceptsSameNumberAsExactAndAsModulus) {
  EXPECT_THAT(written(parsed("10\n%10"), {0, 25}), ElementsAre("0", "10", "20"));
}

TEST(PhaseSpecification, AcceptsSeveralEntriesPerLine) {
  EXPECT_THAT(entries("0 0 10 20 0 5"), ElementsAre("1: 0 0 10", "1: 20 0 5"));
  EXPECT_THAT(entries("0 0 10 20\n7"), ElementsAre("1: 0 0 10", "1: 20", "2: 7"));
  EXPECT_THAT(entries("5 % 6 %7 -1%8 -1 2 9"),
              ElementsAre("1: 5", "1: %6", "1: %7 -1", "1: %8 -1 2", "1: 9"));
}

TEST(PhaseSpecification, AcceptsCommentsAndSpaces) {
  EXPECT_THAT(entries("# which phases\r\n\r\n \t\n10\t-1\t 2 # the tenth\r\n#20\n%5#x\n\n30"),
              ElementsAre("4: 10 -1 2", "6: %5", "8: 30"));
  EXPECT_THAT(entries("1 -0 0"), ElementsAre("1: 1"));
}

TEST(PhaseSpecification, IncludesNothingWithoutEntries) {
  for (const char* text : {"", "\n", "   ", "# nothing", "\n\r\n\t\n"}) {
    EXPECT_THAT(entries(text), IsEmpty());
    EXPECT_FALSE(parsed(text).includes(0));
    EXPECT_THAT(written(parsed(text), {0, last_phase}), IsEmpty());
  }
}

TEST(PhaseSpecification, RejectsTextsThatMakeVtAbort) {
  EXPECT_ERROR(parsed("10 5"), bad_input,
               "spec:1: column 4: invalid negative offset 5: must be <= 0; use 10 0 5 for");
  EXPECT_ERROR(parsed("1\n%10 5 3"), bad_input,
               "spec:2: column 5: invalid negative offset 5: must be <= 0; use %10 0 5");
  EXPECT_ERROR(parsed("100 0 1\n\n# x\n 100 -5 5"), bad_input,
               "spec:4: column 2: duplicate entry for phase 100, first on line 1");
  EXPECT_ERROR(parsed("7\n%100 0 1\n%\t100"), bad_input,
               "spec:3: column 1: duplicate entry for %100, first on line 2");
  EXPECT_ERROR(parsed("5 -1 1 5"), bad_input,
               "spec:1: column 8: duplicate entry for phase 5, first on line 1");
  EXPECT_ERROR(parsed("every tenth"), bad_input,
               "spec:1: column 1: expected a number, found \"every\"; use [%]PHASE");
  EXPECT_ERROR(parsed("10 // ten"), bad_input, "spec:1: column 4: expected a number, found \"//\"");
}

TEST(PhaseSpecification, RejectsTextsThatVtMisreads) {
  EXPECT_ERROR(parsed("10 0 -5"), bad_input,
               "spec:1: column 6: invalid positive offset: must be >= 0; use the second number");
  EXPECT_ERROR(parsed("\n-5"), bad_input,
               "spec:2: column 1: negative phase number; use phase numbers from 0");
  EXPECT_ERROR(parsed("%-5"), bad_input, "spec:1: column 2: negative phase number");
  EXPECT_ERROR(parsed("1 0 0 -5"), bad_input, "spec:1: column 7: negative phase number");
  EXPECT_ERROR(parsed("% "), bad_input, "spec:1: column 3: missing number after %; use %1 for every phase");
  EXPECT_ERROR(parsed("%\n5"), bad_input, "spec:1: column 2: missing number after %");
  EXPECT_ERROR(parsed("%%5"), bad_input, "spec:1: column 2: missing number after %");
  EXPECT_ERROR(parsed("1 %# five"), bad_input, "spec:1: column 4: missing number after %");
  EXPECT_ERROR(parsed("%0"), bad_input, "spec:1: column 2: invalid divisor 0; use %1 for every phase");
  EXPECT_ERROR(parsed("%0 -1 1"), bad_input, "spec:1: column 2: invalid divisor 0");
}

TEST(PhaseSpecification, RejectsInvalidNumbers) {
  EXPECT_ERROR(parsed("0-10"), bad_input,
               "spec:1: column 1: expected a number, found \"0-10\"; use \"5 0 5\" for phases 5 to 10");
  for (const char* word : {"1.5", "+5", "1,2", "-", "--5", "0x10", "1e3", "5-"}) {
    EXPECT_ERROR(parsed(std::string("3 ") + word), bad_input,
                 std::string("spec:1: column 3: expected a number, found \"") + word + "\"");
  }
  EXPECT_ERROR(parsed(std::string("1\n2 \0", 5)), bad_input,
               "spec:2: column 3: expected a number, found \"\\u0000\"");
  EXPECT_ERROR(parsed("\xEF\xBB\xBF"
                      "5"),
               bad_input, "spec:1: column 1: ");
  EXPECT_ERROR(parsed("\x1b[31m"), bad_input, "column 1: expected a number, found \"\\u001b[31m\"");
  EXPECT_ERROR(parsed(std::string(100000, 'x')), bad_input, "\"" + std::string(40, 'x') + "\"...");
}

TEST(PhaseSpecification, RejectsNumbersBeyond64Bits) {
  for (const char* text : {"9223372036854775808", "%9223372036854775808", "1 -9223372036854775809",
                           "%1 0 9223372036854775808", "99999999999999999999999999999999"}) {
    EXPECT_ERROR(parsed(text), bad_input, "exceeds 64 bits");
  }
  EXPECT_ERROR(parsed("9223372036854775800 0 8"), bad_input,
               "spec:1: column 23: phase 9223372036854775800 + 8 exceeds 64 bits; use phase numbers up to");
  EXPECT_THAT(written(parsed("9223372036854775800 -9223372036854775808 7"), {5, last_phase}),
              ElementsAre("5-9223372036854775807"));
  EXPECT_THAT(written(parsed("%9223372036854775807 -1 0"), {1, last_phase}),
              ElementsAre("9223372036854775806-9223372036854775807"));
  EXPECT_THAT(written(parsed("%5000000000000000000 -3 4"), {0, last_phase}),
              ElementsAre("0-4", "4999999999999999997-5000000000000000004"));
  EXPECT_THAT(written(parsed("%9223372036854775806 0 9223372036854775807"), {0, last_phase}),
              ElementsAre("0-9223372036854775807"));
}

TEST(PhaseSpecification, SelectsNoNegativePhases) {
  const PhaseSpecification specification = parsed("3 -100 0\n%2 -1 1");
  EXPECT_FALSE(specification.includes(-1));
  EXPECT_THAT(written(specification, {-50, 10}), ElementsAre("0-10"));
  EXPECT_THAT(written(specification, {-50, -10}), IsEmpty());
}

// Compares combinations of all kinds of entries with the definition, phase by phase.
TEST(PhaseSpecification, AgreesWithDefinitionForRandomEntries) {
  std::mt19937 random(1);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  const auto included = [](const PhaseSpecificationEntry& entry, std::int64_t x) {
    const std::int64_t p = entry.phase;
    return entry.modulus ? x % p >= p + entry.negative_offset || x % p <= entry.positive_offset
                         : p + entry.negative_offset <= x && x <= p + entry.positive_offset;
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<PhaseSpecificationEntry> expected;
    std::string text;
    const std::int64_t number = draw(0, 4);
    for (std::int64_t k = 0; k < number; ++k) {
      // Unique numbers, because entries of the same kind cannot share a number.
      const bool modulus = draw(0, 1) == 1;
      expected.push_back({.modulus = modulus,
                          .phase = draw(modulus ? 1 : 0, modulus ? 12 : 30) * 4 - (modulus ? k % 4 : -k),
                          .negative_offset = -draw(0, 3) * draw(0, 8),
                          .positive_offset = draw(0, 3) * draw(0, 8)});
      text += to_string(expected.back()) + (draw(0, 1) == 1 ? "\n" : " # and\n");
    }
    const PhaseSpecification specification = parsed(text);
    const PhaseRange interval{draw(0, 60), draw(0, 200)};
    std::vector<PhaseRange> ranges;
    for (std::int64_t x = 0; x <= 200; ++x) {
      const bool is_in = std::ranges::any_of(expected, [&](const auto& entry) { return included(entry, x); });
      ASSERT_EQ(specification.includes(x), is_in) << text << "phase " << x;
      if (!is_in || x < interval.first || x > interval.last) continue;
      if (ranges.empty() || ranges.back().last < x - 1) ranges.push_back({x, x});
      ranges.back().last = x;
    }
    ASSERT_EQ(specification.ranges(interval), ranges) << text << to_string(interval);
  }
}

std::string meaning(std::string_view text) {
  return parsed(text).entries().at(0).meaning();
}

TEST(PhaseSpecification, DescribesEntries) {
  EXPECT_EQ(meaning("10"), "phase 10");
  EXPECT_EQ(meaning("200 -5 5"), "phases 195 to 205");
  EXPECT_EQ(meaning("3 -100"), "phases 0 to 3");
  EXPECT_EQ(meaning("0 -100"), "phase 0");
  EXPECT_EQ(meaning("%10"), "each multiple of 10: 0, 10, 20, ...");
  EXPECT_EQ(meaning("%10 -5"), "each multiple of 10 and 5 phases before it: 0, 5-10, 15-20, ...");
  EXPECT_EQ(meaning("%10 0 1"), "each multiple of 10 and 1 phase after it: 0-1, 10-11, 20-21, ...");
  EXPECT_EQ(meaning("%100 -3 3"),
            "each multiple of 100, 3 phases before and 3 phases after it: 0-3, 97-103, 197-203, ...");
  for (const char* all : {"%1", "%2 -1", "%2 0 1", "%10 -5 4", "%10 -100 100", "%3 -9223372036854775808"}) {
    EXPECT_EQ(meaning(all), "every phase") << all;
  }
  EXPECT_EQ(meaning("%10 -5 3"),
            "each multiple of 10, 5 phases before and 3 phases after it: 0-3, 5-13, 15-23, ...");
  EXPECT_EQ(meaning("%9223372036854775807"), "each multiple of 9223372036854775807: 0, 9223372036854775807");
  EXPECT_EQ(meaning("%5000000000000000000"), "each multiple of 5000000000000000000: 0, 5000000000000000000");
}

TEST(PhaseSpecification, ReadsFile) {
  const TemporaryFolder folder;
  const PhaseSpecification specification = PhaseSpecification::read(folder.write("spec", "1 0 2\n"));
  EXPECT_THAT(written(specification, {0, 10}), ElementsAre("1-3"));
  EXPECT_ERROR(PhaseSpecification::read(folder.write("bad", "1\nx")), bad_input, "/bad:2: column 1: ");
  EXPECT_ERROR(PhaseSpecification::read(folder / "none"), system, "/none: cannot open");
  EXPECT_ERROR(PhaseSpecification::read(folder.write("huge", std::string((16 << 20) + 1, '\n'))), bad_input,
               "is larger than 16.0 MiB");
}

TEST(PhaseSpecification, RunsInTimeIndependentOfPhaseNumbers) {
  std::string text = "%10 -5 4\n";
  for (int k = 11; k < 3000; ++k) text += "%" + std::to_string(k) + "\n" + std::to_string(k) + "\n";
  EXPECT_THAT(written(parsed(text), {7, last_phase}), ElementsAre("7-9223372036854775807"));
}

}  // namespace
}  // namespace plimsoll::lbdata
