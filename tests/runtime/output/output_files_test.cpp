#include "runtime/output/output_files.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <filesystem>

#include "common/shared_data.hpp"
#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

using runtime::NodeLBData;
using runtime::OnWriteError;
using runtime::OutputFiles;
using runtime::Session;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Limits the size of files during its lifetime, to simulate a full disk.
class FullDisk {
 public:
  explicit FullDisk(std::uintmax_t max_file_bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{max_file_bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

/// Creates output files of a run in which the last rank cannot write because its directory is missing.
class RunFiles : public RecorderRun {
 protected:
  Settings broken_settings(OnWriteError on_error) {
    Settings result = settings();
    result.lb_data_dir = folder;
    result.lb_data_on_write_error = on_error;
    result.sink = [this](std::string_view line) { lines_.emplace_back(line); };
    return result;
  }
  /// Returns settings that enable only a statistics file.
  Settings statistics_settings(const std::string& name) const {
    Settings result = settings();
    result.lb_data = false;
    result.lb_statistics = true;
    result.lb_statistics_compress = false;
    result.lb_statistics_dir = folder;
    result.lb_statistics_file = name;
    result.lb_statistics_freq = 1;
    return result;
  }
  Settings of_this_rank(Settings common) const {
    if (is_last()) common.lb_data_dir = folder + "/missing";
    return common;
  }
  bool is_last() const { return rank == count - 1; }
  static void end_phase(OutputFiles& files, NodeLBData& data, std::int64_t id) {
    lbdata::PhaseRecord record;
    record.id = id;
    const PhaseSummary summary{.phase = id};
    files.phase_ended({data.add(std::move(record)), summary});
  }

  std::vector<std::string> lines_;  // lines printed by this rank
};

TEST_F(RunFiles, ContainEveryPhase) {
  Settings its = settings();
  its.lb_data_dir = folder;
  its.lb_data_compress = false;
  const Session session(MPI_COMM_WORLD, its);
  NodeLBData data(its, {.rank = rank, .shared_node = {.size = count, .num_nodes = 1}});
  const std::string path = data.path();
  OutputFiles files(session, data, runtime::lock_output_folders(session.communicator(), its));
  for (std::int64_t phase = 0; phase < 3; ++phase) end_phase(files, data, phase);
  EXPECT_FALSE(files.needs_all_ranks());
  files.close();
  const lbdata::Dataset dataset = lbdata::read({{rank, path}}, {.ranks = lbdata::RankCheck::any}).dataset;
  EXPECT_EQ(dataset.ranks.back().phases.size(), 3U);
}

TEST_F(RunFiles, ContainStatisticsOfSelectedPhasesOnRank0) {
  Settings its = statistics_settings("statistics.json");
  its.lb_statistics_freq = 2;
  const Session session(MPI_COMM_WORLD, its);
  NodeLBData data(its, {.rank = rank});
  OutputFiles files(session, data, runtime::lock_output_folders(session.communicator(), its));
  for (std::int64_t phase = 0; phase < 5; ++phase) end_phase(files, data, phase);
  files.close();
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string text = file_content(folder + "/statistics.json");
  for (const char* phase : {R"("id":0)", R"("id":2)", R"("id":4)"}) EXPECT_THAT(text, HasSubstr(phase));
  EXPECT_THAT(text, ::testing::Not(HasSubstr(R"("id":1)")));
}

TEST_F(RunFiles, ReportIncompleteStatisticsFile) {
  Settings its = statistics_settings("statistics.json");
  its.lb_data_on_write_error = OnWriteError::go_on;
  its.sink = [this](std::string_view line) { lines_.emplace_back(line); };
  const Session session(MPI_COMM_WORLD, its);
  NodeLBData data(its, {.rank = rank});
  OutputFiles files(session, data, runtime::lock_output_folders(session.communicator(), its));
  end_phase(files, data, 0);
  if (rank == 0) {
    const std::string partial = folder + "/statistics.json.partial";
    const FullDisk full(std::filesystem::file_size(partial));
    files.close();
    EXPECT_THAT(lines_, ElementsAre(::testing::StartsWith("the statistics file is incomplete: " + partial)));
  } else {
    files.close();
  }
  EXPECT_FALSE(files.needs_all_ranks());
}

TEST_F(RunFiles, ThrowOnRankThatCannotWrite) {
  const Settings its = broken_settings(OnWriteError::stop);
  const Session session(MPI_COMM_WORLD, its);
  NodeLBData data(of_this_rank(its), {.rank = rank});
  OutputFiles files(session, data, runtime::lock_output_folders(session.communicator(), its));
  const auto error = error_of([&] { end_phase(files, data, 0); });
  ASSERT_EQ(error.has_value(), is_last());
  if (error) {
    EXPECT_EQ(error->kind(), ErrorKind::system);
  }
  EXPECT_FALSE(files.needs_all_ranks()) << "the error was thrown instead";
  EXPECT_EQ(data.path().empty(), is_last()) << "only the rank that failed stops writing";
  EXPECT_FALSE(error_of([&] { end_phase(files, data, 1); }).has_value());
}

TEST_F(RunFiles, StopBeingWrittenOnAllRanksAfterWriteErrorIfProgramContinues) {
  const Settings its = broken_settings(OnWriteError::go_on);
  const Session session(MPI_COMM_WORLD, its);
  NodeLBData data(of_this_rank(its), {.rank = rank});
  const std::string path = data.path();
  OutputFiles files(session, data, runtime::lock_output_folders(session.communicator(), its));
  end_phase(files, data, 0);
  EXPECT_EQ(files.needs_all_ranks(), is_last());

  files.act_on_all_ranks();
  EXPECT_FALSE(files.needs_all_ranks());
  EXPECT_TRUE(data.path().empty());
  if (rank == 0) {
    EXPECT_THAT(lines_, ElementsAre(HasSubstr("writing of LB data has stopped: ")));
    if (count > 1) {
      EXPECT_THAT(lines_.front(), HasSubstr("rank " + std::to_string(count - 1) + ": "));
    }
  } else {
    EXPECT_THAT(lines_, IsEmpty());
  }

  end_phase(files, data, 1);
  files.close();
  EXPECT_FALSE(files.needs_all_ranks());
  EXPECT_FALSE(std::filesystem::exists(path)) << "the written data stay in the .partial file";
  EXPECT_EQ(std::filesystem::exists(path + ".partial"), !is_last());
}

}  // namespace
}  // namespace plimsoll::testing
