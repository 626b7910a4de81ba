// Measures the time that recording all MPI calls adds per call, for each MPI.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "common/temporary_folder.hpp"

namespace {

struct RecordedMpi {
  std::string name;
  std::string library;
};

const std::vector<RecordedMpi> mpis = {
#include "recorded_mpis.inc"
};

/// Measures the CPU time added to a call from a known place: the program prints it in ns.
void added_to_a_call(benchmark::State& state, const RecordedMpi& mpi, const std::string& call) {
  for (auto _ : state) {
    const plimsoll::testing::TemporaryFolder folder;
    const std::string command = fmt::format(
        "env LD_PRELOAD={} PLIMSOLL_PROFILER=quiet,mpi PLIMSOLL_PROFILER_FOLDER={} timeout 60 "
        "{}recorded_calls_{} {}",
        mpi.library, folder.path(), PLIMSOLL_PROFILED_PROGRAMS, mpi.name, call);
    std::FILE* const output = popen(command.c_str(), "r");
    double ns = 0;
    const bool printed = output && std::fscanf(output, "%lf", &ns) == 1;
    if (!output || pclose(output) != 0 || !printed)
      return state.SkipWithError(("failed: " + command).c_str());
    state.SetIterationTime(1e-9 * ns);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const RecordedMpi& mpi : mpis)
    for (const char* call : {"test", "send"})
      benchmark::RegisterBenchmark(
          (mpi.name + "/" + call).c_str(),
          [&mpi, call](benchmark::State& state) { added_to_a_call(state, mpi, call); })
          ->Iterations(5)
          ->UseManualTime();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
