// Lets system calls of the real program fail, one by one or all, as on a full disk, a damaged disk or an
// unusual file system. Also reads more files than a process may have open.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <string>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/support/error.hpp>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"
#include "safety/program_run.hpp"

namespace plimsoll::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

class FailingCalls : public ::testing::Test {
 protected:
  /// Runs the program with faults in its calls on files below `affected`, by default the directory of the
  /// test.
  Outcome run(const Words& arguments, const std::string& faults, const std::string& affected = {}) {
    fs::remove(fault_count());
    return run_plimsoll(
        arguments,
        {.environment = {{"LD_PRELOAD", FAILING_CALLS},
                         {"PLIMSOLL_TEST_FAULTS", faults},
                         {"PLIMSOLL_TEST_FAULT_FOLDER", affected.empty() ? folder.path() : affected},
                         {"PLIMSOLL_TEST_FAULT_COUNT", fault_count()},
                         {"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"}}});
  }
  std::string fault_count() const { return notes_ / "faults"; }
  /// Returns the number of faults in the last run.
  std::uintmax_t faults() const {
    std::error_code none;
    const std::uintmax_t count = fs::file_size(fault_count(), none);
    return none ? 0 : count;
  }

  /// Returns the command that generates a data set with `ranks` ranks and as many phases, so that a mixture
  /// of two data sets is detected.
  static Words generate(const std::string& to, int ranks) {
    const auto size = static_cast<unsigned>(ranks);
    Words command = generate_command(to, size, size, 2);
    command.erase(command.begin());  // run_plimsoll() adds the program
    command.insert(command.end(), {"--threads", "1", "--plain"});
    return command;
  }
  std::string data() const { return folder / "data"; }

  /// Returns the number of ranks of the data set, or nothing if the reader rejects the directory.
  static std::optional<std::size_t> size_of_set(const std::string& path) {
    try {
      const lbdata::Dataset set = lbdata::read(lbdata::find_rank_files({path})).dataset;
      for (const lbdata::RankData& rank : set.ranks)
        EXPECT_EQ(rank.phases.size(), set.ranks.size()) << "a mixture";
      return set.ranks.size();
    } catch (const Error&) {
      return std::nullopt;
    }
  }
  static std::map<std::string, std::string> contents_of(const std::string& path) {
    std::map<std::string, std::string> contents;
    for (const std::string& name : names_in(path)) contents[name] = file_content(path + "/" + name);
    return contents;
  }

  TemporaryFolder folder;

 private:
  TemporaryFolder notes_;  // not affected by faults
};

TEST_F(FailingCalls, MayTransferPartsOrBeInterrupted) {
  const Words answers[] = {{"validate", "--json", data()}, {"info", "--json", data()}};
  ASSERT_EQ(run_plimsoll(generate(data(), 2)).status, 0);
  const auto expected = contents_of(data());
  for (const char* const fault :
       {"write:short:0", "write:EINTR:0", "sync:EINTR:0", "lock:EINTR:0", "open:EINTR:0"}) {
    const Outcome outcome = run(generate(data(), 2), fault);
    EXPECT_EQ(outcome.status, 0) << fault << outcome.err;
    EXPECT_GT(faults(), 0U);
    EXPECT_EQ(contents_of(data()), expected) << fault;
  }
  for (const char* const fault : {"read:short:0", "read:EINTR:0", "open:EINTR:0"})
    for (const Words& command : answers) {
      EXPECT_EQ(run(command, fault).out, run_plimsoll(command).out) << fault;
      EXPECT_GT(faults(), 0U);
    }
}

TEST_F(FailingCalls, LeaveOldOrNewDataSetAndNoLock) {
  for (const char* const fault : {"write:EIO", "write:ENOSPC", "sync:EIO", "rename:EIO", "renameat2:EIO",
                                  "link:EIO", "unlink:EIO", "open:EMFILE", "read:EIO", "lock:ENOLCK"}) {
    for (int number = 1;; ++number) {
      SCOPED_TRACE(fmt::format("{}:{}", fault, number));
      fs::remove_all(data());
      ASSERT_EQ(run_plimsoll(generate(data(), 3)).status, 0);
      const Outcome outcome = run(generate(data(), 2), fmt::format("{}:{}", fault, number));
      if (faults() == 0) break;
      if (outcome.status != 0) {
        EXPECT_EQ(outcome.status, 3) << outcome.err;
        EXPECT_THAT(outcome.err, AllOf(HasSubstr("plimsoll: error: "), HasSubstr(folder.path())));
      }
      if (!std::string(fault).starts_with("unlink")) {
        EXPECT_THAT(names_in(data()), Not(Contains(HasSubstr(".lock"))));
      }
      const auto size = size_of_set(data());
      if (outcome.status == 0) {
        EXPECT_EQ(size, 2U);
      } else if (size) {
        EXPECT_TRUE(size == 2U || size == 3U) << *size;
      }
      const Outcome next = run_plimsoll(generate(data(), 2));
      EXPECT_EQ(next.status, 0) << next.err;
      EXPECT_EQ(size_of_set(data()), 2U);
      // A file that the system refused to remove stays.
      if (!std::string(fault).starts_with("unlink")) {
        EXPECT_EQ(names_in(data()).size(), 2U) << ::testing::PrintToString(names_in(data()));
      }
      if (HasFailure()) return;
    }
  }
}

/// The size of a page depends on the times of the strategies that it contains.
std::string without_size(const std::string& text) {
  return std::regex_replace(text, std::regex("\\([0-9.]+ KiB\\)"), "(size)");
}

TEST_F(FailingCalls, AreReportedByReaders) {
  ASSERT_EQ(run_plimsoll(generate(data(), 2)).status, 0);
  const std::string page = folder / "page.html";
  const std::string tables = folder / "tables";
  for (const Words& command : {Words{"validate", "--json", data()},
                               {"info", "--json", data()},
                               {"report", data(), "-o", page},
                               {"export", data(), "-o", tables}}) {
    const std::string expected = run_plimsoll(command).out;
    fs::remove(page);
    fs::remove_all(tables);
    for (int number = 0;; ++number) {  // 0: all reads fail
      SCOPED_TRACE(fmt::format("{} {}", command.front(), number));
      const Outcome outcome = run(command, fmt::format("read:EIO:{}", number), data());
      if (faults() == 0) break;
      // Some files are read again, e.g. if only their type was of interest.
      const bool is_read_again = number > 0 && outcome.status == 0;
      if (is_read_again) {
        EXPECT_EQ(without_size(outcome.out), without_size(expected));
      } else {
        EXPECT_EQ(outcome.status, 3) << outcome.out;
        EXPECT_THAT(outcome.err, AllOf(HasSubstr(data()), HasSubstr("Input/output error")));
        EXPECT_FALSE(fs::exists(page) || fs::exists(tables + "/data.0.csv"));
      }
      fs::remove(page);
      fs::remove_all(tables);
      if (HasFailure()) return;
    }
  }
}

TEST_F(FailingCalls, OfRenamingAndLinkingHaveFallbacks) {
  for (const char* const error : {"EINVAL", "EOPNOTSUPP", "ENOSYS"})
    for (const std::string others : {"", " link:EPERM:0", " link:EOPNOTSUPP:0 lock:ENOLCK:0"}) {
      const std::string faults = fmt::format("renameat2:{}:0{}", error, others);
      SCOPED_TRACE(faults);
      fs::remove_all(data());
      Words command = generate(data(), 3);
      std::erase(command, "--force");
      const Outcome first = run(command, faults);
      EXPECT_EQ(first.status, 0) << first.err;
      EXPECT_GT(this->faults(), 0U);
      EXPECT_EQ(run(command, faults).status, 2) << "overwrites";
      EXPECT_EQ(size_of_set(data()), 3U);
      EXPECT_EQ(run(generate(data(), 2), faults).status, 0);
      EXPECT_EQ(size_of_set(data()), 2U);
      EXPECT_EQ(names_in(data()).size(), 2U) << ::testing::PrintToString(names_in(data()));
    }
}

TEST_F(FailingCalls, AreFoundByDoctor) {
  const auto verdict = [&](const std::string& subject, const std::string& faults) {
    const Outcome outcome = run({"doctor", folder.path(), "--json", "--", "absent-launcher"}, faults);
    const Json json(outcome.out);
    for (std::size_t k = 0; k < json.size("/examinations"); ++k) {
      const std::string examination = fmt::format("/examinations/{}", k);
      if (json.text(examination + "/subject") == subject) return json.text(examination + "/verdict");
    }
    return std::string("absent");
  };
  EXPECT_EQ(verdict("writing", ""), "ok");
  EXPECT_EQ(verdict("writing", "write:ENOSPC:1"), "no");
  EXPECT_EQ(verdict("writing", "sync:EIO:1"), "no");
  EXPECT_EQ(verdict("hard links", ""), "ok");
  EXPECT_EQ(verdict("hard links", "link:EPERM:0"), "no");
  EXPECT_EQ(verdict("renaming", ""), "ok");
  EXPECT_EQ(verdict("renaming", "renameat2:EINVAL:0"), "no");
  EXPECT_EQ(verdict("file locks", "lock:ENOLCK:0"), "no");
  EXPECT_EQ(verdict("directory lock", "lock:ENOLCK:0"), "ok") << "lock files replace locks";
  EXPECT_EQ(names_in(folder.path()).size(), 0U);
}

TEST_F(FailingCalls, OfMemoryAreReportedAtEachSize) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitisers reserve more memory than the limit allows";
#endif
  ASSERT_EQ(run_plimsoll(generate(data(), 3)).status, 0);
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  for (std::size_t size = 10; size <= 40; size += 2)
    for (const Words& command : {Words{"info", data()}, generate(data(), 2)}) {
      const Outcome outcome = run_plimsoll(command, {.max_memory_bytes = size * mebibyte});
      constexpr int not_loaded = 127;  // not enough memory for the libraries of the program
      EXPECT_THAT(outcome.status, AnyOf(0, 3, not_loaded)) << size << " MiB: " << outcome.err;
      if (outcome.status == 3) {
        EXPECT_THAT(outcome.err, HasSubstr("plimsoll: error: "));
      }
      EXPECT_THAT(size_of_set(data()), AnyOf(2U, 3U));
      if (HasFailure()) return;
    }
}

TEST(ManyFiles, AreReadWithFewOpenFiles) {
  constexpr int ranks = 10'000;
  const TemporaryFolder folder;
  for (int rank = 0; rank < ranks; ++rank)
    folder.write(
        fmt::format("data.{}.json", rank),
        fmt::format(
            R"({{"metadata":{{"rank":{0},"type":"LBDatafile"}},"phases":[{{"id":0,"tasks":[{{"entity":{{"home":{0},)"
            R"("id":{0},"migratable":true,"type":"object"}},"node":{0},"resource":"cpu","time":1.0}}]}}]}})",
            rank));
  const Circumstances few_files = {.max_open_files = 32};
  const Outcome valid = run_plimsoll({"validate", "--json", folder.path()}, few_files);
  EXPECT_EQ(valid.status, 0) << valid.err;
  EXPECT_EQ(Json(valid.out).integer("/files"), ranks);
  EXPECT_EQ(Json(valid.out).integer("/tasks"), ranks);
  const Outcome info = run_plimsoll({"info", "--json", folder.path()}, few_files);
  EXPECT_EQ(info.status, 0) << info.err;
  EXPECT_EQ(Json(info.out).integer("/ranks"), ranks);
  EXPECT_EQ(Json(info.out).number("/phases/0/imbalance"), 0);
}

}  // namespace
}  // namespace plimsoll::testing
