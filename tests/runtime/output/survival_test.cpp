// Tests that all finished phases survive if a program is killed or its disk is full.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>

#include "cli/program.hpp"

namespace plimsoll::testing {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int ranks = 2;
constexpr const char* max_file_bytes = "20000";  // simulates a full disk

// Writes the program's output to DIR.err.
pid_t launch(const std::string& folder, const std::string& kind, const std::string& on_write_error,
             const std::string& phases, const std::string& limit = "") {
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (::freopen((folder + ".err").c_str(), "w", stderr) == nullptr) ::_exit(126);
  ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // a leak in MPI would change the exit status
  std::vector<std::string> words = {LAUNCHER, "-n", std::to_string(ranks), PHASES_FOR_EVER,
                                    folder,   kind, on_write_error,        phases};
  if (!limit.empty()) words.push_back(limit);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(126);
}

int status_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Progress reported by one rank.
struct Progress {
  pid_t process = 0;
  std::int64_t finished_phases = 0;
};
Progress progress(const std::string& folder, int rank) {
  std::array<std::int64_t, 2> words{};
  std::ifstream(fmt::format("{}/done.{}", folder, rank), std::ios::binary)
      .read(reinterpret_cast<char*>(words.data()), sizeof words);
  return {static_cast<pid_t>(words[0]), words[1]};
}

// Returns whether all threads of a process are in one of these states. Ended processes count
// as dead (X).
bool all_threads_are(pid_t process, std::string_view states) {
  std::error_code gone;
  for (const auto& thread :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), gone)) {
    std::ifstream stat(thread.path() / "stat");
    std::string number;
    std::string name;
    char state = 'X';
    stat >> number >> name >> state;
    if (states.find(state) == std::string_view::npos) return false;
  }
  return true;
}

void wait_until(const std::function<bool()>& condition) {
  const auto limit = Clock::now() + 60s;
  while (!condition() && Clock::now() < limit) std::this_thread::sleep_for(1ms);
  ASSERT_TRUE(condition());
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class MeasuredRun : public ::testing::Test {
 protected:
  // Expects that repaired files are valid and contain all finished phases except the last `but`.
  void expect_finished_phases(const std::string& repaired, const std::string& its_folder,
                              const std::string& kind, std::int64_t but = 0) {
    for (int rank = 0; rank < ranks; ++rank) {
      const std::string file = fmt::format("{}/data.{}.json{}", repaired, rank, kind == "plain" ? "" : ".br");
      const lbdata::ValidationReport report = lbdata::validate({{rank, file}});
      for (const Diagnostic& finding : report.findings) ADD_FAILURE() << file << ": " << finding.what;
      const auto phases = std::move(lbdata::read_text(content(file), file).dataset.ranks[0].phases);
      const Progress its = progress(its_folder, rank);
      EXPECT_GT(its.finished_phases, 0);
      ASSERT_GE(phases.size(), static_cast<std::size_t>(its.finished_phases - but)) << file;
      for (std::size_t k = 0; k < phases.size(); ++k) {
        ASSERT_EQ(phases[k].id, static_cast<std::int64_t>(k)) << file;
        ASSERT_EQ(phases[k].tasks.size(), 41U);
      }
    }
  }

  void repair(const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"repair"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Outcome outcome = run_plimsoll(words);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  }

  // Sends a signal to both ranks, with a short random delay between them.
  void signal_ranks(const std::string& its_folder, int signal) {
    const int first = static_cast<int>(random_() % ranks);
    ::kill(progress(its_folder, first).process, signal);
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 3'000));
    ::kill(progress(its_folder, 1 - first).process, signal);
  }
  void wait_until_all_are(const std::string& its_folder, std::string_view states) {
    for (int rank = 0; rank < ranks; ++rank) {
      wait_until([&] { return all_threads_are(progress(its_folder, rank).process, states); });
    }
  }
  void let_run_a_while() { std::this_thread::sleep_for(std::chrono::microseconds(random_() % 30'000)); }

  std::string new_folder() {
    const std::string name = temporary / fmt::format("run{}", ++runs_);
    std::filesystem::create_directory(name);
    return name;
  }

  const TemporaryFolder temporary;

 private:
  int runs_ = 0;
  std::mt19937 random_{std::random_device{}()};
};

// A stopped process has the same files as a killed one, so each run can test many moments.
TEST_F(MeasuredRun, LosesNoFinishedPhaseOfKilledRanks) {
  const auto begin = Clock::now();
  int moments = 0;
  for (int run = 0; run < 6 && Clock::now() - begin < 8s; ++run) {
    const std::string kind = std::array{"br", "plain", "br_single"}[static_cast<std::size_t>(run % 3)];
    const std::string folder = new_folder();
    const pid_t launcher = launch(folder, kind, "stop", "1000000000");
    wait_until(
        [&] { return progress(folder, 0).finished_phases > 0 && progress(folder, 1).finished_phases > 0; });
    for (int stop = 0; stop < 12 && !HasFailure(); ++stop, ++moments) {
      SCOPED_TRACE(fmt::format("{}, moment {}", kind, stop));
      let_run_a_while();
      signal_ranks(folder, SIGSTOP);
      wait_until_all_are(folder, "TZX");
      repair({folder, "-o", folder + "/rescued/", "--force"});
      expect_finished_phases(folder + "/rescued", folder, kind);
      signal_ranks(folder, SIGCONT);
    }
    SCOPED_TRACE(kind + ", killed");
    let_run_a_while();
    signal_ranks(folder, SIGKILL);
    EXPECT_NE(status_of(launcher), 0);
    wait_until_all_are(folder, "ZX");
    repair({folder});
    expect_finished_phases(folder, folder, kind);
    std::filesystem::remove_all(folder);
    if (HasFailure()) break;
  }
  RecordProperty("moments", moments);
  EXPECT_GT(moments, 0);
}

// States of phases in a run of phases_for_ever that elides phases.
std::vector<lbdata::PhaseState> expected_states(const std::string& kind, std::int64_t phases) {
  using enum lbdata::PhaseState;
  const bool skips = kind.find("spec") != std::string::npos;
  const bool elides = kind.find("identical") != std::string::npos;
  std::vector<lbdata::PhaseState> states;
  std::int64_t written_placement = -1;
  for (std::int64_t phase = 0; phase < phases; ++phase) {
    const std::int64_t placement = phase / 7 % 2;
    const bool is_selected = !skips || phase % 10 >= 8 || phase % 10 <= 3;
    const bool is_identical = elides && placement == written_placement;
    states.push_back(!is_selected ? skipped : is_identical ? identical : recorded);
    if (states.back() == recorded) written_placement = placement;
  }
  return states;
}

TEST_F(MeasuredRun, ListsElidedPhasesOfKilledRanks) {
  for (const std::string kind : {"br_identical", "plain_identical", "single_identical", "br_spec",
                                 "br_spec_identical", "plain_spec_identical"}) {
    SCOPED_TRACE(kind);
    const std::string folder = new_folder();
    std::ofstream(folder + "/spec") << "%10 -2 3";
    const pid_t launcher = launch(folder, kind, "stop", "1000000000");
    wait_until([&] { return progress(folder, 0).finished_phases > 50; });
    let_run_a_while();
    signal_ranks(folder, SIGKILL);
    EXPECT_NE(status_of(launcher), 0);
    wait_until_all_are(folder, "ZX");
    const Outcome outcome = run_plimsoll({"repair", folder});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, Not(HasSubstr("identical phases")));
    for (int rank = 0; rank < ranks; ++rank) {
      const std::string file =
          fmt::format("{}/data.{}.json{}", folder, rank, kind.starts_with("plain") ? "" : ".br");
      const lbdata::ValidationReport report = lbdata::validate({{rank, file}});
      for (const Diagnostic& finding : report.findings) ADD_FAILURE() << file << ": " << finding.what;
      const lbdata::Dataset dataset = lbdata::read({{rank, file}}, {.ranks = lbdata::RankCheck::any}).dataset;
      EXPECT_EQ(dataset.ranks[0].metadata.rank, rank);
      EXPECT_TRUE(dataset.ranks[0].metadata.shared_node);
      const std::int64_t finished = progress(folder, rank).finished_phases;
      const std::vector<lbdata::PhaseState> states = expected_states(kind, finished);
      for (std::int64_t phase = 0; phase < finished; ++phase)
        ASSERT_EQ(dataset.ranks[0].resolve(phase).state, states[static_cast<std::size_t>(phase)])
            << file << ", phase " << phase << " of " << finished;
    }
  }
}

TEST_F(MeasuredRun, ReportsFullDiskOnceOnAllRanks) {
  for (const std::string kind : {"br", "plain", "br_single"}) {
    SCOPED_TRACE(kind);
    const std::string folder = new_folder();
    EXPECT_EQ(status_of(launch(folder, kind, "stop", "100000", max_file_bytes)), 3);
    const std::string err = content(folder + ".err");
    EXPECT_THAT(err, AllOf(HasSubstr("thrown: "), HasSubstr("writing failed"), HasSubstr("File too large")));
    EXPECT_THAT(err, Not(HasSubstr("said: ")));
    repair({folder});
    // The phase that did not fit is missing. The next phase end reports it.
    expect_finished_phases(folder, folder, kind, 1);
  }
}

TEST_F(MeasuredRun, ContinuesOnFullDiskOnRequest) {
  for (const std::string kind : {"br", "plain", "br_single"}) {
    SCOPED_TRACE(kind);
    const std::string folder = new_folder();
    EXPECT_EQ(status_of(launch(folder, kind, "go_on", "1000", max_file_bytes)), 0);
    const std::string err = content(folder + ".err");
    EXPECT_THAT(err, AllOf(HasSubstr("said: writing of LB data has stopped: "), HasSubstr("File too large")));
    EXPECT_EQ(err.find("said: "), err.rfind("said: ")) << "once:\n" << err;
    EXPECT_THAT(err, Not(HasSubstr("thrown: ")));
    for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(progress(folder, rank).finished_phases, 1000);
  }
}

TEST_F(MeasuredRun, ContinuesWithoutStatisticsOnFullDisk) {
  const std::string folder = new_folder();
  EXPECT_EQ(status_of(launch(folder, "statistics", "stop", "1000", "100000")), 0);
  const std::string err = content(folder + ".err");
  EXPECT_THAT(err, AllOf(HasSubstr("said: the statistics file is incomplete: "),
                         HasSubstr("/vt_lb_statistics."), HasSubstr("File too large")));
  EXPECT_EQ(err.find("said: "), err.rfind("said: ")) << "once:\n" << err;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string file = fmt::format("{}/data.{}.json.br", folder, rank);
    EXPECT_TRUE(lbdata::validate({{rank, file}}).findings.empty()) << file;
  }
}

}  // namespace
}  // namespace plimsoll::testing
