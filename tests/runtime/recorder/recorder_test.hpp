#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::testing {

using runtime::Endpoint;
using runtime::LoadRecorder;
using runtime::ObjectHandle;
using runtime::ObjectId;
using runtime::PhaseSummary;
using runtime::Settings;
using runtime::UserValueKind;

/// Returns the text of rank 0 on all ranks.
inline std::string text_of_rank_0(std::string text) {
  int size = static_cast<int>(text.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), size, MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

/// Fixture with a directory that all ranks share.
class RecorderRun : public ::testing::Test {
 protected:
  RecorderRun() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (rank == 0) folder_of_rank_0_.emplace();
    folder = text_of_rank_0(rank == 0 ? folder_of_rank_0_->path() : "");
  }
  ~RecorderRun() override { MPI_Barrier(MPI_COMM_WORLD); }

  /// Returns quiet settings with separate data files for each name.
  Settings settings(const std::string& name = "data") const {
    Settings result;
    result.lb_data = true;
    result.lb_data_dir = folder + "/" + name;
    result.lb_statistics = false;
    result.lb_quiet = true;
    return result;
  }

  /// Reads the files of all ranks. Rank 0 expects that they pass every check.
  lbdata::Dataset read(const std::string& name = "data", int ranks = 0) const {
    MPI_Barrier(MPI_COMM_WORLD);
    const std::vector<lbdata::RankFile> files = files_of(name, ranks == 0 ? count : ranks);
    if (rank == 0) expect_valid(files);
    return lbdata::read(files, {.threads = 1}).dataset;
  }
  lbdata::Dataset read_alone(const std::string& name, int ranks) const {
    const std::vector<lbdata::RankFile> files = files_of(name, ranks);
    expect_valid(files);
    return lbdata::read(files, {.threads = 1}).dataset;
  }

 public:
  int rank = 0;
  int count = 0;       ///< number of ranks
  std::string folder;  ///< the same on all ranks

 private:
  std::vector<lbdata::RankFile> files_of(const std::string& name, int ranks) const {
    std::vector<lbdata::RankFile> files;
    files.reserve(static_cast<std::size_t>(ranks));
    for (int other = 0; other < ranks; ++other) {
      files.push_back({other, folder + "/" + name + "/data." + std::to_string(other) + ".json.br"});
    }
    return files;
  }
  static void expect_valid(const std::vector<lbdata::RankFile>& files) {
    lbdata::ValidateOptions options{.threads = 1};
    std::erase(options.checks, "local-messages");  // many tests send to ranks only
    std::erase(options.checks, "object-messages");
    const lbdata::ValidationReport report = lbdata::validate(files, options);
    for (const Diagnostic& finding : report.findings)
      ADD_FAILURE() << finding.pointer.value_or("") << ": " << finding.what;
  }

  std::optional<TemporaryFolder> folder_of_rank_0_;
};

/// Returns the error that next_phase() throws, if any.
inline std::optional<Error> error_of_next_phase(LoadRecorder& recorder) {
  return error_of([&] { recorder.next_phase(); });
}

/// Returns the position of an object's task in the given phase, or nothing if the task is missing.
inline std::optional<std::uint32_t> task_of(const lbdata::Dataset& dataset, const lbdata::PhaseRecord& phase,
                                            ObjectId id) {
  for (std::uint32_t task = 0; task < phase.tasks.size(); ++task) {
    if (dataset.entities.number(phase.tasks.entity[task]).bits == static_cast<std::uint64_t>(id)) return task;
  }
  return std::nullopt;
}

/// Returns the load of an object on this rank in a phase that has ended.
inline double load_in_phase_s(const LoadRecorder& recorder, ObjectId id, std::int64_t phase) {
  const lbdata::PhaseRecord& record = *recorder.node_lb_data().phase(phase);
  for (std::size_t task = 0; task < record.tasks.size(); ++task) {
    if (recorder.node_lb_data().entities().number(record.tasks.entity[task]).bits ==
        static_cast<std::uint64_t>(id)) {
      return record.tasks.time_s[task];
    }
  }
  ADD_FAILURE() << "no task of object " << static_cast<std::uint64_t>(id);
  return -1;
}

inline std::set<std::uint64_t> ids_of(const lbdata::Dataset& dataset, const lbdata::PhaseRecord& phase) {
  std::set<std::uint64_t> result;
  for (const lbdata::EntityIndex entity : phase.tasks.entity)
    result.insert(dataset.entities.number(entity).bits);
  return result;
}

/// Errors of one rank that all ranks must throw at the end of the phase, after which the program continues.
class RecorderWithErrors : public RecorderRun {
 protected:
  /// Causes an error on the last rank and expects the same exception on all ranks.
  void expect_agreed_error(const std::string& expected, const std::function<void(LoadRecorder&)>& wrong) {
    SCOPED_TRACE(expected);
    const int guilty = count - 1;
    LoadRecorder recorder(MPI_COMM_WORLD, settings("errors" + std::to_string(++runs_)));
    recorder.register_object({.number = 1000});
    recorder.next_phase();
    if (rank == guilty) wrong(recorder);
    const auto error = error_of_next_phase(recorder);
    EXPECT_TRUE(error) << "no error was thrown";
    const std::string text = error ? error->what() : "";
    EXPECT_EQ(text, text_of_rank_0(text));
    EXPECT_EQ(text.find("rank " + std::to_string(guilty) + ": ") == 0, count > 1) << text;
    EXPECT_NE(text.find(expected), std::string::npos) << text;
    EXPECT_EQ(error ? error->kind() : ErrorKind::system, ErrorKind::usage);

    EXPECT_EQ(recorder.phase(), 2);
    const PhaseSummary summary = recorder.next_phase();
    EXPECT_EQ(summary.phase, 2);
    recorder.close();
    EXPECT_EQ(read("errors" + std::to_string(runs_)).ranks[static_cast<std::size_t>(rank)].phases.size(), 3U);
  }

 private:
  int runs_ = 0;
};

}  // namespace plimsoll::testing
