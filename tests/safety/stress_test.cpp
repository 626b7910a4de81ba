// Eight concurrent processes write to one directory, read it and are killed. The test runs for
// PLIMSOLL_STRESS_S seconds (default: 20) and until each kind of process has succeeded. PLIMSOLL_STRESS_SEED
// is the random seed. Every read must return one complete data set.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <set>
#include <thread>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"
#include "safety/program_run.hpp"

namespace plimsoll::testing {
namespace {

using Clock = std::chrono::steady_clock;

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

// Every data set has as many phases as ranks, so a mixture of two data sets is detected. The exception is a
// repaired data set of one rank that was killed in its first phase: it has no phases.
class Stress : public ::testing::Test {
 protected:
  enum class Kind { record, generate, balance, repair, validate };
  struct Process {
    pid_t id = 0;
    Kind kind = Kind::record;
    Clock::time_point start;
    std::set<int> signals;  // sent to the process
  };

  unsigned number(unsigned below) { return static_cast<unsigned>(random_() % below); }

  static std::vector<std::string> generate(const std::string& to, unsigned ranks) {
    return generate_command(to, ranks, ranks, 3);
  }

  std::vector<std::string> command(Kind kind) {
    switch (kind) {
      case Kind::record: {
        std::vector<std::string> words = {SHORT_RUN, data, std::to_string(number(200))};
        if (number(2) == 0) words.emplace_back("overwrite");
        return words;
      }
      case Kind::generate: return generate(data, 2 + number(20));
      case Kind::balance:
        return {PLIMSOLL_PROGRAM,
                "balance",
                folder / fmt::format("in{}", number(inputs)),
                "--strategy",
                "RotateLB",
                "-o",
                data,
                "--force"};
      case Kind::repair: {
        std::vector<std::string> words = {PLIMSOLL_PROGRAM, "repair", data};
        if (number(3) == 0) words.emplace_back("--force");
        return words;
      }
      case Kind::validate: return {PLIMSOLL_PROGRAM, "validate", "--json", data};
    }
    return {};
  }

  std::string output(std::size_t slot) const { return folder / fmt::format("out{}", slot); }

  void begin(std::size_t slot) {
    Process& process = processes_[slot];
    process = {.kind = static_cast<Kind>(number(5)), .start = Clock::now()};
    process.id = start(command(process.kind), output(slot));
  }

  /// Checks a process that has ended.
  void check(std::size_t slot, int wait_status) {
    const Process& process = processes_[slot];
    const std::string said = file_content(output(slot));
    ++ended_;
    const int status = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
    EXPECT_TRUE(status <= 3 || process.signals.contains(status - 128)) << "status " << status << ": " << said;
    if (status != 0) return;
    ++done_[static_cast<std::size_t>(process.kind)];
    if (process.kind == Kind::validate) expect_one_set(said);
  }

  void expect_progress(std::size_t slot) const {
    const Process& process = processes_[slot];
    EXPECT_LT(Clock::now() - process.start, std::chrono::minutes(2))
        << "hangs: kind " << static_cast<int>(process.kind) << ", " << file_content(output(slot));
  }

  void expect_one_set(const std::string& answer) {
    simdjson::dom::parser parser;
    const simdjson::dom::element report = parser.parse(answer);
    const std::int64_t files = report["files"];
    const std::int64_t phases = report["phases"];
    const bool was_killed_in_first_phase = files == 1 && phases == 0;
    EXPECT_TRUE(phases == files * files || was_killed_in_first_phase) << "a mixture: " << answer;
  }

  /// On a slow machine, many processes give up because another one is writing.
  bool has_seen_enough(Clock::time_point begin) const {
    const std::chrono::seconds wanted(from_environment("PLIMSOLL_STRESS_S", 20));
    const auto elapsed = Clock::now() - begin;
    return (elapsed >= wanted && std::ranges::all_of(done_, [](int done) { return done > 0; })) ||
           elapsed >= wanted + std::chrono::seconds(200);
  }

  void kill_one() {
    constexpr std::array signals = {SIGKILL, SIGKILL, SIGINT, SIGTERM, SIGHUP};
    Process& process = processes_[number(static_cast<unsigned>(processes_.size()))];
    const int signal = signals[number(signals.size())];
    process.signals.insert(signal);
    ::kill(process.id, signal);
  }

  static constexpr unsigned inputs = 3;
  TemporaryFolder folder;
  const std::string data = folder / "data";
  std::mt19937 random_{static_cast<unsigned>(from_environment("PLIMSOLL_STRESS_SEED", 14))};
  std::array<Process, 8> processes_;
  std::array<int, 5> done_{};
  int ended_ = 0;
};

TEST_F(Stress, ReadsOnlyCompleteDataSets) {
  for (unsigned k = 0; k < inputs; ++k)
    ASSERT_EQ(status_of(start(generate(folder / fmt::format("in{}", k), 3 + 5 * k), output(0))), 0);
  const auto start_time = Clock::now();
  for (std::size_t slot = 0; slot < processes_.size(); ++slot) begin(slot);
  while (!has_seen_enough(start_time) && !HasFailure()) {
    if (number(20) == 0) kill_one();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    for (std::size_t slot = 0; slot < processes_.size(); ++slot) {
      int status = 0;
      if (::waitpid(processes_[slot].id, &status, WNOHANG) != processes_[slot].id) {
        expect_progress(slot);
        continue;
      }
      check(slot, status);
      begin(slot);
    }
  }
  for (const Process& process : processes_) {
    ::kill(process.id, SIGKILL);
    ::waitpid(process.id, nullptr, 0);
  }
  // The next process must be able to use the remaining files.
  const Outcome last = run_plimsoll({"generate", "--ranks", "3", "--phases", "3", "-o", data, "--force"});
  EXPECT_EQ(last.status, 0) << last.err;
  const Outcome valid = run_plimsoll({"validate", "--json", data});
  EXPECT_EQ(valid.status, 0) << valid.err;
  expect_one_set(valid.out);
  RecordProperty("processes", ended_);
  fmt::print("{} processes; done: record {}, generate {}, balance {}, repair {}, validate {}\n", ended_,
             done_[0], done_[1], done_[2], done_[3], done_[4]);
  for (std::size_t kind = 0; kind < done_.size(); ++kind) EXPECT_GT(done_[kind], 0) << kind;
}

}  // namespace
}  // namespace plimsoll::testing
