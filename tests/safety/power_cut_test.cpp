// Kills a program at each step of writing a data set, and discards everything that was not yet on the disk.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ranges>
#include <sstream>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/error.hpp>

#include "cli/program.hpp"
#include "safety/program_run.hpp"

namespace plimsoll::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;

ino_t inode(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

class PowerCut : public ::testing::Test {
 protected:
  /// Returns the command that generates a data set with `ranks` ranks and as many phases. A mixture of two
  /// data sets is detected, because their files differ.
  std::vector<std::string> generate(int ranks) const {
    const auto size = static_cast<unsigned>(ranks);
    std::vector<std::string> command = generate_command(data(), size, size, 2);
    command.insert(command.end(), {"--threads", "1"});
    return command;
  }
  std::string data() const { return folder / "data"; }

  /// Returns the number of ranks of the data set in the directory, or nothing if the reader finds none.
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

  /// Returns the logged file events of the program, each split into its fields.
  std::vector<std::vector<std::string>> events() const {
    std::vector<std::vector<std::string>> all;
    std::ifstream text(folder / "synced");
    for (std::string line; std::getline(text, line);) {
      std::istringstream words(line);
      all.emplace_back();
      for (std::string word; std::getline(words, word, '\t');) all.back().push_back(word);
    }
    return all;
  }

  /// Unsynced name changes that the power cut discards. A real file system may also keep some of them.
  enum class Lost { none, new_names, all };

  /// Reverts the name changes since the last sync of the directory.
  void lose_names(Lost lost) const {
    const std::string folder_is_synced = std::to_string(inode(data()));
    const auto all = events();
    for (const auto& event : std::views::reverse(all)) {
      const std::string& kind = event.front();
      if (kind == "folder" && event.at(1) == folder_is_synced) return;
      if (kind == "unlink" && lost == Lost::all && event.size() > 2) fs::rename(event.at(2), event.at(1));
      if (kind == "link") fs::remove(event.at(2));
      if (kind != "rename") continue;
      fs::rename(event.at(2), event.at(1));
      if (event.size() > 3 && fs::exists(event.at(3))) fs::rename(event.at(3), event.at(2));
    }
  }

  /// Discards everything that was not synced: names and file contents.
  void cut_power(const std::set<ino_t>& old, Lost lost) const {
    if (lost != Lost::none) lose_names(lost);
    std::set<ino_t> on_disk = old;
    for (const auto& event : events())
      if (event.front() == "sync") on_disk.insert(std::stoul(event.at(1)));
    for (const std::string& name : names_in(data())) {
      const std::string path = data() + "/" + name;
      if (on_disk.contains(inode(path))) continue;
      fs::resize_file(path, 0);
      // Simulate two minutes without power.
      fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::minutes(2));
    }
  }

  /// Replaces a data set of `before` ranks by one of `after` ranks and stops at each event. Returns the
  /// number of events.
  int replace_at_every_event(int before, int after, Lost lost) {
    for (int event = 1;; ++event) {
      SCOPED_TRACE(fmt::format("{} ranks replaced by {}, event {}, lost {}", before, after, event,
                               static_cast<int>(lost)));
      for (const std::string& name : names_in(folder.path())) fs::remove_all(folder / name);
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
      cut_power(old, lost);
      if (status == 0) {
        EXPECT_EQ(size_of_set(), static_cast<std::size_t>(after)) << "after \"done\"";
        if (before == 0) {
          EXPECT_THAT(events(), Contains(ElementsAre("folder", std::to_string(inode(folder.path())))));
        }
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

TEST_F(PowerCut, LeavesOldOrNewDataSet) {
  for (const Lost lost : {Lost::none, Lost::new_names, Lost::all}) {
    EXPECT_GT(replace_at_every_event(3, 2, lost), 10);
    replace_at_every_event(2, 3, lost);
    replace_at_every_event(0, 2, lost);
    if (HasFailure()) return;
  }
}

class RepairWithoutLocks : public ::testing::Test {
 protected:
  Environment environment() const {
    return {{"LD_PRELOAD", NO_LOCKS}, {"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"}};
  }
  Outcome plimsoll(const std::vector<std::string>& arguments) const {
    return run_plimsoll(arguments, {.environment = environment()});
  }
  TemporaryFolder folder;
};

TEST_F(RepairWithoutLocks, KeepsPartialFilesOfRunningProgram) {
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

TEST_F(RepairWithoutLocks, RepairsPartialFilesOnlyIfForced) {
  const std::string whole = R"({"metadata":{"rank":0,"type":"LBDatafile"},"phases":[{"id":0,"tasks":[]})";
  folder.write("data.0.json.partial", whole);
  const Outcome outcome = plimsoll({"repair", folder.path()});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, ::testing::HasSubstr("does not support locks"));
  EXPECT_TRUE(folder.has("data.0.json.partial"));
  EXPECT_EQ(plimsoll({"repair", folder.path(), "--force"}).status, 0);
  EXPECT_TRUE(folder.has("data.0.json"));
}

}  // namespace
}  // namespace plimsoll::testing
