#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>

#include "cli/program.hpp"
#include "common/temporary_folder.hpp"

namespace plimsoll::testing {
namespace {

constexpr int ranks = 2;
constexpr int killed_in_phase = 3;

// Runs the program until a rank kills itself. Returns whether it has ended, and not by itself.
bool is_killed(const std::string& folder) {
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string phase = std::to_string(killed_in_phase);
    ::execl(LAUNCHER, LAUNCHER, "-n", "2", KILLED_WHILE_BALANCING, folder.c_str(), phase.c_str(), nullptr);
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return !WIFEXITED(status) || WEXITSTATUS(status) > 1;
}

TEST(KilledWhileBalancing, LeavesDataOfAllEarlierPhases) {
  const TemporaryFolder folder;
  const std::string data = folder.path() + "/data";
  ASSERT_TRUE(is_killed(data));
  const Outcome outcome = run_plimsoll({"repair", data});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  std::vector<lbdata::RankFile> files;
  for (int rank = 0; rank < ranks; ++rank)
    files.push_back({rank, fmt::format("{}/data.{}.json.br", data, rank)});
  for (const Diagnostic& finding : lbdata::validate(files).findings) ADD_FAILURE() << finding.what;
  const lbdata::Dataset dataset = lbdata::read(files).dataset;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    ASSERT_EQ(dataset.ranks[rank].phases.size(), std::size_t{killed_in_phase});
    for (std::size_t phase = 0; phase < killed_in_phase; ++phase) {
      const std::size_t objects = phase % 2 == rank ? 10 : 0;  // RotateLB moves all objects after each phase
      EXPECT_EQ(dataset.ranks[rank].phases[phase].tasks.size(), objects + 1) << "with the rank object";
    }
  }
}

}  // namespace
}  // namespace plimsoll::testing
