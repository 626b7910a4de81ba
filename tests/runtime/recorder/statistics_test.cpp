// Tests statistics, their file, and load models, with any number of ranks.
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <plimsoll/lbdata/statistics_file.hpp>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

class StatisticsRecording : public RecorderRun {
 protected:
  /// Returns settings for an uncompressed statistics file with every `frequency`-th phase and no data files.
  Settings settings_of_statistics(std::int64_t frequency) const {
    Settings result = settings();
    result.lb_data = false;
    result.lb_statistics = true;
    result.lb_statistics_dir = folder + "/statistics";
    result.lb_statistics_file = "statistics.json";
    result.lb_statistics_compress = false;
    result.lb_statistics_freq = frequency;
    return result;
  }
  /// Returns the names of the files in the directory of the statistics.
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder + "/statistics"))
      names.insert(entry.path().filename());
    return names;
  }
};

TEST_F(StatisticsRecording, ComputesStatisticsOverAllRanks) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  for (int k = 0; k < 4 + rank; ++k) recorder.add_time(recorder.register_object(), 0.25 * (1 + k * rank));
  const PhaseSummary summary = recorder.next_phase();
  recorder.close();
  const lbdata::Dataset dataset = read();
  lbdata::Statistics of_tasks;
  lbdata::Statistics of_ranks;
  for (const lbdata::RankData& data : dataset.ranks) {
    double sum = 0;
    for (const double time : data.phases[0].tasks.time_s) {
      of_tasks.add(time);
      sum += time;
    }
    of_ranks.add(sum);
  }
  for (std::size_t k = 0; k < 11; ++k) {
    const auto [name, value] = of_tasks.quantities()[k];
    EXPECT_NEAR(summary.object_load_s.quantities()[k].value, value, 1e-9 * (1 + std::abs(value))) << name;
    const double of_rank = of_ranks.quantities()[k].value;
    EXPECT_NEAR(summary.rank_load_s.quantities()[k].value, of_rank, 1e-9 * (1 + std::abs(of_rank))) << name;
  }
}

TEST_F(StatisticsRecording, WritesStatisticsFileOnRank0) {
  const Settings its = settings_of_statistics(3);
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  for (int phase = 0; phase < 8; ++phase) {
    recorder.add_time(recorder.rank_object(), 1.0 + rank);
    recorder.next_phase();
  }
  recorder.close();
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(files(), std::set<std::string>{"statistics.json"});
  std::ifstream file(its.lb_statistics_dir + "/statistics.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const lbdata::ValidationReport report = lbdata::validate_text(text, "statistics.json");
  for (const Diagnostic& finding : report.findings) ADD_FAILURE() << finding.what;
  for (const char* expected : {"{\"id\":0,", "{\"id\":3,", "{\"id\":6,"}) {
    EXPECT_NE(text.find(expected), std::string::npos) << expected;
  }
  EXPECT_EQ(text.find("{\"id\":1,"), std::string::npos);
}

TEST_F(StatisticsRecording, UsesFreeNameIfFileExists) {
  const Settings its = settings_of_statistics(1);
  const std::string existing = its.lb_statistics_dir + "/statistics.json";
  if (rank == 0) {
    std::filesystem::create_directories(its.lb_statistics_dir);
    std::ofstream(existing) << "of an earlier run";
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int run = 0; run < 2; ++run) {
    LoadRecorder recorder(MPI_COMM_WORLD, its);
    recorder.next_phase();
    recorder.close();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(files(), (std::set<std::string>{"statistics-2.json", "statistics-3.json", "statistics.json"}));
  EXPECT_EQ(std::filesystem::file_size(existing), 17U);
  MPI_Barrier(MPI_COMM_WORLD);

  Settings overwriting = its;
  overwriting.lb_data_overwrite = true;
  LoadRecorder recorder(MPI_COMM_WORLD, overwriting);
  recorder.next_phase();
  recorder.close();
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_NE(std::filesystem::file_size(existing), 17U);
  EXPECT_EQ(files().size(), 3U);
}

TEST_F(StatisticsRecording, RemovesLocksOfKilledRuns) {
  Settings its = settings_of_statistics(1);
  its.lb_statistics_file = "statistics.%t.json";
  const std::filesystem::path folder = its.lb_statistics_dir;
  const auto lock_of = [&](const std::string& name) { return folder / (".plimsoll." + name + ".lock"); };
  const std::vector<std::string> ended = {"statistics.2025-01-01.json", "statistics.2025-01-02-2.json"};
  const std::vector<std::string> kept = {"statistics.in-use.json", "other.2025-01-01.json"};
  if (rank == 0) {
    std::filesystem::create_directories(folder);
    for (const std::string& name : {ended[0], ended[1], kept[0], kept[1]})
      std::ofstream(lock_of(name))
          << "host far\nprocess 17\nmachine another\nstarted 1\nlock system\nbelieved_s 60\n";
    const auto now = std::filesystem::file_time_type::clock::now();
    for (const std::string& name : {ended[0], ended[1], kept[1]})
      std::filesystem::last_write_time(lock_of(name), now - std::chrono::hours(2));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  recorder.next_phase();
  for (const std::string& name : ended) EXPECT_FALSE(std::filesystem::exists(lock_of(name))) << name;
  for (const std::string& name : kept) EXPECT_TRUE(std::filesystem::exists(lock_of(name))) << name;
  recorder.close();
}

TEST_F(StatisticsRecording, LetsSeveralRecordersUseTheDefaultNameAtTheSameTime) {
  Settings its = settings_of_statistics(1);
  its.lb_statistics_file = Settings().lb_statistics_file;
  its.lb_statistics_compress = true;
  its.sink = [](std::string_view message) { ADD_FAILURE() << message; };
  constexpr std::size_t recorders = 6;
  std::vector<std::unique_ptr<LoadRecorder>> open;
  for (std::size_t k = 0; k < recorders; ++k) {
    // Overwriting is allowed, but not for files in use.
    its.lb_data_overwrite = k % 2 == 1;
    open.push_back(std::make_unique<LoadRecorder>(MPI_COMM_WORLD, its));
  }
  for (const auto& recorder : open) recorder->next_phase();
  for (const auto& recorder : open) recorder->close();
  MPI_Barrier(MPI_COMM_WORLD);
  const std::set<std::string> names = files();
  EXPECT_EQ(names.size(), recorders);
  for (const std::string& name : names) {
    EXPECT_TRUE(name.starts_with("vt_lb_statistics.") && name.ends_with(".json.br")) << name;
    EXPECT_EQ(lbdata::read_statistics_file(its.lb_statistics_dir + "/" + name).size(), 1U) << name;
  }
}

TEST_F(StatisticsRecording, ContinuesWithoutStatisticsIfDirectoryIsNotWritable) {
  Settings its = settings_of_statistics(1);
  its.lb_data = true;
  its.lb_statistics_dir = "/proc/none";
  std::vector<std::string> said;
  its.sink = [&said](std::string_view message) { said.emplace_back(message); };
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  for (int phase = 0; phase < 3; ++phase) recorder.next_phase();
  recorder.close();
  EXPECT_EQ(read().ranks.back().phases.size(), 3U);
  ASSERT_EQ(said.size(), rank == 0 ? 1U : 0U);
  if (rank == 0) {
    EXPECT_TRUE(said[0].starts_with("no statistics file is written: /proc/none: ")) << said[0];
  }
}

TEST_F(StatisticsRecording, ContinuesIfStatisticsFileCannotBeCompleted) {
  Settings its = settings_of_statistics(1);
  its.lb_data = true;
  std::vector<std::string> said;
  its.sink = [&said](std::string_view message) { said.emplace_back(message); };
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  recorder.next_phase();
  if (rank == 0) std::filesystem::remove_all(its.lb_statistics_dir);
  recorder.next_phase();
  recorder.close();
  EXPECT_EQ(read().ranks.back().phases.size(), 2U);
  ASSERT_EQ(said.size(), rank == 0 ? 1U : 0U);
  if (rank == 0) {
    EXPECT_TRUE(said[0].starts_with("the statistics file is incomplete: ")) << said[0];
  }
}

TEST_F(StatisticsRecording, AppliesConfiguredLoadModel) {
  Settings its = settings_of_statistics(1);
  its.lb_load_model = "PersistenceMedianLastN(n=2)";
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  const ObjectHandle object = recorder.register_object();
  recorder.add_time(object, 1.0 + rank);
  const PhaseSummary first = recorder.next_phase();
  EXPECT_EQ(first.object_load_modeled_s.sum(), first.object_load_s.sum());
  recorder.add_time(object, 3.0 + rank);
  const PhaseSummary second = recorder.next_phase();
  EXPECT_EQ(second.rank_load_s.maximum(), 2.0 + count);
  EXPECT_EQ(second.rank_load_modeled_s.maximum(), 1.0 + count);
  EXPECT_EQ(second.rank_load_modeled_s.count(), static_cast<std::uint64_t>(count));
  EXPECT_EQ(second.object_load_modeled_s.count(), second.object_load_s.count());
  recorder.close();
  MPI_Barrier(MPI_COMM_WORLD);
  std::ifstream file(its.lb_statistics_dir + "/statistics.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto maximum_of = [&](const std::string& statistic) {
    const std::size_t begin = text.find("\"" + statistic + "\"", text.find("{\"id\":1,"));
    return std::stod(text.substr(text.find("\"max\":", begin) + 6));
  };
  EXPECT_EQ(maximum_of("Rank_load_modeled"), 1.0 + count);
  EXPECT_EQ(maximum_of("Rank_load_raw"), 2.0 + count);
  EXPECT_EQ(maximum_of("Object_load_modeled"), 1.0 + count);
}

TEST_F(StatisticsRecording, UsesMeasuredLoadsWithoutModel) {
  Settings its = settings();
  its.lb_data = false;
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  for (const double time_s : {1.0, 4.0}) {
    recorder.add_time(recorder.rank_object(), time_s);
    const PhaseSummary summary = recorder.next_phase();
    EXPECT_EQ(summary.rank_load_modeled_s.maximum(), summary.rank_load_s.maximum());
    EXPECT_EQ(summary.object_load_modeled_s.count(), summary.object_load_s.count());
  }
  recorder.close();
}

TEST_F(StatisticsRecording, PrintsOneLinePerPhaseOnRank0) {
  std::vector<std::string> lines;
  Settings its = settings();
  its.lb_data = false;
  its.lb_quiet = false;
  its.sink = [&](std::string_view line) { lines.emplace_back(line); };
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  recorder.next_phase();
  recorder.next_phase();
  recorder.close();
  ASSERT_EQ(lines.size(), rank == 0 ? 2U : 0U);
  if (rank == 0) {
    EXPECT_EQ(lines[1].substr(0, 9), "phase 1: ");
  }
}

}  // namespace
}  // namespace plimsoll::testing
