#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"
#include "report/page/page_document.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;

class Report : public ::testing::Test {
 protected:
  void SetUp() override { write_small_dataset(folder_ / "data"); }
  std::string page() const { return folder_ / "report.html"; }
  /// Runs the command and returns the document in the page.
  std::string document(std::vector<std::string> inputs) {
    inputs.insert(inputs.begin(), "report");
    inputs.insert(inputs.end(), {"-o", page(), "--force"});
    const Outcome outcome = run_plimsoll(inputs);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return document_of_page(folder_.read("report.html"));
  }
  static std::string printed(const std::vector<std::string>& words) {
    std::string text = run_plimsoll(words).out;
    if (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }

  TemporaryFolder folder_;
};

TEST_F(Report, ContainsOutputOfInfo) {
  const std::string data = folder_ / "data";
  const std::string text = document({data});
  EXPECT_THAT(text, HasSubstr("\"info\":" + printed({"info", data, "--json"})));
  const Json report(text);
  EXPECT_EQ(report.text("/sections/0/kind"), "lb_data");
  EXPECT_EQ(report.text("/sections/0/name"), data);
  EXPECT_EQ(report.text("/command/1"), "report");
  EXPECT_DOUBLE_EQ(report.number("/sections/0/quantities/0/values/0/0"), 4.5);
}

TEST_F(Report, ComparesStrategiesWithLoadsOfRanks) {
  const Json report(document({folder_ / "data", "--strategies", "GreedyLB,RotateLB"}));
  EXPECT_EQ(report.size("/sections/0/comparison/strategies"), 2U);
  EXPECT_EQ(report.text("/sections/0/comparison/strategies/0/strategy"), "GreedyLB");
  EXPECT_DOUBLE_EQ(report.number("/sections/0/comparison/start/rank_loads_s/0"), 4.5);
  EXPECT_DOUBLE_EQ(report.number("/sections/0/comparison/strategies/0/rank_loads_s/0") +
                       report.number("/sections/0/comparison/strategies/0/rank_loads_s/1"),
                   4.5);
  EXPECT_FALSE(
      Json(document({folder_ / "data", "--strategies", "none"})).has("/sections/0/comparison/phase"));
}

TEST_F(Report, ContainsOutputsOfCollectives) {
  const std::string profile = own_path("alltoallv/forward");
  const std::string text = document({profile});
  for (const char* document : {"summary", "patterns", "calls", "matrix"})
    EXPECT_THAT(text, HasSubstr("\"" + std::string(document) +
                                "\":" + printed({"collectives", document, profile, "--json"})));
}

TEST_F(Report, ContainsDetailsOfAllCallsOfSmallProfile) {
  const std::string profile = own_path("alltoallv/forward");
  const Json report(document({profile}));
  EXPECT_EQ(report.size("/sections/0/details"), 10U);
  const std::size_t runs = report.size("/sections/0/calls/calls");
  ASSERT_EQ(report.size("/sections/0/details_of_runs"), runs);
  const auto number = [&](const std::string& pointer) { return report.number(pointer.c_str()); };
  for (std::size_t run = 0; run < runs; ++run) {
    const std::string call = fmt::format("/sections/0/calls/calls/{}", run);
    const std::string detail =
        fmt::format("/sections/0/details/{}", number(fmt::format("/sections/0/details_of_runs/{}", run)));
    for (const char* key : {"/bytes_per_call", "/communicator_ranks", "/pattern", "/lead"})
      EXPECT_EQ(number(call + key), number(detail + key)) << call;
  }
}

TEST_F(Report, ReadsSingleDataFileWithoutRankInItsName) {
  const std::string file = folder_ / "example.json";
  std::filesystem::copy_file(folder_ / "data/data.0.json", file);
  EXPECT_EQ(Json(document({file})).text("/sections/0/kind"), "lb_data");
}

TEST_F(Report, ShowsSeveralInputsInOrder) {
  const Json report(document({folder_ / "data", folder_ / "data"}));
  EXPECT_EQ(report.size("/sections"), 2U);
}

TEST_F(Report, NeverExecutesNames) {
  const std::string name = "<script>alert(1)</script>";
  std::filesystem::rename(folder_ / "data", folder_ / name.substr(0, 17));
  const std::string data = folder_ / name.substr(0, 17);
  const Json report(document({data}));
  EXPECT_EQ(report.text("/sections/0/name"), data);
  EXPECT_EQ(folder_.read("report.html").find("alert(1)"), std::string::npos);
}

TEST_F(Report, RefusesPhasesWithoutDataAsInfoDoes) {
  const std::string data = folder_ / "data";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"report", data, "-o", page()}, {"info", data}}) {
    std::vector<std::string> with_phases = words;
    with_phases.insert(with_phases.end(), {"--phases", "7"});
    const Outcome outcome = run_plimsoll(with_phases);
    EXPECT_EQ(outcome.status, 2) << words.front();
    EXPECT_THAT(outcome.err,
                HasSubstr("no phase in 7 has data on all ranks; use plimsoll info without --phases"));
  }
  const Outcome outcome = run_plimsoll({"report", data, "-o", page(), "--phase", "7"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no data for phase 7; use a phase of the data set: 0"));
}

TEST_F(Report, WritesSamePageToStdout) {
  const std::string data = folder_ / "data";
  const Outcome printed = run_plimsoll({"report", data, "-o", "-"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_EQ(run_plimsoll({"report", data, "-o", page()}).status, 0);
  const auto viewer = [](std::string page) {
    return page.replace(page.find("id=\"report-data\">"), std::string::npos, "");
  };
  EXPECT_EQ(viewer(printed.out), viewer(folder_.read("report.html")));
  EXPECT_TRUE(printed.out.ends_with("</html>\n"));
  EXPECT_EQ(Json(document_of_page(printed.out)).text("/command/4"), "-");
  const Outcome both = run_plimsoll({"report", data, "-o", "-", "--json"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("--json and -o - both write to stdout"));
}

TEST_F(Report, OverwritesFilesOnlyWithForce) {
  document({folder_ / "data"});
  const Outcome again = run_plimsoll({"report", folder_ / "data", "-o", page()});
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("already exists; use another name, or --force to overwrite it"));
}

// LB data have a rank at this place of their names.
TEST_F(Report, ReadsLayoutWithNumberInItsName) {
  const Outcome solved =
      run_plimsoll({"layout", "solve", "--json_input", own_path("cime/example.json"), "--json"});
  const Json report(document({folder_.write("layout.1.json", solved.out)}));
  EXPECT_EQ(report.text("/sections/0/kind"), "layout");
  EXPECT_EQ(report.text("/sections/0/solution/layout/name"), Json(solved.out).text("/layout/name"));
}

TEST_F(Report, RejectsInputsOfOtherKinds) {
  std::filesystem::create_directory(folder_ / "empty");
  folder_.write("empty/readme.txt", "text");
  folder_.write("other.json", "{\"a\":1}");
  folder_.write("fake.json", R"({"layout":{},"places":[],"models":[],"solution":{}})");
  folder_.write("broken.json", "{\"a\":");
  for (const auto& [input, message] : {std::pair{"empty", "no LB data"},
                                       {"other.json", "neither LB data, nor a profile, nor the output of"},
                                       {"broken.json", "broken.json: invalid JSON"},
                                       {"fake.json", "neither LB data"},
                                       {"missing", "missing"}}) {
    const Outcome outcome = run_plimsoll({"report", folder_ / input, "-o", page()});
    EXPECT_NE(outcome.status, 0) << input;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << input;
    EXPECT_FALSE(std::filesystem::exists(page())) << input;
  }
}

}  // namespace
}  // namespace plimsoll::testing
