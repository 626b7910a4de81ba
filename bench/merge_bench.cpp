#include <benchmark/benchmark.h>

#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/collectives/summary.hpp>

#include "child_process.hpp"
#include "collectives/log_builder.hpp"
#include "common/temporary_folder.hpp"

// Measures merging the logs of 1,024 ranks that made 10,000 calls with 10 count sets, in which all count
// vectors differ, relative to reading the bytes of these logs.

namespace {

using plimsoll::testing::TemporaryFolder;

using namespace plimsoll;
using testing::LogBuilder;

constexpr std::uint32_t ranks = 1024;
constexpr std::uint32_t calls = 10000;
constexpr std::uint32_t signatures = 10;
constexpr collectives::Operation alltoallv{collectives::Exchange::alltoallv};

enum class Order { cyclic, random };

struct RunLogs {
  explicit RunLogs(Order order) {
    std::vector<std::uint32_t> members(ranks);
    std::iota(members.begin(), members.end(), 0U);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const std::string log = log_of(rank, members, order);
      bytes += log.size();
      std::ofstream(folder / ("plimsoll-7.rank" + std::to_string(rank) + ".log"), std::ios::binary) << log;
    }
  }

  static std::string log_of(std::uint32_t rank, const std::vector<std::uint32_t>& members, Order order) {
    LogBuilder log(rank, ranks);
    log.communicator(rank, members);
    std::mt19937 numbers(rank);
    for (std::uint32_t k = 0; k < signatures; ++k) {
      LogBuilder::Row row;
      for (std::uint32_t peer = 0; peer < ranks; ++peer) {
        row.send.push_back(static_cast<std::int64_t>(numbers() % 100000));
        row.recv.push_back(static_cast<std::int64_t>(numbers() % 100000));
      }
      log.row(row);
    }
    if (order == Order::cyclic) {
      for (std::uint32_t k = 0; k < signatures; ++k)
        log.calls({.operation = alltoallv,
                   .item = k,
                   .index = k,
                   .count = calls / signatures,
                   .index_step = signatures,
                   .id_step = signatures});
    } else {
      std::mt19937 choice(1);  // same seed on all ranks
      for (std::uint32_t call = 0; call < calls; ++call)
        log.calls({.operation = alltoallv,
                   .item = static_cast<std::uint32_t>(choice() % signatures),
                   .index = call});
    }
    return log.finished().bytes();
  }

  TemporaryFolder folder;
  std::uint64_t bytes = 0;
};

void read_bytes(const std::string& folder) {
  std::vector<char> buffer;
  std::uint64_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    buffer.resize(entry.file_size());
    std::ifstream(entry.path(), std::ios::binary)
        .read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    for (std::size_t k = 0; k + 8 <= buffer.size(); k += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, buffer.data() + k, 8);
      sum += word;
    }
  }
  benchmark::DoNotOptimize(sum);
}

void merge_logs(benchmark::State& state) {
  const RunLogs logs(static_cast<Order>(state.range(0)));
  double merge_s = 0;
  double read_s = 0;
  std::uint64_t peak_bytes = 0;
  for (auto _ : state) {
    const Usage merged = run_in_child([&] {
      const auto result = collectives::merge_files(collectives::find_logs(logs.folder.path()).at(0));
      if (result.profile.leads.at(0).signatures.size() != signatures) _exit(1);
    });
    merge_s += merged.cpu_s;
    read_s += run_in_child([&] { read_bytes(logs.folder.path()); }).cpu_s;
    peak_bytes = std::max(peak_bytes, merged.peak_bytes);
    state.SetIterationTime(merged.cpu_s);
  }
  state.counters["times_reading"] = merge_s / read_s;
  state.counters["peak_MiB"] = static_cast<double>(peak_bytes >> 20);
  state.counters["log_MiB"] = static_cast<double>(logs.bytes >> 20);
}
BENCHMARK(merge_logs)
    ->ArgName("random_order")
    ->Arg(static_cast<int>(Order::cyclic))
    ->Arg(static_cast<int>(Order::random))
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

/// Measures the commands that analyse logs, each in a separate process: merging the logs into files, and
/// summarising these.
void merge_write_read_summarize(benchmark::State& state) {
  const RunLogs logs(static_cast<Order>(state.range(0)));
  std::uint64_t peak_bytes = 0;
  for (auto _ : state) {
    const Usage merged = run_in_child([&] {
      const auto result = collectives::merge_files(collectives::find_logs(logs.folder.path()).at(0));
      collectives::write(result.profile, logs.folder.path(), {.overwrite = true});
    });
    const Usage summarized = run_in_child([&] {
      const auto summary = collectives::summarize(collectives::read({logs.folder.path()}).profile);
      if (summary.calls != calls) _exit(1);
    });
    peak_bytes = std::max({peak_bytes, merged.peak_bytes, summarized.peak_bytes});
    state.SetIterationTime(merged.cpu_s + summarized.cpu_s);
    state.counters["merge_write_s"] = merged.cpu_s;
    state.counters["read_summarize_s"] = summarized.cpu_s;
  }
  state.counters["peak_MiB"] = static_cast<double>(peak_bytes >> 20);
}
BENCHMARK(merge_write_read_summarize)
    ->ArgName("random_order")
    ->Arg(static_cast<int>(Order::cyclic))
    ->Arg(static_cast<int>(Order::random))
    ->UseManualTime()
    ->Iterations(2)
    ->Unit(benchmark::kMillisecond);

/// Makes a small malicious log with runs that describe many calls: two runs that repeatedly pass each other,
/// `step` calls apart. The result determines the time for the maximum number of calls that is accepted.
void merge_hostile_log(benchmark::State& state) {
  constexpr std::uint64_t log_calls = 1 << 24;
  const auto step = static_cast<std::uint64_t>(state.range(0));
  LogBuilder log(0, 1);
  log.communicator(0, {0});
  log.row({.send = {1}, .recv = {1}});
  for (const std::uint64_t more : {0, 1})
    log.calls({.operation = alltoallv,
               .index = more,
               .count = log_calls / 2,
               .index_step = step + more,
               .id_step = step + more});
  const std::string bytes = log.bytes();
  Usage usage;
  for (auto _ : state) {
    usage = run_in_child([&] {
      const collectives::LogContent content = {.bytes = bytes, .name = "hostile"};
      benchmark::DoNotOptimize(collectives::merge({&content, 1}));
    });
    state.SetIterationTime(usage.cpu_s);
  }
  const auto share_of_limit =
      static_cast<double>(log_calls) / static_cast<double>(collectives::MergeLimits().max_scattered_calls);
  state.counters["s_at_limit"] = usage.cpu_s / share_of_limit;
  state.counters["MiB_at_limit"] = static_cast<double>(usage.peak_bytes >> 20) / share_of_limit;
}
BENCHMARK(merge_hostile_log)
    ->ArgName("step")
    ->Arg(3)
    ->Arg(1000)
    ->Arg(1'000'000)
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
