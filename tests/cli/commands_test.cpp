#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli/program.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Expects that a usage error prints one line, to stderr only.
void expect_usage_error(const Outcome& outcome, const std::string& what) {
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("plimsoll: error: "));
  EXPECT_THAT(outcome.err, HasSubstr(what));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST(CommandLine, PrintsVersion) {
  const Outcome outcome = run_plimsoll({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, ::testing::MatchesRegex("plimsoll [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(CommandLine, StartsHelpWithExamples) {
  EXPECT_THAT(run_plimsoll({"--help"}).out, StartsWith("Examples:\n  plimsoll "));
  for (const std::string subcommand : {"validate", "info", "generate", "balance", "strategies"}) {
    const Outcome outcome = run_plimsoll({subcommand, "--help"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, StartsWith("Examples:\n  plimsoll " + subcommand));
    EXPECT_THAT(outcome.out, HasSubstr("Usage: plimsoll " + subcommand));
  }
}

TEST(CommandLine, RequiresSubcommand) {
  expect_usage_error(run_plimsoll({}), "see plimsoll --help");
}

TEST(CommandLine, SuggestsSubcommandsAndOptions) {
  expect_usage_error(run_plimsoll({"valdate", "x"}), "did you mean \"validate\"?");
  expect_usage_error(
      run_plimsoll({"xyzzy"}),
      "available: validate, info, compare-data, generate, import, balance, compare, replay, report, serve, "
      "export, convert, repair, strategies");
  expect_usage_error(run_plimsoll({"lbaf"}), "unknown subcommand \"lbaf\" of plimsoll; use plimsoll balance");
  expect_usage_error(run_plimsoll({"info", "--fases", "1", "x"}), "did you mean --phases?");
  // The error must not report the missing --strategy.
  expect_usage_error(run_plimsoll({"balance", "x", "--stratgy=NoLB"}), "did you mean --strategy?");
}

TEST(CommandLine, ReportsMissingAndInvalidArguments) {
  expect_usage_error(run_plimsoll({"info"}), "missing PATH: expected LB data files");
  expect_usage_error(run_plimsoll({"balance", "x"}), "missing --strategy NAME: expected strategy name");
  expect_usage_error(run_plimsoll({"info", "x", "--phases"}), "--phases");
  expect_usage_error(run_plimsoll({"info", "x", "--threads", "many"}), "--threads");
  expect_usage_error(run_plimsoll({"info", "x", "--work", "1,2"}), "use three to five");
  expect_usage_error(run_plimsoll({"info", "x", "--work", "1,2,3,4,5,6"}), "use three to five");
  expect_usage_error(run_plimsoll({"info", "x", "--phases", "5-"}), "expected a number");
  expect_usage_error(run_plimsoll({"validate", "x", "--schema", "2019"}), "--schema");
  expect_usage_error(run_plimsoll({"balance", "x", "--strategy", "NoLB", "--force"}), "--output");
  expect_usage_error(run_plimsoll({"strategies", "NoLB", "GreedyLB"}), "unexpected argument");
}

TEST(CommandLine, UsesColourOnTerminalsOnly) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const std::vector<std::string> info = {"info", folder / "data"};
  const std::string escape = "\x1b[";
  EXPECT_THAT(run_plimsoll(info).out, Not(HasSubstr(escape)));
  const std::map<std::string, std::string> environment = {{"TERM", "xterm"}, {"NO_COLOR", ""}};
  EXPECT_THAT(run_plimsoll(info, {.environment = environment, .on_terminal = true}).out, HasSubstr(escape));
}

TEST(CommandLine, HonoursNoColor) {
  const std::map<std::string, std::string> environment = {{"TERM", "xterm"}, {"NO_COLOR", "1"}};
  const Outcome outcome = run_plimsoll({"info", "absent"}, {.environment = environment, .on_terminal = true});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b[")));
}

TEST(CommandLine, PrintsOnlyAsciiIfTheTerminalHasNothingElse) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const auto is_ascii = [&](const std::string& locale, const std::string& terminal) {
    const std::map<std::string, std::string> environment = {{"LC_ALL", locale}, {"TERM", terminal}};
    std::string text;
    for (const std::string name : {"data", "d\xC3\xA4ta"})
      text += run_plimsoll({"info", folder / name}, {.environment = environment, .on_terminal = true}).out;
    return std::ranges::all_of(text, [](char letter) { return static_cast<unsigned char>(letter) < 0x80; });
  };
  EXPECT_TRUE(is_ascii("C", "xterm"));
  EXPECT_TRUE(is_ascii("C.UTF-8", "dumb"));
  EXPECT_FALSE(is_ascii("C.UTF-8", "xterm"));
}

TEST(CommandLine, ReportsFailedWriteToStdout) {
  const Outcome outcome = run_plimsoll({"strategies"}, {.stdout_path = "/dev/full"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("standard output: cannot write: No space left on device"));
}

TEST(CommandLine, EndsSilentlyIfStdoutIsClosed) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"strategies"},
                                                {"models"},
                                                {"profile", "--help"},
                                                {"validate", folder / "data", "--json"}}) {
    const Outcome outcome = run_plimsoll(words, {.to_closed_pipe = true});
    EXPECT_EQ(outcome.status, 128 + SIGPIPE) << words[0];
    EXPECT_EQ(outcome.err, "") << words[0];
  }
}

#ifdef PLIMSOLL_CONTRACTS
TEST(CommandLine, ShowsDevelopersWhereTheErrorWasReported) {
  const Outcome plain = run_plimsoll({"info", "absent"});
  const Outcome verbose = run_plimsoll({"info", "absent"}, {.environment = {{"PLIMSOLL_SHOW_ORIGIN", "1"}}});
  EXPECT_THAT(plain.err, Not(HasSubstr("reported at")));
  EXPECT_THAT(verbose.err, StartsWith(plain.err));
  EXPECT_THAT(verbose.err, HasSubstr("plimsoll: reported at "));
  EXPECT_THAT(verbose.err, HasSubstr(".cpp:"));
}
#endif

}  // namespace
}  // namespace plimsoll::testing
