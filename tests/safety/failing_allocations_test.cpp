// Lets each allocation of an operation fail in turn. The operation must then throw std::bad_alloc or Error,
// never crash, and leave the old or the new files, without locks.
#include "safety/failing_allocations.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <functional>
#include <new>
#include <optional>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/lbdata/generator.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/submission.hpp>
#include <plimsoll/pelayout/timing_file.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/json_view.hpp>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"
#include "pelayout/timing/statistics_text.hpp"

namespace plimsoll::testing {
namespace {

namespace fs = std::filesystem;

/// How an operation ended.
enum class End { success, out_of_memory, error };

/// Runs an operation whose allocation `number` fails.
End run_with_failure(const std::function<void()>& operation, std::uint64_t number, bool and_later) {
  End end = End::success;
  fail_allocation(number, and_later);
  try {
    operation();
  } catch (const std::bad_alloc&) {
    end = End::out_of_memory;
  } catch (const Error&) {
    end = End::error;
  }
  return end;
}

/// Lets allocations of an operation fail, one at a time, and then also with all later ones. Calls `check`
/// after each run. Tests each of the first `dense` allocations; beyond them, their number grows by 5 % per
/// step.
void fail_each_allocation(const std::function<void()>& operation, const std::function<void(End)>& check = {},
                          std::uint64_t dense = 400) {
  for (const bool and_later : {false, true}) {
    bool has_failed = true;
    for (std::uint64_t number = 1; has_failed; number += number < dense ? 1 : number / 8) {
      SCOPED_TRACE("allocation " + std::to_string(number) + (and_later ? " and all later" : ""));
      const End end = run_with_failure(operation, number, and_later);
      has_failed = allocations() >= number;
      fail_allocation(0);
      if (check) check(end);
      if (!has_failed) {
        EXPECT_EQ(end, End::success);
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
}

lbdata::Dataset small_data_set(std::int64_t ranks) {
  return lbdata::generate({.ranks = ranks, .objects_per_rank = 2, .phases = ranks});
}

std::size_t ranks_in(const std::string& folder) {
  return lbdata::read(lbdata::find_rank_files({folder}), {.threads = 1}).dataset.ranks.size();
}

TEST(FailingAllocations, LeaveOldOrNewDataSet) {
  const TemporaryFolder folder;
  const std::string data = folder / "data";
  const lbdata::Dataset old_set = small_data_set(3);
  const lbdata::Dataset new_set = small_data_set(2);
  const lbdata::WriteOptions options = {.compress = false, .overwrite = true};
  lbdata::write(old_set, data, "data", options, 1);
  fail_each_allocation([&] { lbdata::write(new_set, data, "data", options, 1); },
                       [&](End end) {
                         EXPECT_FALSE(fs::exists(data + "/.plimsoll.data.lock"));
                         { const support::FolderLock free(data, {.name = "data"}); }
                         const std::size_t ranks = ranks_in(data);
                         EXPECT_TRUE(ranks == 2 || (ranks == 3 && end != End::success)) << ranks;
                         if (ranks == 2) lbdata::write(old_set, data, "data", options, 1);
                       });
}

TEST(FailingAllocations, ReleaseLockOfDirectory) {
  const TemporaryFolder folder;
  fail_each_allocation([&] { const support::FolderLock lock(folder.path()); },
                       [&](End) { EXPECT_TRUE(fs::is_empty(folder.path())); });
}

TEST(FailingAllocations, AreReportedByReadersOfDataSets) {
  for (const char* const compressed : {"no", "yes"}) {
    const TemporaryFolder folder;
    lbdata::write(small_data_set(2), folder.path(), "data", {.compress = compressed == std::string("yes")},
                  1);
    fail_each_allocation([&] { static_cast<void>(ranks_in(folder.path())); });
    fail_each_allocation([&] {
      const auto report = lbdata::validate(lbdata::find_rank_files({folder.path()}), {.threads = 1});
      if (!report.valid()) throw std::logic_error("a valid file is called invalid");
    });
  }
}

TEST(FailingAllocations, LeaveOldOrNewFileOfRepair) {
  const TemporaryFolder folder;
  const std::string text =
      R"({"metadata":{"rank":0,"type":"LBDatafile"},"phases":[{"id":0,"tasks":[]},{"id":1,"ta)";
  const std::string path = folder.write("data.0.json", text);
  fail_each_allocation([&] { lbdata::repair(path, {.overwrite = true}); },
                       [&](End end) {
                         const bool is_old = folder.read("data.0.json") == text;
                         EXPECT_TRUE(!is_old || end != End::success);
                         if (!is_old) {
                           EXPECT_EQ(ranks_in(folder.path()), 1U);
                         }
                         folder.write("data.0.json", text);
                       });
}

TEST(FailingAllocations, AreReportedByReadersOfProfiles) {
  const std::string path = own_path("alltoallv/forward");
  fail_each_allocation([&] { static_cast<void>(collectives::read({path})); });
}

TEST(FailingAllocations, LeaveOldOrNewProfile) {
  const TemporaryFolder folder;
  const collectives::Profile profile = collectives::read({own_path("alltoallv/forward")}).profile;
  const collectives::WriteOptions options = {.overwrite = true};
  const std::size_t files = collectives::write(profile, folder.path(), options).size();
  fail_each_allocation([&] { collectives::write(profile, folder.path(), options); },
                       [&](End) {
                         { const support::FolderLock free(folder.path(), {.name = "profile"}); }
                         EXPECT_EQ(collectives::read({folder.path()}).profile.leads.size(),
                                   profile.leads.size());
                         const auto names = fs::directory_iterator(folder.path());
                         EXPECT_GE(static_cast<std::size_t>(std::distance(begin(names), end(names))), files);
                       },
                       20);
}

TEST(FailingAllocations, RemoveTemporaryDirectoryWithItsContent) {
  const TemporaryFolder folder;
  const std::string path = folder / "scratch";
  fail_each_allocation(
      [&] {
        const support::ScratchFolder scratch(path);
        support::make_folder(scratch.path() + "/below/it");
      },
      [&](End end) { EXPECT_TRUE(end != End::success || !fs::exists(path)); });
}

TEST(FailingAllocations, AreReportedBySearchesInDirectories) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "case/timing");
  const std::string statistics =
      folder.write("case/timing/model_timing_stats.260101-120000", statistics_of_example().str());
  fail_each_allocation([&] {
    static_cast<void>(pelayout::find_timing_files({.files = {statistics}, .facts = {.steps_per_day = 48}}));
  });
  const pelayout::CasePlan plan = {.name = "case", .folder = folder / "case"};
  fail_each_allocation([&] { static_cast<void>(pelayout::inspect_case(plan)); });
}

TEST(FailingAllocations, AreReportedByReadersOfLayoutProblems) {
  fail_each_allocation([&] { static_cast<void>(pelayout::read_problem(own_path("cime/example.json"))); });
}

}  // namespace
}  // namespace plimsoll::testing
