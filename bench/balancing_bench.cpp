// Measures what balancing gains and costs in examples/particles and examples/lb_test on two ranks, for each
// MPI. Each case runs the program without and with balancing, in turn. Counters: times in seconds, and
//   speedup        time without balancing divided by the time with it
//   moved_percent  migrations of the run with balancing, in percent of the objects
//   limit          time without balancing divided by that of a run whose work is uniform from the start
// particles_as_a_collection compares two programs without balancing, on one and two ranks: the particles as a
// collection, and with callbacks. Counters: times per step, and
//   ratio          time as a collection divided by the time with callbacks
// in_rounds compares TemperedLB, which runs on all ranks, with RefineLB, which runs on one. Counters: times,
// and
//   ratio          time with TemperedLB divided by the time with RefineLB
// pic_of_the_tutorial compares examples/pic before and after docs/tutorials/balance-a-real-code.md, with the
// settings of that page, in 100 steps. Counters: CPU time for moving particles of the rank with the most, and
//   cpu_speedup, speedup  time of the program in plain MPI divided by that of the balanced program
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "busy_process.hpp"

namespace {

struct BalancedPrograms {
  std::string mpi;
  std::string launcher;
  std::string particles;
  std::string lb_test;
  std::string collection;
  std::string pic;
  std::string pic_balanced;
};

const std::vector<BalancedPrograms> programs_of_mpis = {
#include "balanced_programs.inc"
};

constexpr int repetitions = 7;

/// A program with its arguments.
struct Case {
  std::string program;
  std::string arguments;
  double objects;
  std::string uniform_arguments = {};  ///< for the same amount of work, the same on all ranks; may be empty
};

struct Run {
  double time_s = std::numeric_limits<double>::infinity();
  double migrations = 0;
  double cpu_s = std::numeric_limits<double>::infinity();  ///< of examples/pic only
  bool verified = false;
};

constexpr auto quiet = "--vt_lb_quiet --vt_lb_check=false";

Run run(const std::string& launcher, int ranks, const std::string& program, const std::string& arguments,
        const std::string& settings = quiet) {
  // By default, Open MPI refuses to run as root. The check for mistakes, which is on in the examples, is off
  // as in production runs.
  const std::string command = fmt::format(
      "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "OMPI_MCA_hwloc_base_binding_policy=none timeout 120 {} -n {} {} {} {}",
      launcher, ranks, program, arguments, settings);
  Run result;
  std::FILE* const output = popen(command.c_str(), "r");
  std::array<char, 256> line{};
  while (output && std::fgets(line.data(), line.size(), output) != nullptr) {
    std::sscanf(line.data(), "time: %lf", &result.time_s);
    std::sscanf(line.data(), "time: %*f s; moving particles: maximum %lf", &result.cpu_s);
    std::sscanf(line.data(), "migrations: %lf", &result.migrations);
    if (std::string(line.data()).starts_with("verified")) result.verified = true;
  }
  result.verified = output && pclose(output) == 0 && result.verified;
  return result;
}

void compare(benchmark::State& state, const std::string& launcher, const Case& balanced) {
  for (auto _ : state) {
    Run without;
    Run with;
    Run uniform;
    for (int k = 0; k < repetitions; ++k) {
      if (!balanced.uniform_arguments.empty()) {
        const Run even = run(launcher, 2, balanced.program, balanced.uniform_arguments);
        uniform.time_s = std::min(uniform.time_s, even.time_s);
      }
      const Run one = run(launcher, 2, balanced.program, balanced.arguments);
      const Run other =
          run(launcher, 2, balanced.program, balanced.arguments + " --vt_lb --vt_lb_name=RefineLB");
      if (!one.verified || !other.verified) return state.SkipWithError("a run failed or is not verified");
      without.time_s = std::min(without.time_s, one.time_s);
      with.time_s = std::min(with.time_s, other.time_s);
      with.migrations = std::max(with.migrations, other.migrations);
    }
    state.counters["without_s"] = without.time_s;
    state.counters["with_s"] = with.time_s;
    state.counters["speedup"] = without.time_s / with.time_s;
    state.counters["moved_percent"] = 100 * with.migrations / balanced.objects;
    if (!balanced.uniform_arguments.empty()) state.counters["limit"] = without.time_s / uniform.time_s;
  }
}

void compare_in_rounds(benchmark::State& state, const BalancedPrograms& programs, int ranks) {
  const std::string arguments = "200 2000 1000000 0 1 GEOMETRIC 0.9972 --block=40 --vt_lb --vt_lb_name=";
  for (auto _ : state) {
    Run refine;
    Run tempered;
    for (int k = 0; k < repetitions; ++k) {
      const Run one = run(programs.launcher, ranks, programs.particles, arguments + "RefineLB");
      const Run other = run(programs.launcher, ranks, programs.particles, arguments + "TemperedLB");
      if (!one.verified || !other.verified) return state.SkipWithError("a run failed or is not verified");
      refine.time_s = std::min(refine.time_s, one.time_s);
      tempered.time_s = std::min(tempered.time_s, other.time_s);
    }
    state.counters["refine_s"] = refine.time_s;
    state.counters["tempered_s"] = tempered.time_s;
    state.counters["ratio"] = tempered.time_s / refine.time_s;
  }
}

void compare_with_collection(benchmark::State& state, const BalancedPrograms& programs, int ranks) {
  constexpr int steps = 50;
  const std::string arguments = fmt::format("{} 1000 1000000 0 1 UNIFORM", steps);
  for (auto _ : state) {
    Run callbacks;
    Run collection;
    for (int k = 0; k < repetitions; ++k) {
      const Run one = run(programs.launcher, ranks, programs.particles, arguments);
      const Run other = run(programs.launcher, ranks, programs.collection, arguments);
      if (!one.verified || !other.verified) return state.SkipWithError("a run failed or is not verified");
      callbacks.time_s = std::min(callbacks.time_s, one.time_s);
      collection.time_s = std::min(collection.time_s, other.time_s);
    }
    state.counters["callbacks_ms"] = 1e3 * callbacks.time_s / steps;
    state.counters["collection_ms"] = 1e3 * collection.time_s / steps;
    state.counters["ratio"] = collection.time_s / callbacks.time_s;
  }
}

void compare_pic(benchmark::State& state, const BalancedPrograms& programs) {
  const std::string arguments = "100 1000 1000000 0 1 GEOMETRIC 0.99";
  const std::string settings =
      fmt::format("--vt_lb --vt_lb_name=RefineLB --vt_lb_when=0.1 --vt_lb_loads=cpu {}", quiet);
  for (auto _ : state) {
    Run plain;
    Run balanced;
    for (int k = 0; k < repetitions; ++k) {
      const Run one = run(programs.launcher, 2, programs.pic, arguments, "");
      const Run other = run(programs.launcher, 2, programs.pic_balanced, arguments, settings);
      if (!one.verified || !other.verified) return state.SkipWithError("a run failed or is not verified");
      plain.cpu_s = std::min(plain.cpu_s, one.cpu_s);
      plain.time_s = std::min(plain.time_s, one.time_s);
      balanced.cpu_s = std::min(balanced.cpu_s, other.cpu_s);
      balanced.time_s = std::min(balanced.time_s, other.time_s);
    }
    state.counters["plain_cpu_s"] = plain.cpu_s;
    state.counters["balanced_cpu_s"] = balanced.cpu_s;
    state.counters["cpu_speedup"] = plain.cpu_s / balanced.cpu_s;
    state.counters["speedup"] = plain.time_s / balanced.time_s;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto add = [](const std::string& name, const auto& work) {
    benchmark::RegisterBenchmark(name.c_str(), work)->Iterations(1)->Unit(benchmark::kSecond);
  };
  for (const BalancedPrograms& programs : programs_of_mpis) {
    const auto add_case = [&](const std::string& name, const Case& balanced) {
      add(programs.mpi + "/" + name, [launcher = programs.launcher, balanced](benchmark::State& state) {
        compare(state, launcher, balanced);
      });
    };
    const auto particles = [&](const std::string& arguments, const std::string& uniform = "") {
      return Case{programs.particles, arguments, 2500, uniform};
    };
    // Rank 0 has 91 % of the work at the start and 89 % at the end, because the particles move.
    add_case("90_percent_on_one_rank", particles("200 2000 1000000 0 1 GEOMETRIC 0.9972 --block=40",
                                                 "200 2000 1000000 0 1 UNIFORM --block=40"));
    // A short run with much drift: the share falls from 88 % to 81 %.
    add_case("88_percent_falling", particles("100 1000 1000000 0 1 GEOMETRIC 0.9956"));
    const Case uniform = particles("100 1000 1000000 0 1 UNIFORM");
    add_case("uniform", uniform);
    add(programs.mpi + "/uniform_beside_busy_process",
        [launcher = programs.launcher, uniform](benchmark::State& state) {
          const BusyProcess busy;
          compare(state, launcher, uniform);
        });
    // Rank 0 has 91 % of the work, in elements of a collection.
    add_case("lb_test_half_with_10_times_the_work",
             {.program = programs.lb_test,
              .arguments = "100 200 10 100 ring --phase=5 --heavy-half=10",
              .objects = 100});
    add(programs.mpi + "/pic_of_the_tutorial",
        [programs](benchmark::State& state) { compare_pic(state, programs); });
    for (const int ranks : {2, 4}) {
      add(fmt::format("{}/in_rounds/{}_ranks", programs.mpi, ranks),
          [programs, ranks](benchmark::State& state) { compare_in_rounds(state, programs, ranks); });
    }
    for (const int ranks : {1, 2}) {
      add(fmt::format("{}/particles_as_a_collection/{}_ranks", programs.mpi, ranks),
          [programs, ranks](benchmark::State& state) { compare_with_collection(state, programs, ranks); });
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
