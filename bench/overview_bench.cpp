#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/generator.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/support/text_source.hpp>

#include "child_process.hpp"
#include "common/temporary_folder.hpp"

// Measures `plimsoll info` as a process.

namespace {

using namespace plimsoll::lbdata;

constexpr std::int64_t edges_per_task = 2;

/// Measures the peak memory of reading 6.4 million tasks in one phase, with two edges each, and of `plimsoll
/// info` for them, relative to 64 bytes per task and 40 per edge. With several phases, a thread examines one
/// of them at a time, which takes less memory per task.
void memory(benchmark::State& state) {
  const auto threads = static_cast<unsigned>(state.range(0));
  const plimsoll::testing::TemporaryFolder folder;
  GenerateOptions options;
  options.ranks = 64;
  options.objects_per_rank = 100'000;
  options.law = LoadLaw::lognormal;
  options.topology = Topology::random;
  options.degree = edges_per_task;
  options.sentinels = 0;
  generate_files(options, folder / "data", "data", {.quality = 1});
  const auto files = find_rank_files({folder / "data"});
  const auto bytes_per_task = [&](const Usage& usage) {
    return static_cast<double>(usage.peak_bytes) /
           static_cast<double>(options.ranks * options.objects_per_rank);
  };
  Usage reading;
  Usage info;
  for (auto _ : state) {
    reading = run_in_child([&] { benchmark::DoNotOptimize(read(files, {.threads = threads})); });
    info =
        run_program({PLIMSOLL_PROGRAM, "info", folder / "data", "--threads", std::to_string(state.range(0))});
    state.SetIterationTime(info.cpu_s);
  }
  state.counters["bytes per task, reading"] = bytes_per_task(reading);
  state.counters["bytes per task, info"] = bytes_per_task(info);
  state.counters["info of 64 + 2 x 40"] = bytes_per_task(info) / (64 + 40 * edges_per_task);
}
BENCHMARK(memory)->ArgName("threads")->Arg(1)->Arg(2)->Iterations(1)->UseManualTime()->Unit(
    benchmark::kSecond);

/// Decompresses files in one process; `brotli -dc` accepts only one file.
void decompress(const std::vector<RankFile>& files) {
  std::vector<char> text(std::size_t{1} << 20);
  for (const RankFile& file : files) {
    plimsoll::support::TextSource source(
        file.path,
        {.begins_text = [](std::string_view) { return false; }, .name = "a brotli stream", .hint = ""});
    while (source.read(text.data(), text.size()) > 0) benchmark::ClobberMemory();
  }
}

/// Measures `plimsoll info` for 610 objects per rank, which are 10^7 objects on 16,384 ranks, each with an
/// edge to its neighbour, relative to the CPU time for decompressing the same files.
void many_ranks(benchmark::State& state) {
  const plimsoll::testing::TemporaryFolder folder;
  GenerateOptions options;
  options.ranks = state.range(0);
  options.objects_per_rank = 610;
  options.law = LoadLaw::lognormal;
  options.topology = Topology::ring;
  options.degree = 1;
  options.sentinels = 0;
  generate_files(options, folder / "data", "data", {.quality = 1});
  const auto files = find_rank_files({folder / "data"});
  double decompression_s = 0;
  double info_s = 0;
  for (auto _ : state) {
    decompression_s += run_in_child([&] { decompress(files); }).cpu_s;
    const auto start = std::chrono::steady_clock::now();
    info_s += run_program({PLIMSOLL_PROGRAM, "info", folder / "data"}).cpu_s;
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  state.counters["CPU s"] = info_s / static_cast<double>(state.iterations());
  state.counters["CPU time x decompression"] = info_s / decompression_s;
}
BENCHMARK(many_ranks)
    ->ArgName("ranks")
    ->Arg(1024)
    ->Arg(16384)
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kSecond);

}  // namespace
