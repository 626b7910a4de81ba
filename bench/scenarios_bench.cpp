// Measures what balancing gains and costs in a grid of scenarios: laws of work (tests/balance/schedule/
// scenarios.hpp), sizes of objects, numbers of ranks; on the machine alone, and beside a process that keeps
// one core busy. Each case runs the program without and with balancing, in turn. Counters:
//   ratio        time with balancing divided by the time without it; at most 1.03
//   reached      part of the time above the lower bound that balancing saved
//   possible     part of the time without balancing that a placement at the lower bound would save
//   migrations   number of objects that migrated
//   unexplained  phases with an imbalance above 0.1 that were not balanced without a reason; 0
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "balance/schedule/scenarios.hpp"
#include "busy_process.hpp"

namespace {

struct Program {
  std::string mpi;
  std::string launcher;
  std::string path;
};

const std::vector<Program> programs = {
#include "scenario_programs.inc"
};

constexpr int repetitions = 3;

struct Run {
  double time_s = std::numeric_limits<double>::infinity();
  double bound_s = 0;
  double migrations = 0;
  double unexplained = 0;
};

Run run(const Program& program, int ranks, const std::string& arguments) {
  // By default, Open MPI refuses to run as root.
  const std::string command = fmt::format(
      "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_hwloc_base_binding_policy=none "
      "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 timeout 300 {} -n {} {} {} "
      "--vt_lb_quiet",
      program.launcher, ranks, program.path, arguments);
  Run result;
  std::FILE* const output = popen(command.c_str(), "r");
  std::array<char, 256> line{};
  while (output && std::fgets(line.data(), line.size(), output) != nullptr) {
    std::sscanf(line.data(), "time: %lf", &result.time_s);
    std::sscanf(line.data(), "bound: %lf", &result.bound_s);
    std::sscanf(line.data(), "migrations: %lf", &result.migrations);
    std::sscanf(line.data(), "unexplained: %lf", &result.unexplained);
  }
  if (!output || pclose(output) != 0) result.time_s = std::numeric_limits<double>::infinity();
  return result;
}

void compare(benchmark::State& state, const Program& program, int ranks, const std::string& arguments,
             bool is_busy) {
  std::optional<BusyProcess> busy;
  if (is_busy) busy.emplace();
  for (auto _ : state) {
    Run without;
    Run with;
    for (int k = 0; k < repetitions; ++k) {
      const Run one = run(program, ranks, arguments);
      const Run other = run(program, ranks, arguments + " --vt_lb --vt_lb_name=RefineLB");
      without.time_s = std::min(without.time_s, one.time_s);
      with.time_s = std::min(with.time_s, other.time_s);
      with.bound_s = other.bound_s;
      with.migrations = std::max(with.migrations, other.migrations);
      with.unexplained = std::max(with.unexplained, other.unexplained);
    }
    if (with.bound_s <= 0) return state.SkipWithError("a run failed");
    state.counters["ratio"] = with.time_s / without.time_s;
    state.counters["possible"] = std::max(0.0, 1 - with.bound_s / without.time_s);
    state.counters["reached"] = (without.time_s - with.time_s) / (without.time_s - with.bound_s);
    state.counters["migrations"] = with.migrations;
    state.counters["unexplained"] = with.unexplained;
  }
}

}  // namespace

int main(int argc, char** argv) {
  // The mean time of a phase is 20 ms. Two cores carry out four ranks in turn.
  constexpr int phases = 100;
  struct Size {
    const char* name;
    double bytes;
    int objects_per_rank;
  };
  for (const Program& program : programs)
    for (const bool is_busy : {false, true})
      for (const Size& size : {Size{"1kB", 1e3, 32}, Size{"1MB", 1e6, 32}, Size{"100MB", 1e8, 8}})
        for (const int ranks : {2, 4})
          for (const auto& law : plimsoll::balance::testing::work_laws()) {
            const std::string name = fmt::format("{}/{}/{}/{}_ranks/{}", program.mpi,
                                                 is_busy ? "busy" : "alone", size.name, ranks, law.name);
            const std::string arguments =
                fmt::format("{} {} {} {:.0f} {}", law.name, phases, size.objects_per_rank, size.bytes, 20);
            benchmark::RegisterBenchmark(
                name.c_str(),
                [=](benchmark::State& state) { compare(state, program, ranks, arguments, is_busy); })
                ->Iterations(1)
                ->Unit(benchmark::kSecond);
          }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
