// Measures the overhead of the preloaded profiler in a program, for each MPI.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/temporary_folder.hpp"

namespace {

using plimsoll::testing::TemporaryFolder;

namespace fs = std::filesystem;

struct ProfiledMpi {
  std::string name;
  std::string launcher;
  std::string profiler;
};

const std::vector<ProfiledMpi> mpis = {
#include "profiled_mpis.inc"
};

/// Returns the numbers that a command prints.
template <std::size_t count>
std::array<double, count> numbers_of(const std::string& command) {
  std::FILE* const output = popen(("timeout 60 " + command).c_str(), "r");
  std::array<double, count> numbers{};
  bool printed = output != nullptr;
  for (double& number : numbers) printed = printed && std::fscanf(output, "%lf", &number) == 1;
  if (!output || pclose(output) != 0 || !printed) throw std::runtime_error("failed: " + command);
  return numbers;
}

double number_of(const std::string& command) {
  return numbers_of<1>(command)[0];
}

/// Returns the prefix of a command line that profiles the program with these options.
std::string with_profiler(const ProfiledMpi& mpi, const std::string& options, const TemporaryFolder& logs) {
  return fmt::format("env LD_PRELOAD={} PLIMSOLL_PROFILER=quiet,merge=later,{} PLIMSOLL_PROFILER_FOLDER={} ",
                     mpi.profiler, options, logs.path());
}

std::string program(const ProfiledMpi& mpi, const std::string& name) {
  return PLIMSOLL_PROFILED_PROGRAMS + name + "_" + mpi.name;
}

/// Measures the CPU time added to an MPI_Alltoallv call that does nothing: the minimum over several
/// processes.
void added_to_a_call(benchmark::State& state, const ProfiledMpi& mpi, const std::string& options) {
  for (auto _ : state) {
    const TemporaryFolder logs;
    const double ns = number_of(
        with_profiler(mpi, options, logs) +
        fmt::format("{} {} {} {}", program(mpi, "calls"), state.range(0), state.range(1), state.range(2)));
    state.SetIterationTime(1e-9 * ns);
  }
}

/// Measures the CPU time added to an MPI_Ialltoallv call that does nothing, and to its MPI_Wait.
void added_to_a_nonblocking_call(benchmark::State& state, const ProfiledMpi& mpi,
                                 const std::string& options) {
  for (auto _ : state) {
    const TemporaryFolder logs;
    const double ns =
        number_of(with_profiler(mpi, options, logs) +
                  fmt::format("{} {} {}", program(mpi, "nonblocking_calls"), state.range(0), state.range(1)));
    state.SetIterationTime(1e-9 * ns);
  }
}

/// Measures the CPU time added to a call by hashing its data, also relative to XXH3 alone and to reading the
/// memory. Data are `bytes` sent and as many received.
void hashed_data(benchmark::State& state, const ProfiledMpi& mpi, const std::string& layout) {
  const auto bytes = static_cast<double>(state.range(0));
  for (auto _ : state) {
    const TemporaryFolder logs;
    const auto [added_ns, hash_ns, read_ns] =
        numbers_of<3>(with_profiler(mpi, "content-hash", logs) +
                      fmt::format("{} {} {}", program(mpi, "hashed_data"), state.range(0), layout));
    state.SetIterationTime(1e-9 * added_ns);
    state.counters["GB_per_s"] = 2 * bytes / added_ns;
    state.counters["times_xxh3"] = added_ns / hash_ns;
    state.counters["times_reading"] = added_ns / read_ns;
  }
}

/// Measures the minimum run time of a program with the profiler, also relative to its run time without.
void program_on_2_ranks(benchmark::State& state, const ProfiledMpi& mpi, const std::string& name,
                        const std::string& options) {
  // By default, Open MPI refuses to run as root and with more ranks than cores. Both cases are common in
  // containers.
  const std::string launch =
      "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 " +
      mpi.launcher + " -n 2 ";
  const std::string command = fmt::format("{} {} {}", program(mpi, name), state.range(0), state.range(1));
  const auto calls = static_cast<double>(state.range(1));
  double profiled = std::numeric_limits<double>::infinity();
  double unprofiled = profiled;
  for (auto _ : state) {
    const TemporaryFolder logs;
    const double seconds =
        number_of(fmt::format("{}{}{}", launch, with_profiler(mpi, options, logs), command));
    profiled = std::min(profiled, seconds);
    unprofiled = std::min(unprofiled, number_of(launch + command));
    state.SetIterationTime(seconds / calls);
  }
  state.counters["minimum_us"] = 1e6 * profiled / calls;
  state.counters["times_unprofiled"] = profiled / unprofiled;
}

/// Skips this benchmark and continues with the others if a program cannot be launched or takes too long.
template <class Benchmark>
void unless_it_fails(benchmark::State& state, Benchmark&& benchmark) {
  try {
    benchmark();
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

double minimum(const std::vector<double>& values) {
  return *std::ranges::min_element(values);
}

void add_benchmarks(const ProfiledMpi& mpi) {
  const auto add_calls = [&](const std::string& what, const std::string& options) {
    return benchmark::RegisterBenchmark((mpi.name + "/" + what).c_str(),
                                        [mpi, options](benchmark::State& state) {
                                          unless_it_fails(state,
                                                          [&] { added_to_a_call(state, mpi, options); });
                                        })
        ->ArgNames({"ranks", "signatures", "calls"})
        ->Iterations(1)
        ->Repetitions(5)
        ->ReportAggregatesOnly()
        ->ComputeStatistics("minimum", minimum)
        ->UseManualTime();
  };
  add_calls("counts", "counts")
      ->ArgsProduct({{4, 16, 64}, {1, 10}, {1'000'000}})
      ->ArgsProduct({{1024}, {1, 10}, {300'000}});
  add_calls("counts_all_different", "counts")
      ->Args({4, 0, 300'000})
      ->Args({64, 0, 300'000})
      ->Args({1024, 0, 30'000});
  for (const char* options :
       {"counts,times", "counts,late-arrival", "counts,backtraces", "counts,displacements",
        "counts,times,late-arrival,locations,backtraces,displacements", "counts,mpi", "counts,times,mpi",
        "mpi"})
    add_calls(options, options)->Args({64, 1, 300'000});

  for (const char* options : {"counts", "counts,times"})
    benchmark::RegisterBenchmark((mpi.name + "/nonblocking/" + options).c_str(),
                                 [mpi, options](benchmark::State& state) {
                                   unless_it_fails(state,
                                                   [&] { added_to_a_nonblocking_call(state, mpi, options); });
                                 })
        ->ArgNames({"open", "calls"})
        ->Args({1, 300'000})
        ->Args({100, 300'000})
        ->Iterations(1)
        ->Repetitions(5)
        ->ReportAggregatesOnly()
        ->ComputeStatistics("minimum", minimum)
        ->UseManualTime();

  for (const char* layout : {"adjacent", "gaps"})
    benchmark::RegisterBenchmark((mpi.name + "/content-hash/" + layout).c_str(),
                                 [mpi, layout](benchmark::State& state) {
                                   unless_it_fails(state, [&] { hashed_data(state, mpi, layout); });
                                 })
        ->ArgName("bytes")
        ->Args({1 << 10})
        ->Args({1 << 16})
        ->Args({1 << 22})
        ->Args({1 << 26})
        ->Iterations(1)
        ->Repetitions(5)
        ->ReportAggregatesOnly()
        ->UseManualTime();

  const auto add_program = [&](const std::string& name, const std::string& options) {
    return benchmark::RegisterBenchmark((mpi.name + "/" + name + "/" + options).c_str(),
                                        [mpi, name, options](benchmark::State& state) {
                                          unless_it_fails(
                                              state, [&] { program_on_2_ranks(state, mpi, name, options); });
                                        })
        ->Iterations(5)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  };
  for (const char* options : {"counts", "counts,times,late-arrival,locations,backtraces"}) {
    add_program("exchange", options)
        ->ArgNames({"bytes", "calls"})
        ->Args({1024, 200'000})
        ->Args({65536, 5'000});
    if (fs::exists(program(mpi, "fourier")))
      add_program("fourier", options)->ArgNames({"size", "calls"})->Args({64, 5'000})->Args({512, 50});
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const ProfiledMpi& mpi : mpis) add_benchmarks(mpi);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
