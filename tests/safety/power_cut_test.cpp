// A program is killed, and the machine loses what is not on the disk, at each step of writing a data set.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/error.hpp>

#include "cli/program.hpp"
#include "safety/program_run.hpp"

namespace plimsoll::testing {
namespace {

namespace fs = std::filesystem;

ino_t inode(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

class PowerCut : public ::testing::Test {
 protected:
  /// A data set of so many ranks and phases: of a mixture, the files differ.
  std::vector<std::string> generate(int ranks) const {
    return {PLIMSOLL_PROGRAM,
            "generate",
            "--ranks",
            std::to_string(ranks),
            "--objects-per-rank",
            "2",
            "--phases",
            std::to_string(ranks),
            "--threads",
            "1",
            "-o",
            data(),
            "--force"};
  }
  std::string data() const { return folder / "data"; }

  /// The size of the data set in the folder, nothing if the reader says that there is none.
  std::optional<std::size_t> size_of_set() const {
    try {
      const lbdata::Dataset set = lbdata::read(lbdata::find_rank_files({data()})).dataset;
      for (const lbdata::RankData& rank : set.ranks)
        EXPECT_EQ(rank.phases.size(), set.ranks.size()) << "a mixture";
      return set.ranks.size();
    } catch (const Error& error) {
      said = error.what();
      return std::nullopt;
    }
  }

  /// Empties what was not synced.
  void cut_power(const std::set<ino_t>& old) const {
    std::set<ino_t> on_disk = old;
    std::ifstream events(folder / "synced");
    for (std::string line; std::getline(events, line);)
      if (line.starts_with("sync ")) on_disk.insert(std::stoul(line.substr(5)));
    for (const std::string& name : names_in(data())) {
      const std::string path = data() + "/" + name;
      if (!on_disk.contains(inode(path))) fs::resize_file(path, 0);
    }
  }

  /// Replaces a set of `before` ranks by one of `after` and stops at each event. Returns how many there are.
  int replace_at_every_event(int before, int after) {
    for (int event = 1;; ++event) {
      SCOPED_TRACE(fmt::format("{} ranks replaced by {}, event {}", before, after, event));
      fs::remove_all(data());
      fs::remove(folder / "synced");
      if (before > 0) {
        EXPECT_EQ(status_of(start(generate(before), folder / "said")), 0);
      }
      std::set<ino_t> old;
      for (const std::string& name : names_in(data())) old.insert(inode(data() + "/" + name));
      const int status = status_of(start(generate(after), folder / "said",
                                         {{"LD_PRELOAD", POWER_CUT},
                                          {"PLIMSOLL_TEST_SYNCED", folder / "synced"},
                                          {"PLIMSOLL_TEST_CUT_AT", std::to_string(event)},
                                          {"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"}}));
      cut_power(old);
      if (status == 0) {
        EXPECT_EQ(size_of_set(), static_cast<std::size_t>(after)) << "after \"done\"";
        return event;
      }
      EXPECT_EQ(status, 128 + SIGKILL);
      if (const auto size = size_of_set()) {
        EXPECT_TRUE(*size == static_cast<std::size_t>(before) || *size == static_cast<std::size_t>(after))
            << *size;
      }
      static_cast<void>(run_plimsoll({"repair", data()}));
      const auto size = size_of_set();
      if (before > 0 || size) {
        EXPECT_TRUE(size) << said;
        EXPECT_TRUE(size == static_cast<std::size_t>(before) || size == static_cast<std::size_t>(after));
      }
      if (HasFailure()) return event;
    }
  }

  TemporaryFolder folder;
  mutable std::string said;
};

TEST_F(PowerCut, LeavesTheOldSetOrTheNewOne) {
  EXPECT_GT(replace_at_every_event(3, 2), 10);
  replace_at_every_event(2, 3);
  replace_at_every_event(0, 2);
}

class WithoutLocks : public ::testing::Test {
 protected:
  Environment environment() const {
    return {{"LD_PRELOAD", NO_LOCKS}, {"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"}};
  }
  Outcome plimsoll(const std::vector<std::string>& arguments) const {
    return run_plimsoll(arguments, {.environment = environment()});
  }
  TemporaryFolder folder;
};

TEST_F(WithoutLocks, RepairLeavesTheStreamsOfARunningProgramAlone) {
  const pid_t program = start({SHORT_RUN, folder.path(), "3000"}, folder / "said", environment());
  const std::string stream = folder / "data.0.json.br.partial";
  for (int k = 0; k < 10'000 && !fs::exists(stream); ++k) ::usleep(1000);
  ASSERT_TRUE(fs::exists(stream)) << folder.read("said");
  for (const char* insist : {"--json", "--force"}) {
    const Outcome outcome = plimsoll({"repair", folder.path(), insist});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, ::testing::HasSubstr(fmt::format("process {} on ", program)));
  }
  EXPECT_TRUE(fs::exists(stream));
  EXPECT_EQ(status_of(program), 0) << folder.read("said");
}

TEST_F(WithoutLocks, RepairOfStreamsNeedsToBeInsistedOn) {
  const std::string whole = R"({"metadata":{"rank":0,"type":"LBDatafile"},"phases":[{"id":0,"tasks":[]})";
  folder.write("data.0.json.partial", whole);
  const Outcome outcome = plimsoll({"repair", folder.path()});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, ::testing::HasSubstr("has no locks"));
  EXPECT_TRUE(folder.has("data.0.json.partial"));
  EXPECT_EQ(plimsoll({"repair", folder.path(), "--force"}).status, 0);
  EXPECT_TRUE(folder.has("data.0.json"));
}

}  // namespace
}  // namespace plimsoll::testing
