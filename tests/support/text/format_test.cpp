#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

TEST(Format, FormatsBytes) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(format_bytes(std::uint64_t{4} << 30), "4.0 GiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::uint64_t>::max()), "16.0 EiB");
}

TEST(Format, FormatsSeconds) {
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(1.2345e-8), "12.3 ns");
  EXPECT_EQ(format_seconds(1.2345e-5), "12.3 us");
  EXPECT_EQ(format_seconds(0.0123456), "12.3 ms");
  EXPECT_EQ(format_seconds(0.9996), "1.00 s");
  EXPECT_EQ(format_seconds(1.5), "1.50 s");
  EXPECT_EQ(format_seconds(59.97), "1 min 0 s");
  EXPECT_EQ(format_seconds(125), "2 min 5 s");
  EXPECT_EQ(format_seconds(12000), "3 h 20 min");
  EXPECT_EQ(format_seconds(7199.9), "2 h 0 min");
  EXPECT_EQ(format_seconds(-1), "-1.00 s");
  EXPECT_EQ(format_seconds(1e300), "1.00e+300 s");
}

TEST(Format, FormatsCountsAndPercentages) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_percentage(0.1234), "12.3 %");
  EXPECT_EQ(format_percentage(3), "300.0 %");
}

TEST(Format, FormatsNumbersThatRoundToZeroWithoutSign) {
  EXPECT_EQ(format_fixed(-1e-9, 4), "0.0000");
  EXPECT_EQ(format_fixed(-0.0, 0), "0");
  EXPECT_EQ(format_fixed(-0.00006, 4), "-0.0001");
  EXPECT_EQ(format_percentage(-1e-16), "0.0 %");
  EXPECT_EQ(format_percentage(-0.001), "-0.1 %");
  EXPECT_EQ(format_seconds(-1e-13), "0.00 ns");
}

TEST(Format, FormatsDifferencesWithSign) {
  EXPECT_EQ(format_difference(0.1234), "+12.3 %");
  EXPECT_EQ(format_difference(-0.1234, 2), "-12.34 %");
  EXPECT_EQ(format_difference(-1e-16, 2), "+0.00 %");
  EXPECT_EQ(format_difference(0), "+0.0 %");
}

TEST(Format, FormatsValuesThatAreNotFiniteAsHyphen) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {infinity, -infinity, std::nan(""), -std::nan("")}) {
    EXPECT_EQ(format_seconds(value), "-");
    EXPECT_EQ(format_number(value), "-");
    EXPECT_EQ(format_fixed(value, 2), "-");
    EXPECT_EQ(format_percentage(value), "-");
    EXPECT_EQ(format_difference(value), "-");
  }
  EXPECT_EQ(format_percentage(1e308), "-");  // the percentage exceeds the range of double
}

TEST(Format, ConvertsOnlyAsciiLettersToUpperCase) {
  EXPECT_EQ(upper_case("atm_2Z"), "ATM_2Z");
  EXPECT_EQ(upper_case("\xc3\xa4"), "\xc3\xa4");
}

TEST(Format, PrintsNumbersWithFourDigitsOrAsIntegers) {
  EXPECT_EQ(format_number(0), "0");
  EXPECT_EQ(format_number(0.5), "0.5");
  EXPECT_EQ(format_number(28.7761), "28.78");
  EXPECT_EQ(format_number(999.96), "1,000");
  EXPECT_EQ(format_number(12345.6), "12,346");
  EXPECT_EQ(format_number(-1234567), "-1,234,567");
  EXPECT_EQ(format_number(1e-7), "1e-07");
  EXPECT_EQ(format_number(1e300), "1e+300");
}

TEST(Format, FormatsTicksInShortestExactForm) {
  EXPECT_EQ(format_tick(0), "0");
  EXPECT_EQ(format_tick(3 * 0.1), "0.3");
  EXPECT_EQ(format_tick(64), "64");
  EXPECT_EQ(format_tick(1024), "1,024");
  EXPECT_EQ(format_tick(10000), "10k");
  EXPECT_EQ(format_tick(-12500), "-12.5k");
  EXPECT_EQ(format_tick(12345), "12,345");
  EXPECT_EQ(format_tick(2.5e6), "2.5M");
  EXPECT_EQ(format_tick(1e9), "1G");
  EXPECT_EQ(format_tick(1e20), "1e+20");
}

}  // namespace

namespace {

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("µs"), 2U);
  EXPECT_EQ(display_width("e\xCC\x81"), 1U);  // e and a combining acute accent
  EXPECT_EQ(display_width("大船"), 4U);
  EXPECT_EQ(display_width("🚢"), 2U);
  EXPECT_EQ(display_width("\x1b[1;31mred\x1b[0m"), 3U);
  EXPECT_EQ(display_width("\xFF\xFE"), 2U);
  EXPECT_EQ(display_width("\x1b[1"), 3U);
}

TEST(TextTable, AlignsNumbersRightAndTextLeft) {
  TextTable table({{"strategy"}, {"time", TextTable::Align::right}, {"note"}});
  table.add_row({"GreedyLB", "12.5 µs", "fast"});
  table.add_row({"大", "3 s"});
  table.add_rule();
  table.add_row({"all", "4 s", ""});
  EXPECT_EQ(table.to_string(),
            "strategy     time  note\n"
            "--------  -------  ----\n"
            "GreedyLB  12.5 µs  fast\n"
            "大            3 s\n"
            "--------  -------  ----\n"
            "all           4 s\n");
}

TEST(TextTable, BreaksLongTextIntoLines) {
  TextTable table({{"name"}, {"load", TextTable::Align::right}, {"meaning"}});
  table.add_row({"RefineLB", "1 s", "moves the heaviest objects first"});
  table.add_row({"a-name-longer-than-24-columns", "12 s"});
  EXPECT_EQ(table.to_string(40),
            "name              load  meaning\n"
            "----------------  ----  ----------------\n"
            "RefineLB           1 s  moves the\n"
            "                        heaviest objects\n"
            "                        first\n"
            "a-name-longer-th  12 s\n"
            "an-24-columns\n");
}

TEST(TextTable, BreaksNamesOnlyIfNothingElseFits) {
  TextTable table({{"function"}, {"purpose"}, {"calls", TextTable::Align::right}});
  table.add_row({"MPI_Allreduce", "collective start", "12,000"});
  EXPECT_EQ(table.to_string(33),
            "function       purpose      calls\n"
            "-------------  ----------  ------\n"
            "MPI_Allreduce  collective  12,000\n"
            "               start\n");
  EXPECT_EQ(table.to_string(28),
            "function       purpose\n"
            "-------------  ----------\n"
            "MPI_Allreduce  collective\n"
            "               start\n"
            "\n"
            "function        calls\n"
            "-------------  ------\n"
            "MPI_Allreduce  12,000\n");
  EXPECT_THAT(table.to_string(20), ::testing::HasSubstr("MPI_Allreduc  collective\n"));
}

TEST(TextTable, BreaksHeadingsOfNumbersAtSpaces) {
  TextTable table({{"rank"}, {"bytes per call", TextTable::Align::right}});
  table.add_row({"0", "2.2 MiB"});
  EXPECT_EQ(table.to_string(14),
            "rank     bytes\n"
            "      per call\n"
            "----  --------\n"
            "0      2.2 MiB\n");
}

TEST(TextTable, ContinuesBelowItselfIfNumbersAreTooWide) {
  constexpr auto right = TextTable::Align::right;
  TextTable table({{"rank", right}, {"load", right}, {"sent", right}, {"received", right}});
  table.add_row({"0", "1.50 s", "10.0 MiB", "20.0 MiB"});
  EXPECT_EQ(table.to_string(24),
            "rank    load      sent\n"
            "----  ------  --------\n"
            "   0  1.50 s  10.0 MiB\n"
            "\n"
            "rank  received\n"
            "----  --------\n"
            "   0  20.0 MiB\n");
}

TEST(TextTable, EscapesControlCharactersOfCells) {
  TextTable table({{"host"}, {"ranks"}});
  table.add_row({"a\nvalid: 0 errors", "\x1b[2J"});
  table.add_row({"\x1b[1mb\x1b[8m\x1b[0m", "1"});
  EXPECT_EQ(table.to_string(),
            "host               ranks\n"
            "-----------------  -----\n"
            "a?valid: 0 errors  ?[2J\n"
            "\x1b[1mb?[8m\x1b[0m              1\n");
}

}  // namespace
}  // namespace plimsoll::support
