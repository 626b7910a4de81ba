#pragma once

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace plimsoll::bench {

/// Program with the cases of a benchmark, built for one MPI.
struct MpiCases {
  std::string mpi;
  std::string launcher;
  std::string program;
};

/// Runs one case and makes a counter of each result that it prints as a line "name value".
inline void run_case(benchmark::State& state, const MpiCases& cases, const std::string& name, int ranks) {
  // By default, Open MPI refuses to run as root and with more ranks than cores. Both cases are common in
  // containers.
  const std::string command = fmt::format(
      "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
      "timeout 120 {} -n {} {} {}",
      cases.launcher, ranks, cases.program, name);
  for (auto _ : state) {
    std::FILE* const output = popen(command.c_str(), "r");
    std::array<char, 64> counter{};
    double value = 0;
    while (output && std::fscanf(output, "%63s %lf", counter.data(), &value) == 2)
      state.counters[counter.data()] = value;
    if (!output || pclose(output) != 0) state.SkipWithError(("failed: " + command).c_str());
  }
}

/// Registers the benchmark of one case, MPI/name/ranks:N.
inline void add_case(const MpiCases& cases, const std::string& name, int ranks) {
  benchmark::RegisterBenchmark(
      fmt::format("{}/{}/ranks:{}", cases.mpi, name, ranks).c_str(),
      [cases, name, ranks](benchmark::State& state) { run_case(state, cases, name, ranks); })
      ->Iterations(1)
      ->Unit(benchmark::kSecond);
}

}  // namespace plimsoll::bench
