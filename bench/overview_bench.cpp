#include <benchmark/benchmark.h>

#include <string>

#include <plimsoll/lbdata/generator.hpp>
#include <plimsoll/lbdata/reader.hpp>

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

}  // namespace
