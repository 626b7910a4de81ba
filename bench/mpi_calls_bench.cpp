// Measures the time that recording all MPI calls adds per call, for each MPI, with their callers and without,
// and what following the critical path adds to an exchange.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "common/temporary_folder.hpp"
#include "mpi_case.hpp"

namespace {

struct RecordedMpi {
  std::string name;
  std::string launcher;
  std::string library;
};

const std::vector<RecordedMpi> mpis = {
#include "recorded_mpis.inc"
};

/// Measures the CPU time added to a call from a known place: the program prints it in ns.
void added_to_a_call(benchmark::State& state, const RecordedMpi& mpi, const std::string& call,
                     const std::string& options) {
  for (auto _ : state) {
    const plimsoll::testing::TemporaryFolder folder;
    const std::string command = fmt::format(
        "env LD_PRELOAD={} PLIMSOLL_PROFILER=quiet,{} PLIMSOLL_PROFILER_FOLDER={} timeout 60 "
        "{}recorded_calls_{} {}",
        mpi.library, options, folder.path(), PLIMSOLL_PROFILED_PROGRAMS, mpi.name, call);
    std::FILE* const output = popen(command.c_str(), "r");
    double ns = 0;
    const bool printed = output && std::fscanf(output, "%lf", &ns) == 1;
    if (!output || pclose(output) != 0 || !printed)
      return state.SkipWithError(("failed: " + command).c_str());
    state.SetIterationTime(1e-9 * ns);
  }
}

/// Registers the time that recording `data` adds to an exchange between two ranks, beside its own time.
void add_exchange(const RecordedMpi& mpi, const std::string& data, const std::string& exchange,
                  const std::string& folder) {
  const std::string program = fmt::format(
      "env LD_PRELOAD={} PLIMSOLL_PROFILER=quiet,overwrite,{} PLIMSOLL_PROFILER_FOLDER={} "
      "{}exchanged_messages_{}",
      mpi.library, data, folder, PLIMSOLL_PROFILED_PROGRAMS, mpi.name);
  benchmark::RegisterBenchmark(
      fmt::format("{}/{}/{}", mpi.name, data, exchange).c_str(),
      [mpi, program, exchange](benchmark::State& state) {
        plimsoll::bench::run_case(state, {mpi.name, mpi.launcher, program}, exchange, 2);
      })
      ->Iterations(1);
}

}  // namespace

int main(int argc, char** argv) {
  const plimsoll::testing::TemporaryFolder folder;
  for (const RecordedMpi& mpi : mpis)
    for (const char* data : {"mpi", "critical-path"})
      for (const char* exchange : {"message", "collective"}) add_exchange(mpi, data, exchange, folder.path());
  for (const RecordedMpi& mpi : mpis)
    for (const char* call : {"test", "send", "nested", "region"})
      for (const char* options : {"mpi", "mpi,depth=1"})
        benchmark::RegisterBenchmark(
            (mpi.name + "/" + call + "/" + options).c_str(),
            [&mpi, call, options](benchmark::State& state) { added_to_a_call(state, mpi, call, options); })
            ->Iterations(5)
            ->UseManualTime();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
