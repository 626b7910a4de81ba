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
#include <optional>
#include <random>
#include <set>
#include <thread>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/support/error.hpp>

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

// The test detects a mixture of two data sets. Every data set has as many phases as ranks, and the files of a
// recorder have an attribute that is unique to its run. Repaired data sets of a killed recorder are an
// exception: they have fewer phases. A file without phases has no attributes either.
class ConcurrentCommands : public ::testing::Test {
 protected:
  enum class Kind { record, record_in_parallel, generate, balance, repair, validate };
  struct Process {
    pid_t id = 0;
    Kind kind = Kind::record;
    Clock::time_point start;
    std::set<int> signals;  // signals sent to the process
  };

  unsigned number(unsigned below) { return static_cast<unsigned>(random_() % below); }

  static std::vector<std::string> generate(const std::string& to, unsigned ranks) {
    return generate_command(to, ranks, ranks, 3);
  }

  std::vector<std::string> record() {
    std::vector<std::string> words = {SHORT_RUN, data, std::to_string(number(200))};
    if (number(2) == 0) words.emplace_back("overwrite");
    return words;
  }

  std::vector<std::string> command(Kind kind) {
    switch (kind) {
      case Kind::record: return record();
      case Kind::record_in_parallel: {
        std::vector<std::string> words = record();
        words.insert(words.begin(), {LAUNCHER, "-n", "2"});
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
    process = {.kind = static_cast<Kind>(number(kinds)), .start = Clock::now()};
    process.id = start(command(process.kind), output(slot), launcher_environment());
  }

  /// Checks a process that has ended.
  void check(std::size_t slot, int wait_status) {
    const Process& process = processes_[slot];
    const std::string said = file_content(output(slot));
    ++ended_;
    const int status = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
    // A launcher that is stopped may return any status.
    const bool is_stopped_launcher = process.kind == Kind::record_in_parallel && !process.signals.empty();
    EXPECT_TRUE(status <= 3 || process.signals.contains(status - 128) || is_stopped_launcher)
        << "status " << status << ": " << said;
    EXPECT_EQ(said.find("has gone"), std::string::npos) << said;
    if (status != 0) return;
    ++done_[static_cast<std::size_t>(process.kind)];
    if (process.kind == Kind::validate) expect_valid(said);
  }

  void expect_progress(std::size_t slot) const {
    const Process& process = processes_[slot];
    EXPECT_LT(Clock::now() - process.start, std::chrono::minutes(2))
        << "hangs: kind " << static_cast<int>(process.kind) << ", " << file_content(output(slot));
  }

  static void expect_valid(const std::string& answer) {
    simdjson::dom::parser parser;
    const simdjson::dom::element report = parser.parse(answer);
    const std::int64_t files = report["files"];
    const std::int64_t phases = report["phases"];
    EXPECT_TRUE(phases == files * files || (files <= 2 && phases < files * files)) << "a mixture: " << answer;
  }

  /// Returns the number of ranks in the attributes of a recorder. Other data sets do not state it.
  static std::optional<std::int64_t> recorded_ranks(const std::optional<std::string>& attributes) {
    simdjson::dom::parser parser;
    std::int64_t ranks = 0;
    if (!attributes || parser.parse(*attributes)["ranks"].get(ranks) != simdjson::SUCCESS)
      return std::nullopt;
    return ranks;
  }

  /// Reads the data set, unless it is missing or being replaced.
  void expect_one_set() {
    lbdata::Dataset set;
    try {
      set = lbdata::read(lbdata::find_rank_files({data})).dataset;
    } catch (const Error&) {
      return;
    }
    ++read_;
    std::set<std::optional<std::string>> runs;
    for (const lbdata::RankData& rank : set.ranks) {
      EXPECT_LE(rank.phases.size(), set.ranks.size());
      if (rank.phases.empty()) continue;
      EXPECT_TRUE(recorded_ranks(rank.metadata.attributes) || rank.phases.size() == set.ranks.size())
          << "a mixture";
      runs.insert(rank.metadata.attributes);
    }
    EXPECT_LE(runs.size(), 1U) << "a mixture";
    const bool is_whole =
        std::ranges::none_of(set.ranks, [](const auto& rank) { return rank.phases.empty(); });
    if (!is_whole) return;
    if (const auto ranks = recorded_ranks(*runs.begin())) {
      EXPECT_EQ(set.ranks.size(), static_cast<std::size_t>(*ranks)) << "a mixture";
    }
  }

  /// Returns whether the test may end. On a slow machine, many processes give up because another one is
  /// writing.
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

  /// Settings of Open MPI, which otherwise refuses to run as root or with more ranks than cores.
  static Environment launcher_environment() {
    return {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
            {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
            {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
            {"OMPI_MCA_hwloc_base_binding_policy", "none"},
            {"OMPI_MCA_mpi_yield_when_idle", "1"}};
  }

  /// Generates a data set once the ranks of killed launchers have ended.
  Outcome generate_last() const {
    const auto give_up = Clock::now() + std::chrono::seconds(30);
    while (true) {
      const Outcome outcome =
          run_plimsoll({"generate", "--ranks", "3", "--phases", "3", "-o", data, "--force"});
      if (outcome.status == 0 || Clock::now() > give_up) return outcome;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  static constexpr unsigned inputs = 3;
  static constexpr unsigned kinds = 6;
  TemporaryFolder folder;
  const std::string data = folder / "data";
  std::mt19937 random_{static_cast<unsigned>(from_environment("PLIMSOLL_STRESS_SEED", 14))};
  std::array<Process, 8> processes_;
  std::array<int, kinds> done_{};
  int ended_ = 0;
  int read_ = 0;  // number of data sets that this process has read
};

TEST_F(ConcurrentCommands, NeverReadIncompleteDataSets) {
  for (unsigned k = 0; k < inputs; ++k)
    ASSERT_EQ(status_of(start(generate(folder / fmt::format("in{}", k), 3 + 5 * k), output(0))), 0);
  const auto start_time = Clock::now();
  for (std::size_t slot = 0; slot < processes_.size(); ++slot) begin(slot);
  while (!has_seen_enough(start_time) && !HasFailure()) {
    if (number(20) == 0) kill_one();
    if (number(20) == 0) expect_one_set();
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
  const Outcome last = generate_last();
  EXPECT_EQ(last.status, 0) << last.err;
  const Outcome valid = run_plimsoll({"validate", "--json", data});
  EXPECT_EQ(valid.status, 0) << valid.err;
  expect_valid(valid.out);
  expect_one_set();
  EXPECT_GT(read_, 1);
  RecordProperty("processes", ended_);
  fmt::print(
      "{} processes; done: record {}, in parallel {}, generate {}, balance {}, repair {}, validate {}; "
      "{} data sets read\n",
      ended_, done_[0], done_[1], done_[2], done_[3], done_[4], done_[5], read_);
  for (std::size_t kind = 0; kind < done_.size(); ++kind) EXPECT_GT(done_[kind], 0) << kind;
}

}  // namespace
}  // namespace plimsoll::testing
