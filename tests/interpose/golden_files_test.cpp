// Runs programs, in C and with each Fortran interface, whose collectives the collective profiler has already
// recorded (data/README.md). Plimsoll's files must equal those of the collective profiler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <regex>
#include <sstream>

#include <plimsoll/collectives/files.hpp>

#include "common/shared_data.hpp"
#include "interpose/merged_run.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::Le;
using ::testing::Lt;
using ::testing::SizeIs;

using Files = std::map<std::string, std::string>;  // file contents by name

struct Language {
  std::string name;
  std::string program;
};

void PrintTo(const Language& language, std::ostream* out) {
  *out << language.name;
}

constexpr const char* c_program = "golden_cases_c";

std::vector<Language> languages() {
  std::vector<Language> languages = {{"c", c_program}};
#ifdef PLIMSOLL_TEST_FORTRAN
  for (const std::string interface : {"mpif_h", "mpi_module", "mpi_f08"})
    languages.push_back({interface, "golden_cases_" + interface});
#endif
  return languages;
}

// A case of golden_cases, and the directories with its golden files.
struct Case {
  std::string name;
  std::vector<std::string> golden;
  bool only_in_c = false;  ///< it differs from another case in its counts only, which all languages pass on
};

constexpr const char* not_compact = "a2av_counts_notcompact";

const std::vector<Case>& cases() {
  static const std::vector<Case> cases = {
      {"alltoallv", {"a2av_counts", not_compact}, true},
      {"multi", {"a2av_multi_counts"}},
      {"types", {"a2av_dt_counts"}},
      {"sparse", {"edge_sparse"}, true},
      {"reversed", {"edge_rev"}, true},
      {"allgatherv", {"ag_counts"}},
      {"alltoall", {"a2a_simple_counts_compact"}},
  };
  return cases;
}

Files golden_files(const std::string& folder) {
  const std::string path = shared_path("data/alltoallv/" + folder);
  Files files;
  for (const std::string& name : files_in(path)) files[name] = file_content(path + "/" + name);
  return files;
}

// Returns the files with counts and their summaries. Skips all other files, because the collective profiler
// does not write them.
Files counter_files(const std::string& folder) {
  static const std::regex counters("(send|recv)-counters.*|counts.*|profile_.*");
  Files files;
  for (const std::string& name : files_in(folder))
    if (std::regex_match(name, counters)) files[name] = file_content(folder + "/" + name);
  return files;
}

std::string replaced(const std::string& text, const std::string& pattern, const std::string& replacement) {
  return std::regex_replace(text, std::regex(pattern), replacement);
}

// Applies the three known differences to the golden files: true ranges of calls, merged equal rows of
// Alltoall, and no unset fields.
Files with_exceptions(Files files, const std::string& golden) {
  for (auto& [name, text] : files) {
    if (golden == "a2av_multi_counts" && name.ends_with("counters.job0.rank2.txt"))
      text = replaced(text, "calls 0-1\n", "calls 0-2\n");
    if (golden == "edge_rev" && name.ends_with("counters.job0.rank0.txt"))
      text = replaced(text, "calls 0-0\n", "calls 1-1\n");
    if (golden == "a2a_simple_counts_compact")
      text = replaced(text, "Rank\\(s\\) 0: 8 \nRank\\(s\\) 1: 8 \nRank\\(s\\) 2: 8 \nRank\\(s\\) 3: 8 \n",
                      "Rank(s) 0-3: 8 \n");
    text = replaced(text, " \\(limit is 0; -1 means no limit\\)", "");
    text = replaced(text,
                    "#### Amount of data per rank\nPer-rank data is disabled\n\n"
                    "#### Number of zeros\nPer-rank data is disabled\nTotal: 0/[0-9]+ \\(0\\.000000%\\)\n\n"
                    "#### Data size min/max\nDISABLED\n\n"
                    "#### Small vs. large messages\nDISABLED\n\n\n"
                    "#### Grouping based on the total amount per ranks\n\nDISABLED\n\n",
                    "");
  }
  return files;
}

// Returns the files that are written of a profile.
Files files_of(const collectives::Profile& profile, const std::string& golden, bool legacy_text) {
  const TemporaryFolder folder;
  const bool compact = golden != not_compact;
  write(profile, folder.path(), {.compact = compact, .dotted_names = !compact, .legacy_text = legacy_text});
  return counter_files(folder.path());
}

class GoldenFiles : public ::testing::TestWithParam<std::tuple<TestedMpi, Language>> {
 protected:
  static MpiRun program(const std::string& name, const std::string& options) {
    const auto& [mpi, language] = GetParam();
    return {.mpi = mpi, .program = mpi.program(language.program), .arguments = {name}, .options = options};
  }
};

TEST_P(GoldenFiles, AreReproducedWithLegacyTextAndOtherwiseExceptForListedDifferences) {
  PLIMSOLL_NEED_SHARED("data/alltoallv");
  for (const Case& its_case : cases()) {
    if (its_case.only_in_c && std::get<Language>(GetParam()).program != c_program) continue;
    const collectives::MergeResult merged = merged_run(program(its_case.name, "counts"));
    EXPECT_THAT(merged.findings, ::testing::IsEmpty());
    for (const std::string& golden : its_case.golden) {
      EXPECT_EQ(files_of(merged.profile, golden, true), golden_files(golden)) << golden;
      EXPECT_EQ(files_of(merged.profile, golden, false), with_exceptions(golden_files(golden), golden))
          << golden;
    }
  }
}

// Returns the numbers in a file of times: one per line after "# Call 0".
std::vector<double> times_in(const std::string& text) {
  const std::string head = "FORMAT_VERSION: 9\n\n# Call 0\n";
  EXPECT_EQ(text.substr(0, head.size()), head);
  EXPECT_TRUE(text.ends_with("\n\n")) << text;
  std::istringstream rest(text.substr(std::min(head.size(), text.size())));
  return {std::istream_iterator<double>(rest), {}};
}

std::string masked(const std::string& text) {
  return replaced(replaced(text, "PIDs: [0-9, -]+\n", "PIDs: *\n"), "(Rank [0-9]+): .*", "$1: *");
}

TEST_P(GoldenFiles, MatchTimeAndLocationFilesExceptForMeasuredValues) {
  PLIMSOLL_NEED_SHARED("data/alltoallv");
  const TemporaryFolder folder;
  const Outcome outcome =
      run(program("alltoallv", "no-counts,times,late-arrival,locations,folder=" + folder.path()));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(counter_files(folder.path()), Files());

  for (const std::string golden : {"a2av_exec_timings", "a2av_late_arrival", "a2av_location"})
    for (const auto& [name, text] : golden_files(golden))
      EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  EXPECT_EQ(file_content(folder / "alltoallv_comm_data_rank0.md"),
            golden_files("a2av_location")["alltoallv_comm_data_rank0.md"]);
  const std::string locations = file_content(folder / "alltoallv_locations_comm0_rank0.md");
  EXPECT_EQ(masked(locations), masked(golden_files("a2av_location")["alltoallv_locations_comm0_rank0.md"]));
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  EXPECT_NE(locations.find("\tRank 3: " + std::string(host) + "\n"), std::string::npos);

  EXPECT_THAT(times_in(file_content(folder / "alltoallv_execution_times.rank0_comm0_job0.md")),
              AllOf(SizeIs(4), Each(AllOf(Gt(0.0), Lt(60.0)))));
  const auto late = times_in(file_content(folder / "alltoallv_late_arrival_times.rank0_comm0_job0.md"));
  EXPECT_THAT(late, AllOf(SizeIs(4), Each(AllOf(Ge(0.0), Lt(60.0)))));
  EXPECT_THAT(late, ::testing::Contains(0.0));
}

class GoldenFilesOfC : public ::testing::TestWithParam<TestedMpi> {};

TEST_P(GoldenFilesOfC, AreWrittenInMpiFinalizeWithGivenOptions) {
  PLIMSOLL_NEED_SHARED("data/alltoallv");
  const TemporaryFolder folder;
  const Outcome outcome =
      run({.mpi = GetParam(),
           .program = GetParam().program(c_program),
           .arguments = {"alltoallv"},
           .options = "counts,not-compact,dotted-names,legacy-text,folder=" + folder.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(counter_files(folder.path()), golden_files(not_compact));
}

INSTANTIATE_TEST_SUITE_P(Of, GoldenFilesOfC, ::testing::ValuesIn(tested_mpis()), name_of_mpi);
INSTANTIATE_TEST_SUITE_P(
    Of, GoldenFiles, ::testing::Combine(::testing::ValuesIn(tested_mpis()), ::testing::ValuesIn(languages())),
    [](const auto& tested) { return std::get<0>(tested.param).name + "_" + std::get<1>(tested.param).name; });

}  // namespace
}  // namespace plimsoll::testing
