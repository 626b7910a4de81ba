// Measures planning, the directory and the migration of objects between ranks, for each MPI.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace {

struct MigrationMpi {
  std::string name;
  std::string launcher;
  std::string program;
};

const std::vector<MigrationMpi> mpis = {
#include "migration_mpis.inc"
};

/// Runs one case and makes a counter of each result that it prints.
void run_case(benchmark::State& state, const MigrationMpi& mpi, const std::string& name, int ranks) {
  // By default, Open MPI refuses to run as root and with more ranks than cores. Both cases are common in
  // containers.
  const std::string command = fmt::format(
      "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
      "timeout 120 {} -n {} {} {}",
      mpi.launcher, ranks, mpi.program, name);
  for (auto _ : state) {
    std::FILE* const output = popen(command.c_str(), "r");
    std::array<char, 64> counter{};
    double value = 0;
    while (output && std::fscanf(output, "%63s %lf", counter.data(), &value) == 2)
      state.counters[counter.data()] = value;
    if (!output || pclose(output) != 0) state.SkipWithError(("failed: " + command).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const MigrationMpi& mpi : mpis) {
    const auto add = [&](const std::string& name, int ranks) {
      benchmark::RegisterBenchmark(
          fmt::format("{}/{}/ranks:{}", mpi.name, name, ranks).c_str(),
          [mpi, name, ranks](benchmark::State& state) { run_case(state, mpi, name, ranks); })
          ->Iterations(1)
          ->Unit(benchmark::kSecond);
    };
    for (const int ranks : {2, 4}) add("lookups", ranks);
    add("large", 2);
    add("small", 2);
    add("plan", 4);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
