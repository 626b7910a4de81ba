#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/internal/recorder.hpp>
#include <plimsoll/collectives/merge.hpp>

#include "child_process.hpp"
#include "common/temporary_folder.hpp"

// Measures long runs of two ranks, from the first call to the files of the profile: time and memory of a
// rank, size of its log, time and memory of the merge, and size of the files. The count sets are in cycles or
// in random order. Programs use the recorder as the profiler does, but without MPI.

namespace {

using plimsoll::testing::TemporaryFolder;

using namespace plimsoll;

constexpr std::uint32_t ranks = 2;
constexpr collectives::Operation alltoallv{collectives::Exchange::alltoallv};

enum class Order : std::int64_t { cyclic, random };

struct Case {
  Order order;
  std::uint32_t sets;
  std::uint64_t calls;
};

void record(const Case& given, std::uint32_t rank, const std::string& folder) {
  collectives::Recorder recorder(
      {.folder = folder},
      {.run_id = 1, .world_rank = rank, .world_size = ranks, .host = "node", .program = "/opt/app"});
  recorder.add_communicator({.comm_rank = rank, .members = {0, 1}});
  std::mt19937 random(1);  // equal on all ranks
  std::int32_t counts[ranks] = {1, 0};
  const collectives::Row row = {.send_type_size = 8,
                                .recv_type_size = 8,
                                .send = collectives::IntegerSpan(counts, ranks),
                                .recv = collectives::IntegerSpan(counts, ranks)};
  std::uint32_t set = 0;
  for (std::uint64_t k = 0; k < given.calls; ++k) {
    counts[1] = static_cast<std::int32_t>(set);
    const collectives::Recorder::Call call = recorder.begin_call(0, alltoallv);
    if (call.recorded) recorder.record_counts(call, row);
    if (given.order == Order::random)
      set = static_cast<std::uint32_t>(random() % given.sets);
    else if (++set == given.sets)
      set = 0;
  }
  recorder.finish(true);
}

/// Returns the size of the logs in a directory, or of all other files.
std::uint64_t bytes_of_files(const std::string& folder, bool are_logs) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if ((entry.path().extension() == ".log") == are_logs) bytes += entry.file_size();
  return bytes;
}

constexpr double mebibyte = 1 << 20;

void long_run(benchmark::State& state) {
  const Case given = {static_cast<Order>(state.range(0)), static_cast<std::uint32_t>(state.range(1)),
                      static_cast<std::uint64_t>(state.range(2))};
  for (auto _ : state) {
    const TemporaryFolder folder;
    const Usage nothing = run_in_child([] {});
    const Usage recorded = run_in_child([&] { record(given, 0, folder.path()); });
    run_in_child([&] { record(given, 1, folder.path()); });
    const Usage merged = run_in_child([&] {
      const auto result = collectives::merge_files(collectives::find_logs(folder.path()).at(0));
      if (collectives::recorded_calls(result.profile) != given.calls) _exit(1);
      collectives::write(result.profile, folder.path());
    });
    const Usage read = run_in_child([&] {
      const auto result = collectives::read({folder / "collectives.job0.profile"});
      if (collectives::recorded_calls(result.profile) != given.calls) _exit(1);
    });
    const auto calls = static_cast<double>(given.calls);
    const auto log_bytes = static_cast<double>(bytes_of_files(folder.path(), true)) / ranks;
    state.SetIterationTime(recorded.cpu_s + merged.cpu_s);
    state.counters["record_ns"] = recorded.cpu_s / calls * 1e9;
    state.counters["rank_MiB"] = static_cast<double>(recorded.peak_bytes - nothing.peak_bytes) / mebibyte;
    state.counters["log_MiB"] = log_bytes / mebibyte;
    state.counters["bits_per_call"] = 8 * log_bytes / calls;
    state.counters["merge_ns"] = merged.cpu_s / calls * 1e9;
    state.counters["merge_MiB"] = static_cast<double>(merged.peak_bytes - nothing.peak_bytes) / mebibyte;
    state.counters["profile_MiB"] =
        static_cast<double>(std::filesystem::file_size(folder / "collectives.job0.profile")) / mebibyte;
    state.counters["read_s"] = read.cpu_s;
    state.counters["files_MiB"] = static_cast<double>(bytes_of_files(folder.path(), false)) / mebibyte;
  }
}
BENCHMARK(long_run)
    ->ArgNames({"random", "sets", "calls"})
    ->Args({0, 1, 100'000'000})
    ->Args({0, 2, 100'000'000})
    ->Args({0, 10'000, 100'000'000})
    ->Args({0, 10'000, 1'000'000'000})
    ->Args({1, 2, 300'000})
    ->Args({1, 2, 100'000'000})
    ->Args({1, 1000, 10'000'000})
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
