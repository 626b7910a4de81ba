#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <filesystem>
#include <sstream>
#include <string>

#include <plimsoll/pelayout/esmf_profile.hpp>

#include "common/shared_data.hpp"
#include "common/throws_error.hpp"
#include "pelayout/timing/esmf_text.hpp"
#include "pelayout/timing/timing_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::esmf_example;
using plimsoll::testing::EsmfRow;
using plimsoll::testing::EsmfText;
using plimsoll::testing::file_content;
using plimsoll::testing::replaced;

/// Paths of all real files of a kind: "ESMF_Profile" or "timing.".
std::vector<std::string> real_files(const std::string& kind) {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(plimsoll::testing::shared_path("data/cime/cmeps")))
    if (entry.path().filename().string().find(kind) != std::string::npos) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

/// The number in a line below a heading, which begins in the same column.
double number_below(const std::string& heading, const char* column, const std::string& line) {
  return std::stod(line.substr(heading.find(column)));
}

TEST(EsmfProfileParser, ReadsTheNumbersOfTheFile) {
  for (const bool has_pes : {true, false}) {
    EsmfText text = esmf_example();
    text.has_pes = has_pes;
    const EsmfProfile profile = parse_esmf_profile(text.str(), "dir/ESMF_Profile.summary");
    EXPECT_EQ(profile.path, "dir/ESMF_Profile.summary");
    ASSERT_EQ(profile.regions.size(), text.rows.size());
    for (std::size_t k = 0; k < text.rows.size(); ++k) {
      const EsmfRow& row = text.rows[k];
      const EsmfRegion& region = profile.regions[k];
      EXPECT_EQ(region.name, row.name);
      EXPECT_EQ(region.depth, static_cast<std::size_t>(row.depth));
      EXPECT_EQ(region.pets, row.pets);
      EXPECT_EQ(region.pes.has_value(), has_pes);
      EXPECT_EQ(region.count, std::stoi(row.count));
      EXPECT_EQ(region.mean_s, row.mean);
      EXPECT_EQ(region.minimum_s, row.minimum);
      EXPECT_EQ(region.maximum_s, row.maximum);
      EXPECT_EQ(region.minimum_pet, row.minimum_pet);
      EXPECT_EQ(region.maximum_pet, row.maximum_pet);
      EXPECT_EQ(region.line, k + 2);
    }
    EXPECT_EQ(profile.end_of(3), 6U) << "ATM contains two regions";
    EXPECT_EQ(profile.end_of(2), profile.regions.size() - 1);
  }
}

TEST(EsmfProfileParser, KnowsProfilesByTheirStart) {
  EXPECT_TRUE(is_esmf_profile(esmf_example().str()));
  EXPECT_TRUE(is_esmf_profile("********\nIMPORTANT: Large deviations between Connector times\n"));
  EXPECT_FALSE(is_esmf_profile(plimsoll::testing::TimingText().str()));
  EXPECT_FALSE(is_esmf_profile("***** GLOBAL STATISTICS (  64 MPI TASKS) *****\n"));
  EXPECT_FALSE(is_esmf_profile(""));
}

// Reads the real files by the columns of their headings, and compares the parser with that.
TEST(EsmfProfileParser, AgreesWithIndependentReadingOfRealFiles) {
  PLIMSOLL_NEED_SHARED("data/cime/cmeps");
  const std::vector<std::string> paths = real_files("ESMF_Profile");
  EXPECT_EQ(paths.size(), 15U);
  for (const std::string& path : paths) {
    const EsmfProfile profile = parse_esmf_profile(file_content(path), path);
    std::istringstream lines(file_content(path));
    std::string heading;
    while (!heading.starts_with("Region")) std::getline(lines, heading);
    std::size_t k = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) continue;
      ASSERT_LT(k, profile.regions.size()) << path;
      const EsmfRegion& region = profile.regions[k++];
      const std::size_t indent = line.find_first_not_of(' ');
      EXPECT_EQ(region.depth, indent / 2 - 1) << line;
      EXPECT_EQ(line.substr(indent, region.name.size() + 1), region.name + " ") << line;
      EXPECT_EQ(static_cast<double>(region.pets), number_below(heading, "PETs", line)) << line;
      const bool varies = line.substr(heading.find("Count"), 8) == "MULTIPLE";
      ASSERT_EQ(region.count.has_value(), !varies) << line;
      if (!varies) {
        EXPECT_EQ(static_cast<double>(*region.count), number_below(heading, "Count", line)) << line;
      }
      EXPECT_EQ(region.mean_s, number_below(heading, "Mean (s)", line)) << line;
      EXPECT_EQ(region.minimum_s, number_below(heading, "Min (s)", line)) << line;
      EXPECT_EQ(region.maximum_s, number_below(heading, "Max (s)", line)) << line;
      EXPECT_EQ(static_cast<double>(region.minimum_pet), number_below(heading, "Min PET", line)) << line;
      EXPECT_EQ(static_cast<double>(region.maximum_pet), number_below(heading, "Max PET", line)) << line;
    }
    EXPECT_EQ(k, profile.regions.size()) << path;
  }
}

struct BrokenProfile {
  std::string old_part;
  std::string new_part;
  std::uint64_t line;
  std::string message;

  friend void PrintTo(const BrokenProfile& broken, std::ostream* output) { *output << broken.message; }
};

class BrokenEsmfProfile : public ::testing::TestWithParam<BrokenProfile> {};

TEST_P(BrokenEsmfProfile, IsReportedWithPosition) {
  const BrokenProfile& broken = GetParam();
  const std::string text = replaced(esmf_example().str(), broken.old_part, broken.new_part);
  const auto error = plimsoll::testing::error_of([&] { parse_esmf_profile(text, "dir/summary"); });
  ASSERT_TRUE(error.has_value()) << broken.new_part;
  EXPECT_EQ(error->kind(), ErrorKind::bad_input);
  EXPECT_EQ(error->diagnostic().file, "dir/summary");
  EXPECT_EQ(error->diagnostic().line, broken.line) << error->what();
  EXPECT_THAT(error->diagnostic().what, ::testing::HasSubstr(broken.message));
}

// ATM is in line 5, its regions in lines 6 and 7.
INSTANTIATE_TEST_SUITE_P(
    Texts, BrokenEsmfProfile,
    ::testing::Values(
        BrokenProfile{"Mean (s)", "Mean (m)", 1, "unknown columns"},
        BrokenProfile{"Region ", "Area   ", 19, "not an ESMF profile"},
        BrokenProfile{"200.0000", "nan     ", 5, "invalid value \"nan\" for the mean time"},
        BrokenProfile{"200.0000", "-200.000", 5, "must be >= 0"},
        BrokenProfile{"200.0000", "20000000", 5, "must be between the minimum 199 and the maximum 200.25"},
        BrokenProfile{"150.0000", "        ", 6, "invalid value \"CAM_run1\" for the number of PETs"},
        BrokenProfile{"180.0000", "200.3000", 6,
                      "a maximum of 200.3 s, but the region around it (\"[ATM] RunPhase1\", line 5) takes at "
                      "most 200.25 s"},
        BrokenProfile{"150.0000", "152.0000", 7, "the regions in \"[ATM] RunPhase1\" (line 5) take longer"},
        BrokenProfile{" CAM_run1 ", "CAM_run1  ", 6, "fits to no region above"},
        BrokenProfile{"          CAM_run1 ", "            CAM_run1 ", 6, "lines are missing above"},
        BrokenProfile{"          CAM_run1 ", "  CAM_run1         ", 6, "second outermost region"},
        BrokenProfile{"64     64     480      150.0000", "65     64     480      150.0000", 6,
                      "65 PETs, but the region around it (\"[ATM] RunPhase1\", line 5) has 64"},
        BrokenProfile{"CAM_run1" + std::string(33, ' '), "", 6, "no name of a region"},
        BrokenProfile{"          CAM_run2", "Region PETs PEs CAM_run2", 7, "second ESMF profile"}));

TEST(EsmfProfileParser, RejectsRepeatedLine) {
  const std::string text = esmf_example().str();
  const std::size_t begin = text.rfind('\n', text.size() - 2) + 1;
  EXPECT_ERROR(parse_esmf_profile(text + text.substr(begin), "summary"), bad_input, ": repeats line ");
}

TEST(EsmfProfileParser, RejectsEveryTruncatedLine) {
  const std::string text = esmf_example().str();
  const std::size_t last_line = text.rfind('\n', text.size() - 2) + 1;
  for (std::size_t size = last_line + 1; size < text.size(); ++size)
    EXPECT_ERROR(parse_esmf_profile(text.substr(0, size), "summary"), bad_input,
                 "the file ends in this line");
}

}  // namespace
}  // namespace plimsoll::pelayout
