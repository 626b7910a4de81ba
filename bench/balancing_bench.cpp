// Measures what balancing gains and costs in examples/particles on two ranks, for each MPI. Each case runs
// the program without and with balancing, in turn. Counters: times in seconds, and
//   speedup        time without balancing divided by the time with it
//   moved_percent  migrations of the run with balancing, in percent of the blocks
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

namespace {

struct BalancedProgram {
  std::string mpi;
  std::string launcher;
  std::string program;
};

const std::vector<BalancedProgram> programs = {
#include "balanced_programs.inc"
};

constexpr int repetitions = 3;
constexpr double blocks = 2500;  // in all cases

struct Run {
  double time_s = std::numeric_limits<double>::infinity();
  double migrations = 0;
  bool verified = false;
};

Run run(const BalancedProgram& program, const std::string& arguments) {
  // By default, Open MPI refuses to run as root. The check for mistakes, which is on in the examples, is off
  // as in production runs.
  const std::string command = fmt::format(
      "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "OMPI_MCA_hwloc_base_binding_policy=none timeout 120 {} -n 2 {} {} --vt_lb_quiet --vt_lb_check=false",
      program.launcher, program.program, arguments);
  Run result;
  std::FILE* const output = popen(command.c_str(), "r");
  std::array<char, 256> line{};
  while (output && std::fgets(line.data(), line.size(), output) != nullptr) {
    std::sscanf(line.data(), "time: %lf", &result.time_s);
    std::sscanf(line.data(), "migrations: %lf", &result.migrations);
    if (std::string(line.data()).starts_with("verified")) result.verified = true;
  }
  result.verified = output && pclose(output) == 0 && result.verified;
  return result;
}

/// A process that keeps one core busy during its lifetime.
class BusyProcess {
 public:
  BusyProcess() : process_(fork()) {
    volatile std::uint64_t count = 0;
    while (process_ == 0) count = count + 1;
  }
  BusyProcess(const BusyProcess&) = delete;
  BusyProcess& operator=(const BusyProcess&) = delete;
  ~BusyProcess() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

 private:
  pid_t process_;
};

void compare(benchmark::State& state, const BalancedProgram& program, const std::string& arguments) {
  for (auto _ : state) {
    Run without;
    Run with;
    for (int k = 0; k < repetitions; ++k) {
      const Run one = run(program, arguments);
      const Run other = run(program, arguments + " --vt_lb --vt_lb_name=RefineLB");
      if (!one.verified || !other.verified) return state.SkipWithError("a run failed or is not verified");
      without.time_s = std::min(without.time_s, one.time_s);
      with.time_s = std::min(with.time_s, other.time_s);
      with.migrations = std::max(with.migrations, other.migrations);
    }
    state.counters["without_s"] = without.time_s;
    state.counters["with_s"] = with.time_s;
    state.counters["speedup"] = without.time_s / with.time_s;
    state.counters["moved_percent"] = 100 * with.migrations / blocks;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto add = [](const std::string& name, const auto& work) {
    benchmark::RegisterBenchmark(name.c_str(), work)->Iterations(1)->Unit(benchmark::kSecond);
  };
  for (const BalancedProgram& program : programs) {
    // Rank 0 has 91 % of the work at the start and 89 % at the end, because the particles move.
    add(program.mpi + "/90_percent_on_one_rank", [program](benchmark::State& state) {
      compare(state, program, "200 2000 1000000 0 1 GEOMETRIC 0.9972 --block=40");
    });
    // A short run with much drift: the share falls from 88 % to 81 %.
    add(program.mpi + "/88_percent_falling", [program](benchmark::State& state) {
      compare(state, program, "100 1000 1000000 0 1 GEOMETRIC 0.9956");
    });
    add(program.mpi + "/uniform",
        [program](benchmark::State& state) { compare(state, program, "100 1000 1000000 0 1 UNIFORM"); });
    add(program.mpi + "/uniform_beside_busy_process", [program](benchmark::State& state) {
      const BusyProcess busy;
      compare(state, program, "100 1000 1000000 0 1 UNIFORM");
    });
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
