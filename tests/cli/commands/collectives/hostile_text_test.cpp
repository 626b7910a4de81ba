// Tests that names in logs and profiles are printed without control characters, to the terminal and to other
// files. They cannot forge lines.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <plimsoll/support/internal/text.hpp>

#include "cli/commands/collectives/profile.hpp"
#include "cli/program.hpp"
#include "collectives/log_builder.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

// Text that sets a window title, clears the screen, contains a C1 control, overrides the text direction, and
// forges two lines.
const std::string hostile =
    "\x1b]0;x\a\x1b[2J\xc2\x9b"
    "7m\xe2\x80\xae\nforged: 1\rforged: 2";

void expect_harmless(const std::string& text, const std::string& where) {
  EXPECT_EQ(support::printable_lines(text), text) << where;
  EXPECT_THAT(text, Not(::testing::ContainsRegex("(^|\n)[ \t]*forged"))) << where;
}

class MaliciousText : public ::testing::Test {
 protected:
  static Outcome expect_harmless_output(std::vector<std::string> command) {
    command.insert(command.begin(), "collectives");
    Outcome outcome = run_plimsoll(command);
    EXPECT_EQ(outcome.status, 0) << ::testing::PrintToString(command) << outcome.err;
    expect_harmless(outcome.out, ::testing::PrintToString(command));
    expect_harmless(outcome.err, ::testing::PrintToString(command));
    return outcome;
  }

  TemporaryFolder folder_;
};

TEST_F(MaliciousText, IsReplacedWhenLogsAreMerged) {
  using collectives::rank_log::Subject;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    LogBuilder log(rank, 2);
    log.name_writer("host" + hostile, "/bin/app" + hostile);
    log.communicator(rank, {0, 1});
    log.row({.send = {1, 2}, .recv = {1, 2}});
    log.module(0, "/lib/module" + hostile);
    log.backtrace(0, {{.module = 0, .reserved = 0, .offset = 16}});
    const LogBuilder::Calls calls = {.operation = {collectives::Exchange::alltoallv}, .count = 3};
    log.calls(calls);
    LogBuilder::Calls places = calls;
    places.subject = Subject::backtrace;
    log.calls(places).finished();
    folder_.write(fmt::format("plimsoll-7.rank{}.log", rank), log.bytes());
  }
  const std::string profile = folder_ / "profile";
  expect_harmless_output({"merge", folder_.path(), "-o", profile});
  for (const auto& file : fs::directory_iterator(profile))
    if (file.path().extension() != ".profile") expect_harmless(file_content(file.path()), file.path());
  EXPECT_THAT(expect_harmless_output({"calls", profile, "--call", "0:0"}).out,
              ::testing::AllOf(HasSubstr("\nCalled from /bin/app?"), HasSubstr("/lib/module?")));
  expect_harmless_output({"calls", profile, "--call", "0:0", "--json"});
}

TEST_F(MaliciousText, IsReplacedWhenProfilesArePrinted) {
  std::string one_line = hostile;
  std::erase(one_line, '\n');
  write_profile(folder_.path(), {{1, 2}, {3, 4}}, 2, {"a" + one_line, "b" + one_line});
  folder_.write(
      "alltoallv_backtrace_rank0_trace0.md",
      fmt::format("FORMAT_VERSION: 9\n\nstack trace for /bin/app{0} pid=7\n\n# Trace\n\nmain{0} [0x10]\n\n"
                  "# Context 0\n\nCommunicator: 0\nCommunicator rank: 0\nCOMM_WORLD rank: 0\nCalls: 0-1\n",
                  one_line));
  EXPECT_THAT(expect_harmless_output({"calls", folder_.path(), "--call", "0:0"}).out,
              ::testing::AllOf(HasSubstr("\nCalled from /bin/app?"), HasSubstr("\n  main?")));
  for (const char* command : {"summary", "patterns", "matrix", "calls"}) {
    expect_harmless_output({command, folder_.path()});
    expect_harmless_output({command, folder_.path(), "--json"});
  }
  expect_harmless_output({"calls", folder_.path(), "--call", "0:0", "--json"});
  expect_harmless_output({"matrix", folder_.path(), "--by-host"});
  expect_harmless_output({"matrix", folder_.path(), "--by-host", "--csv", "-"});
  expect_harmless_output({"matrix", folder_.path(), "--by-host", "--json"});
  expect_harmless_output({"matrix", folder_.path(), "--by-host", "--svg", folder_ / "matrix.svg"});
  expect_harmless(file_content(folder_ / "matrix.svg"), "matrix.svg");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--json"}, {"--format", "list"}, {"--format", "openmpi-rankfile"}}) {
    std::vector<std::string> command = {"collectives", "reorder", folder_.path()};
    command.insert(command.end(), more.begin(), more.end());
    const Outcome outcome = run_plimsoll(command);
    EXPECT_LE(outcome.status, 2);
    expect_harmless(outcome.out, ::testing::PrintToString(command));
    expect_harmless(outcome.err, ::testing::PrintToString(command));
  }
}

}  // namespace
}  // namespace plimsoll::testing
