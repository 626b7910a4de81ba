// Interrupts commands that write files, at random moments.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <random>
#include <thread>

#include "cli/commands/collectives/profile.hpp"
#include "cli/program.hpp"
#include "collectives/log_builder.hpp"
#include "common/shared_data.hpp"
#include "safety/program_run.hpp"

namespace plimsoll::testing {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int moments = 20;

class Interrupt : public ::testing::Test {
 protected:
  std::vector<std::string> generate(const std::string& to, int phases) const {
    return generate_command(to, 40, static_cast<unsigned>(phases), 300);
  }

  /// A command that was interrupted.
  struct Interrupted {
    std::string said;              ///< its stderr
    std::set<std::string> before;  ///< names in `folder_` / "out" before the command started
    std::set<std::string> whole;   ///< names in `folder_` / "out" after a run without interruption
  };

  /// Runs the command, which writes to `folder_` / "out", and sends SIGINT at random moments. Calls `prepare`
  /// before each run, and `check` after each run that was interrupted. Without `prepare`, every other run
  /// starts with an empty directory.
  void interrupt(const std::vector<std::string>& command, const std::function<void()>& prepare,
                 const std::function<void(const Interrupted&)>& check) {
    const std::string out = folder_ / "out";
    empty_out();
    if (prepare) prepare();
    const auto begin = Clock::now();
    ASSERT_EQ(status_of(start(command, folder_ / "printed", {}, folder_ / "said")), 0)
        << folder_.read("said");
    const std::set<std::string> whole = names_in(out);
    ASSERT_FALSE(whole.empty());
    const auto whole_us = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
    std::mt19937 random(20261122);
    int answered = 0;
    for (int moment = 0; moment < moments; ++moment) {
      if (moment % 2 == 0 || prepare) empty_out();
      if (prepare) prepare();
      const std::set<std::string> before = names_in(out);
      folder_.write("said", "");  // the signal may arrive before the process opens this file
      const pid_t process = start(command, folder_ / "printed", {}, folder_ / "said");
      std::this_thread::sleep_for(std::chrono::microseconds(random() % static_cast<unsigned>(whole_us)));
      ::kill(process, SIGINT);
      const int status = status_of(process);
      const std::string said = folder_.read("said");
      SCOPED_TRACE(fmt::format("moment {}, status {}, said: {}", moment, status, said));
      if (status == 0) continue;
      EXPECT_EQ(status, 130);
      check({said, before, whole});
      answered += said.empty() ? 0 : 1;
    }
    EXPECT_GT(answered, 0) << "no signal came in time";
  }

  /// Checks the one line that an interrupted command prints. Returns whether it has written files.
  static bool says_that_it_wrote(const Interrupted& run) {
    const bool wrote = run.said.find("complete") != std::string::npos;
    if (wrote)  // warnings and reports may precede this line
      EXPECT_THAT(run.said, ::testing::ContainsRegex("(^|\n)plimsoll: interrupted; [^\n]*\n$"));
    else  // a signal before main() ends the program silently
      EXPECT_THAT(run.said, ::testing::AnyOf("", "plimsoll: interrupted; nothing was written\n"));
    return wrote;
  }

  /// Interrupts a command that writes all files or none.
  void interrupt(const std::vector<std::string>& command, const std::function<void()>& prepare = {}) {
    interrupt(command, prepare, [&](const Interrupted& run) {
      EXPECT_EQ(names_in(folder_ / "out"), says_that_it_wrote(run) ? run.whole : run.before);
    });
  }

  /// Writes the files of a profile to `folder_` / "profile".
  void write_example_profile() {
    constexpr int ranks = 40;
    std::vector<std::vector<int>> bytes(ranks, std::vector<int>(ranks));
    for (int rank = 0; rank < ranks; ++rank) bytes[rank][(rank * 7 + 3) % ranks] = 1000 * rank;
    std::filesystem::create_directory(folder_ / "profile");
    write_profile(folder_ / "profile", bytes, 100);
  }

  /// Writes partial files like those that a killed program leaves.
  void write_cut_streams(const std::string& name) {
    constexpr int n_ranks = 20;
    if (streams_.empty()) {
      const std::string whole = folder_ / "whole";
      ASSERT_EQ(status_of(start(generate_command(whole, n_ranks, 8, 300), folder_ / "said")), 0);
      for (int rank = 0; rank < n_ranks; ++rank) {
        std::string& stream =
            streams_.emplace_back(file_content(fmt::format("{}/data.{}.json.br", whole, rank)));
        stream.resize(stream.size() * 3 / 4);
      }
    }
    std::filesystem::create_directory(folder_ / name);
    for (int rank = 0; rank < n_ranks; ++rank)
      folder_.write(fmt::format("{}/data.{}.json.br.partial", name, rank),
                    streams_[static_cast<std::size_t>(rank)]);
  }

  void empty_out() const {
    std::filesystem::remove_all(folder_ / "out");
    std::filesystem::create_directory(folder_ / "out");
  }

  TemporaryFolder folder_;
  std::vector<std::string> streams_;
};

TEST_F(Interrupt, RemovesPartialOutputOfGenerate) {
  interrupt(generate(folder_ / "out", 4));
}

TEST_F(Interrupt, RemovesPartialOutputOfBalance) {
  ASSERT_EQ(status_of(start(generate(folder_ / "in", 2), folder_ / "said")), 0);
  interrupt({PLIMSOLL_PROGRAM, "balance", folder_ / "in", "--strategy", "GreedyLB", "-o", folder_ / "out",
             "--force"});
}

TEST_F(Interrupt, RemovesPartialOutputOfRepair) {
  write_cut_streams("in");
  // Each file is repaired separately.
  interrupt({PLIMSOLL_PROGRAM, "repair", folder_ / "in", "-o", folder_ / "out/", "--force"}, {},
            [&](const Interrupted& run) {
              const std::set<std::string> names = names_in(folder_ / "out");
              EXPECT_THAT(run.whole, ::testing::IsSupersetOf(names));
              EXPECT_TRUE(says_that_it_wrote(run) || names == run.before);
            });
}

TEST_F(Interrupt, RemovesPartialOutputOfRepairInPlace) {
  interrupt({PLIMSOLL_PROGRAM, "repair", folder_ / "out"}, [&] { write_cut_streams("out"); });
}

TEST_F(Interrupt, RemovesPartialOutputOfMerge) {
  std::filesystem::create_directory(folder_ / "logs");
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    LogBuilder log(rank, 2);
    log.communicator(rank, {0, 1});
    for (int row = 0; row < 500; ++row) {
      log.row({.send = {row, 2}, .recv = {rank == 0 ? row : 2, 2}});
      log.calls({.operation = {collectives::Exchange::alltoallv},
                 .item = static_cast<std::uint32_t>(row),
                 .index = static_cast<std::uint64_t>(row)});
    }
    folder_.write(fmt::format("logs/plimsoll-7.rank{}.log", rank), log.finished().bytes());
  }
  interrupt({PLIMSOLL_PROGRAM, "collectives", "merge", folder_ / "logs", "-o", folder_ / "out", "--force"});
}

TEST_F(Interrupt, RemovesPartialOutputOfExport) {
  write_example_profile();
  interrupt({PLIMSOLL_PROGRAM, "collectives", "export", folder_ / "profile", "--lb-data", folder_ / "out",
             "--force"});
}

TEST_F(Interrupt, RemovesPartialOutputOfPatterns) {
  write_example_profile();
  interrupt({PLIMSOLL_PROGRAM, "collectives", "patterns", folder_ / "profile", "--write", folder_ / "out",
             "--force"});
}

TEST_F(Interrupt, RemovesPartialOutputOfMatrix) {
  write_example_profile();
  interrupt({PLIMSOLL_PROGRAM, "collectives", "matrix", folder_ / "profile", "--csv",
             folder_ / "out/matrix.csv", "--svg", folder_ / "out/matrix.svg", "--force"});
}

TEST_F(Interrupt, RemovesPartialOutputOfReorder) {
  write_example_profile();
  folder_.write("hosts", "a\nb\nc\nd\n");
  interrupt({PLIMSOLL_PROGRAM, "collectives", "reorder", folder_ / "profile", "--nodes", folder_ / "hosts",
             "--format", "openmpi-rankfile", "-o", folder_ / "out/rankfile", "--force"});
}

TEST_F(Interrupt, RemovesPartialOutputOfLayoutSolve) {
  interrupt({PLIMSOLL_PROGRAM, "layout", "solve", "--milp_input", own_path("cime/example.json"),
             "--pe_output", folder_ / "out/pes.xml", "--timeline_svg", folder_ / "out/timeline.svg",
             "--json_output", folder_ / "out/problem.json", "--graph_models", folder_ / "out/models.svg",
             "--force"});
}

#ifdef PROFILED_PROGRAM
// The profiled program is interrupted too. Its logs then remain, with all calls so far. A program that is
// interrupted while it creates its log leaves a file without content, which `collectives merge` ignores.
TEST_F(Interrupt, LeavesCompleteProfileOrLogs) {
  const std::string out = folder_ / "out";
  // Returns whether the logs contain calls. A program that was interrupted before its first call has none.
  const auto merge_logs = [&] {
    const pid_t merge = start({PLIMSOLL_PROGRAM, "collectives", "merge", out, "--force", "--remove-logs"},
                              folder_ / "merged");
    const int status = status_of(merge);
    const bool has_calls = folder_.read("merged").find("nothing to write") == std::string::npos;
    EXPECT_EQ(status, has_calls ? 0 : 1) << folder_.read("merged");
    return has_calls;
  };
  const auto empty = [] {};  // every run begins with an empty directory
  interrupt(
      {PLIMSOLL_PROGRAM, "profile", "-o", out, "--force", "--", PROFILED_PROGRAM, "never", folder_.path()},
      empty, [&](const Interrupted& run) {
        EXPECT_THAT(run.said, ::testing::MatchesRegex("(plimsoll: [^\n]*\n)?")) << "one line";
        const bool is_merged = run.said.find("are not merged") != std::string::npos && merge_logs();
        const bool has_profile = is_merged || run.said.find("the profile is in") != std::string::npos;
        EXPECT_THAT(names_in(out), ::testing::IsSupersetOf(has_profile ? run.whole : run.before));
        for (const std::string& name : names_in(out)) {
          const bool is_log = name.starts_with("plimsoll-") && name.ends_with(".log");
          EXPECT_TRUE(has_profile || is_log) << name;
          EXPECT_THAT(name, ::testing::Not(::testing::ContainsRegex("\\.(unfinished|publishing)$")));
        }
      });
}
#endif

}  // namespace
}  // namespace plimsoll::testing
