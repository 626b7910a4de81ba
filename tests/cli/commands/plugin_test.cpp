#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/json.hpp"
#include "cli/program.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string bad_lb = PLIMSOLL_TEST_PLUGINS "/bad_lb.so";

TEST(Plugin, IsShownLikeBuiltInStrategy) {
  const Outcome outcome = run_plimsoll({"strategies", bad_lb});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("BadLB: fails in the way that its parameter selects\n"));
  EXPECT_THAT(outcome.out, HasSubstr("plimsoll balance DIR --strategy " + bad_lb + " --param defect=none\n"));
  EXPECT_EQ(Json(run_plimsoll({"strategies", bad_lb, "--json"}).out).text("/strategies/0/name"), "BadLB");
}

TEST(Plugin, BalancesDataSet) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const Outcome outcome =
      run_plimsoll({"balance", folder / "data", "--strategy", bad_lb, "--param", "defect=none", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Json(outcome.out).text("/strategy"), "BadLB");
}

TEST(Plugin, ShowsRemarksInAllOutputs) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const std::vector<std::string> balance = {"balance", folder / "data", "--strategy", bad_lb};
  const std::vector<std::string> compare = {"compare", folder / "data", "--strategies", bad_lb};
  const auto as_json = [](std::vector<std::string> command) {
    command.emplace_back("--json");
    return Json(run_plimsoll(command).out);
  };
  EXPECT_THAT(run_plimsoll(balance).out, HasSubstr("\nThree steps were necessary.\n"));
  EXPECT_THAT(run_plimsoll(compare).out, HasSubstr(bad_lb + ": Three steps were necessary.\n"));
  EXPECT_EQ(as_json(balance).number("/remarks/steps"), 3);
  EXPECT_EQ(as_json(compare).number("/strategies/0/remarks/steps"), 3);
}

TEST(Plugin, FailsWithoutStoppingComparison) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const std::string plugins = bad_lb + "," + bad_lb + "(defect=work throws exception)";
  const Outcome outcome = run_plimsoll({"compare", folder / "data", "--strategies", "NoLB," + plugins});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("*  " + bad_lb + " "));
  EXPECT_THAT(outcome.out, HasSubstr("(defect=work throws exception) failed: "));
  EXPECT_THAT(outcome.out, HasSubstr("work() of this plug-in threw \"cannot continue\""));
}

TEST(Plugin, ReportsFailureAndSetsExitCode) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const auto expect = [&](const std::string& plugin, const std::string& defect, int status,
                          const std::string& text) {
    std::vector<std::string> command = {"balance", folder / "data", "--strategy", plugin,
                                        "-o",      folder / "out"};
    if (!defect.empty()) command.insert(command.end(), {"--param", "defect=" + defect});
    const Outcome outcome = run_plimsoll(command);
    EXPECT_EQ(outcome.status, status) << plugin << " " << defect;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(text));
    EXPECT_EQ(run_plimsoll({"info", folder / "out"}).status, 3) << "the command wrote a data set";
  };
  const auto plugin = [](const std::string& name) { return PLIMSOLL_TEST_PLUGINS "/" + name + ".so"; };
  expect("./libNone.so", "", 3, "./libNone.so: cannot open this plug-in");
  expect(plugin("no_entry_point"), "", 1, "no_entry_point.so: not a plug-in");
  expect(plugin("other_version"), "", 1, "interface version 99");
  expect(plugin("info_throws_exception"), "", 1, "cannot describe it");
  expect(bad_lb, "make throws exception", 1, "cannot continue");
  expect(bad_lb, "work throws exception", 1, "work() of this plug-in threw \"cannot continue\"");
  expect(bad_lb, "work throws anything", 1, "not derived from std::exception");
  expect(bad_lb, "work throws usage error", 2, "invalid setting");
  expect(bad_lb, "sentinel", 1, "which is not migratable");
  expect(bad_lb, "beyond", 1, "LDStats has only 2");
}

}  // namespace
}  // namespace plimsoll::testing
