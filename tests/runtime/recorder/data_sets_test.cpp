// Tests the directories, ranks and phases of data sets, with any number of ranks and recorders.
#include <filesystem>
#include <fstream>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

using DataSetRecording = RecorderRun;

TEST_F(DataSetRecording, RemovesFilesOfEarlierRunWithMoreRanks) {
  Settings its = settings();
  const auto file_of = [&](int of_rank) {
    return its.lb_data_dir + "/data." + std::to_string(of_rank) + ".json.br";
  };
  const std::vector<std::string> removed = {file_of(count), file_of(count) + ".pending",
                                            file_of(count + 1) + ".partial"};
  const std::string other = its.lb_data_dir + "/other." + std::to_string(count) + ".json.br";
  if (rank == 0) {
    std::filesystem::create_directories(its.lb_data_dir);
    for (const std::string& file : removed) std::ofstream(file) << "old";
    std::ofstream(other) << "old";
  }
  MPI_Barrier(MPI_COMM_WORLD);
  LoadRecorder(MPI_COMM_WORLD, its).close();
  MPI_Barrier(MPI_COMM_WORLD);
  for (const std::string& file : removed) EXPECT_TRUE(std::filesystem::exists(file)) << file;
  MPI_Barrier(MPI_COMM_WORLD);

  its.lb_data_overwrite = true;
  LoadRecorder(MPI_COMM_WORLD, its).close();
  read();
  for (const std::string& file : removed) EXPECT_FALSE(std::filesystem::exists(file)) << file;
  EXPECT_TRUE(std::filesystem::exists(other));
}

TEST_F(DataSetRecording, AcceptsSeparateDirectoryPerRank) {
  Settings its = settings();
  its.lb_data_file = "%p/data.json";
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  recorder.next_phase();
  recorder.close();
  EXPECT_TRUE(std::filesystem::exists(data_file_path(its, rank)));
}

TEST_F(DataSetRecording, RemovesFilesOfEarlierRunWithMoreRanksInSeparateDirectories) {
  Settings its = settings();
  its.lb_data_file = "%p/data.json";
  its.lb_data_overwrite = true;
  const std::string of_more_ranks = data_file_path(its, count);
  if (rank == 0) {
    std::filesystem::create_directories(std::filesystem::path(of_more_ranks).parent_path());
    std::ofstream(of_more_ranks) << "old";
  }
  MPI_Barrier(MPI_COMM_WORLD);
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  recorder.next_phase();
  recorder.close();
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_TRUE(std::filesystem::exists(data_file_path(its, rank)));
  EXPECT_FALSE(std::filesystem::exists(of_more_ranks));
}

TEST_F(DataSetRecording, UsesRanksOfCustomCommunicator) {
  MPI_Comm half = MPI_COMM_NULL;
  const int color = rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, color, -rank, &half);  // ranks in reverse order
  const int half_size = color == 0 ? (count + 1) / 2 : count / 2;
  const std::string name = "half" + std::to_string(color);
  int half_rank = 0;
  {
    LoadRecorder recorder(half, settings(name));
    half_rank = recorder.rank();
    EXPECT_EQ(recorder.rank_count(), half_size);
    recorder.add_time(recorder.register_object(), 1.0 + rank);
    const PhaseSummary summary = recorder.next_phase();
    EXPECT_EQ(summary.rank_load_s.count(), static_cast<std::uint64_t>(half_size));
    recorder.close();
  }
  MPI_Comm_free(&half);
  const lbdata::Dataset dataset = read(name, half_size);
  EXPECT_EQ(dataset.ranks[static_cast<std::size_t>(half_rank)].phases[0].tasks.time_s[1], 1.0 + rank);
}

TEST_F(DataSetRecording, WritesSeparateDataForConcurrentRecorders) {
  LoadRecorder first(MPI_COMM_WORLD, settings("first"));
  LoadRecorder second(MPI_COMM_WORLD, settings("second"));
  const ObjectHandle in_first = first.register_object();
  const ObjectHandle in_second = second.register_object();
  for (int phase = 0; phase < 6; ++phase) {
    first.add_time(in_first, 1);
    second.add_time(in_second, 2);
    first.next_phase();
    if (phase % 2 == 0) second.next_phase();
  }
  second.close();
  first.close();
  EXPECT_EQ(read("first").ranks[0].phases.size(), 6U);
  const lbdata::Dataset dataset = read("second");
  EXPECT_EQ(dataset.ranks[0].phases.size(), 3U);
  EXPECT_EQ(dataset.ranks[0].phases[1].tasks.time_s[1], 4.0);
}

TEST_F(DataSetRecording, WritesOnlySpecifiedPhases) {
  const std::string specification = folder + "/spec";
  if (rank == 0) std::ofstream(specification) << "0 0 2\n%5 -1 1\n";
  Settings its = settings();
  its.lb_spec = true;
  its.lb_spec_file = specification;
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  for (int phase = 0; phase < 10; ++phase) recorder.next_phase();
  recorder.close();
  const lbdata::Dataset dataset = read();
  for (const lbdata::RankData& data : dataset.ranks) {
    std::vector<std::int64_t> ids;
    for (const lbdata::PhaseRecord& phase : data.phases) ids.push_back(phase.id);
    EXPECT_EQ(ids, (std::vector<std::int64_t>{0, 1, 2, 4, 5, 6, 9}));
    EXPECT_TRUE(data.metadata.phases->skipped.contains(3));
    EXPECT_TRUE(data.metadata.phases->skipped.contains(8));
  }
}

}  // namespace
}  // namespace plimsoll::testing
