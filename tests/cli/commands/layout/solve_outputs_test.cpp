// Tests the files that `plimsoll layout solve` writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include <plimsoll/pelayout/pes_file.hpp>

#include "cli/commands/layout/solve.hpp"
#include "cli/json.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(LayoutSolve, SavesProblemForLaterRuns) {
  const std::string kept = folder_ / "problem.json";
  const Words question = {"--timing_dir",    timing_,
                          "--total_tasks",   "64",
                          "--blocksize",     "2",
                          "--blocksize_ATM", "4",
                          "--layout",        "(ATM ; LND) | OCN",
                          "--json_output",   kept};
  const Outcome first = solve(question + Words{"-s"});
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("NBLOCKS_ATM = "));
  EXPECT_EQ(solve({"--json_input", kept, "-s"}).out, first.out);
  EXPECT_EQ(Json(file_content(kept)).integer("/totaltasks"), 64);
  EXPECT_EQ(Json(file_content(kept)).text("/layout"), "(ATM ; LND) | OCN");
  // The command line takes precedence.
  EXPECT_THAT(solve({"--json_input", kept, "-s", "--total_tasks", "32"}).out,
              HasSubstr("NTASKS_TOTAL = 32\n"));
  // Existing files are not overwritten by accident.
  EXPECT_EQ(solve(question).status, 2);
  EXPECT_THAT(solve(question).err, HasSubstr("--force"));
  EXPECT_EQ(solve(question + Words{"--force"}).status, 0);
}

TEST_F(LayoutSolve, WritesAllFilesOrNone) {
  const std::string problem = folder_ / "problem.json";
  const Words outputs = {"--milp_output", problem, "--timeline_svg", folder_ / "layout.svg"};
  const auto fails_with = [&](const Words& more) {
    const Outcome outcome = solve(Words{"--milp_input", example_} + outputs + more + as_cime_);
    EXPECT_NE(outcome.status, 0);
    for (const char* name : {"problem.json", "problem.json.unfinished", "layout.svg"})
      EXPECT_FALSE(folder_.has(name)) << name << ", " << outcome.err;
  };
  fails_with({"--total_tasks", "1"});
  fails_with({"--next_runs", folder_ / "none/runs.xml"});
  fails_with({"--graph_models", folder_ / "none/models.svg"});
}

TEST_F(LayoutSolve, OverwritesRegularFilesOnly) {
  for (const char* output : {"--milp_output=a.json", "--pe_output=a.xml", "--timeline_svg=a.svg",
                             "--graph_models=b.svg", "--next_runs=b.xml"}) {
    const std::string option = std::string(output).substr(0, std::string_view(output).find('='));
    const std::string name = std::string(output).substr(option.size() + 1);
    const auto refusal = [&](const std::string& path) {
      const Outcome outcome =
          solve(Words{"--milp_input", example_, option + "=" + path, "--force"} + as_cime_);
      EXPECT_EQ(outcome.status, 2) << output;
      return outcome.err;
    };
    const std::string fifo = folder_ / ("fifo_" + name);
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_THAT(refusal(fifo), HasSubstr("is a FIFO, which cannot be replaced by a file; use another name"));
    EXPECT_TRUE(std::filesystem::is_fifo(fifo));

    const std::string link = folder_ / ("link_" + name);
    const std::string target = folder_.write("target_" + name, "kept");
    std::filesystem::create_symlink(target, link);
    EXPECT_THAT(refusal(link), HasSubstr("is a symbolic link"));
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(file_content(target), "kept");
  }
  const Outcome device =
      solve(Words{"--milp_input", example_, "--pe_output", "/dev/full", "--force"} + as_cime_);
  EXPECT_EQ(device.status, 2);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(LayoutSolve, WritesPeFile) {
  const Outcome outcome =
      solve(Words{"--milp_input", example_, "--pe_output", folder_ / "pes.xml"} + as_cime_);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Wrote " + folder_ / "pes.xml"));
  const pelayout::PesFile file = pelayout::read_pes_file(folder_ / "pes.xml");
  ASSERT_EQ(file.entries.size(), 1U);
  EXPECT_EQ(file.entries[0].components.at("ATM").tasks, 960);
  EXPECT_EQ(file.entries[0].components.at("OCN").root, 960);
  EXPECT_EQ(file.entries[0].components.at("LND").root, 640);
}

TEST_F(LayoutSolve, DrawsModelsAndLayout) {
  const Outcome outcome = solve({"--milp_input", example_, "--graph_models", folder_ / "models.svg",
                                 "--timeline_svg", folder_ / "l.svg"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(file_content(folder_ / "models.svg"), AllOf(HasSubstr("<svg"), HasSubstr("ATM")));
  EXPECT_THAT(file_content(folder_ / "l.svg"), AllOf(HasSubstr("<svg"), HasSubstr("OCN")));
  const Outcome without = solve({"--milp_input", example_});
  const Outcome terminal = solve({"--milp_input", example_, "--graph-models"});
  EXPECT_EQ(terminal.status, 0) << terminal.err;
  EXPECT_GT(terminal.out.size(), without.out.size() + 1000);
}

}  // namespace
}  // namespace plimsoll::testing
