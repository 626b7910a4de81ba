// Finds layouts with both solvers, in process and by running the whole command.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/solvers.hpp>

#include "child_process.hpp"
#include "common/temporary_folder.hpp"

namespace {

using plimsoll::testing::TemporaryFolder;

using namespace plimsoll::pelayout;

constexpr auto dynamic_program = static_cast<std::int64_t>(SolverKind::dynamic_program);
constexpr auto milp = static_cast<std::int64_t>(SolverKind::milp);

Component component(const std::string& name, const std::vector<std::int64_t>& tasks,
                    const std::vector<double>& costs) {
  Component result;
  result.name = name;
  for (std::size_t k = 0; k < tasks.size(); ++k)
    result.samples.push_back(
        {.tasks = tasks[k], .cost = costs[k], .repeats = 1, .minimum = costs[k], .maximum = costs[k]});
  return result;
}

/// Returns the problem example.json, which is shipped with CIME's tool.
Problem example() {
  Problem problem;
  const std::vector<std::int64_t> doubling{32, 64, 128, 256, 512};
  problem.components = {component("ATM", doubling, {427.471, 223.332, 119.580, 66.182, 37.769}),
                        component("OCN", doubling, {15.745, 7.782, 4.383, 3.181, 2.651}),
                        component("LND", doubling, {4.356, 2.191, 1.191, 0.705, 0.560}),
                        component("ICE", {32, 64, 160, 320, 640}, {8.018, 4.921, 2.368, 1.557, 1.429})};
  for (Component& one : problem.components) one.block_size = 8;
  return problem;
}

Layout usual_layout() {
  return find_layout("IceLndAtmOcn", {});
}

/// Returns eight components that scale to 10^6 tasks, each less well than the previous one.
Problem large() {
  Problem problem;
  for (const char* const name : {"ATM", "OCN", "ICE", "LND", "ROF", "CPL", "WAV", "GLC"}) {
    const auto k = static_cast<double>(problem.components.size());
    std::vector<std::int64_t> tasks;
    std::vector<double> costs;
    for (std::int64_t count = 1024; count <= 1 << 18; count *= 4) {
      const auto n = static_cast<double>(count);
      tasks.push_back(count);
      costs.push_back(1e7 / (k + 1) / n + 1e-4 * std::sqrt(n) + 0.1 * k);
    }
    problem.components.push_back(component(name, tasks, costs));
    problem.components.back().block_size = 32;
  }
  return problem;
}

bool skip_without(benchmark::State& state, std::int64_t solver) {
  if (solver != milp || has_milp()) return false;
  state.SkipWithError("built without CBC");
  return true;
}

PlanOptions options(const benchmark::State& state) {
  return {.model = static_cast<ModelKind>(state.range(0)), .solver = static_cast<SolverKind>(state.range(1))};
}

void solve_example_on_1024(benchmark::State& state) {
  if (skip_without(state, state.range(1))) return;
  const Planner planner(example(), usual_layout(), options(state));
  for (auto _ : state) benchmark::DoNotOptimize(planner.solve(1024));
}
BENCHMARK(solve_example_on_1024)
    ->ArgNames({"model", "solver"})
    ->ArgsProduct({{static_cast<std::int64_t>(ModelKind::cime), static_cast<std::int64_t>(ModelKind::linear),
                    static_cast<std::int64_t>(ModelKind::fit)},
                   {dynamic_program, milp}})
    ->Unit(benchmark::kMillisecond);

void solve_8_components_on_1e6(benchmark::State& state) {
  if (skip_without(state, state.range(1))) return;
  const Planner planner(large(), find_layout("((ICE | (LND ; ROF) | WAV) ; ATM ; CPL) | (OCN ; GLC)", {}),
                        options(state));
  for (auto _ : state) benchmark::DoNotOptimize(planner.solve(1'000'000));
}
BENCHMARK(solve_8_components_on_1e6)
    ->ArgNames({"model", "solver"})
    ->ArgsProduct({{static_cast<std::int64_t>(ModelKind::cime), static_cast<std::int64_t>(ModelKind::linear),
                    static_cast<std::int64_t>(ModelKind::fit)},
                   {dynamic_program, milp}})
    ->Unit(benchmark::kMillisecond);

/// As solve_8_components_on_1e6, on whole nodes of 128 tasks.
void solve_8_components_on_nodes(benchmark::State& state) {
  if (skip_without(state, state.range(1))) return;
  PlanOptions on_nodes = options(state);
  on_nodes.nodes = {.tasks_per_node = 128};
  const Planner planner(large(), find_layout("((ICE | (LND ; ROF) | WAV) ; ATM ; CPL) | (OCN ; GLC)", {}),
                        on_nodes);
  for (auto _ : state) benchmark::DoNotOptimize(planner.solve(999'936));
}
BENCHMARK(solve_8_components_on_nodes)
    ->ArgNames({"model", "solver"})
    ->ArgsProduct({{static_cast<std::int64_t>(ModelKind::cime), static_cast<std::int64_t>(ModelKind::linear),
                    static_cast<std::int64_t>(ModelKind::fit)},
                   {dynamic_program, milp}})
    ->Unit(benchmark::kMillisecond);

double seconds_to_solve(const Planner& planner, std::int64_t total) {
  const auto start = std::chrono::steady_clock::now();
  benchmark::DoNotOptimize(planner.solve(total));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Solves 8 components on two kinds of nodes, also relative to the same number of nodes of one kind. `nodes`:
/// number of nodes of each kind; `mixed`: whether both of two concurrent parts use both kinds.
void solve_8_components_on_two_kinds_of_nodes(benchmark::State& state) {
  const std::int64_t n_nodes = state.range(0);
  const Layout layout = find_layout("((ICE | (LND ; ROF) | WAV) ; ATM ; CPL) | (OCN ; GLC)", {});
  PlanOptions on_two_kinds;
  on_two_kinds.partitions = {{.name = "gpu", .n_nodes = n_nodes, .nodes = {.tasks_per_node = 32}},
                             {.name = "cpu", .n_nodes = n_nodes, .nodes = {.tasks_per_node = 128}}};
  on_two_kinds.placed_on = {{"ATM", "gpu"}};
  if (state.range(1) != 0) on_two_kinds.placed_on["OCN"] = "gpu";
  PlanOptions on_one_kind;
  on_one_kind.nodes = {.tasks_per_node = 128};
  const Planner planner(large(), layout, on_two_kinds);
  const Planner planner_of_one(large(), layout, on_one_kind);
  double minimum = std::numeric_limits<double>::infinity();
  double minimum_of_one = minimum;
  for (auto _ : state) {
    const double seconds = seconds_to_solve(planner, processors_of(on_two_kinds.partitions));
    minimum = std::min(minimum, seconds);
    minimum_of_one = std::min(minimum_of_one, seconds_to_solve(planner_of_one, 2 * n_nodes * 128));
    state.SetIterationTime(seconds);
  }
  state.counters["times_one_kind"] = minimum / minimum_of_one;
}
BENCHMARK(solve_8_components_on_two_kinds_of_nodes)
    ->ArgNames({"nodes", "mixed"})
    ->Args({100, 0})
    ->Args({1000, 0})
    ->Args({100, 1})
    ->Args({1000, 1})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void sweep_of_100_totals(benchmark::State& state) {
  std::vector<std::int64_t> totals;
  for (std::int64_t total = 128; total <= 12800; total += 128) totals.push_back(total);
  const Planner planner(example(), usual_layout(), options(state));
  for (auto _ : state) benchmark::DoNotOptimize(planner.solve_each(totals));
}
BENCHMARK(sweep_of_100_totals)
    ->ArgNames({"model", "solver"})
    ->Args({static_cast<std::int64_t>(ModelKind::cime), dynamic_program})
    ->Args({static_cast<std::int64_t>(ModelKind::fit), dynamic_program})
    ->Unit(benchmark::kMillisecond);

double seconds_of(const std::vector<std::string>& command) {
  const auto start = std::chrono::steady_clock::now();
  run_program(command);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Measures the whole command, also relative to a run that only prints the version.
void whole_process(benchmark::State& state, const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  const std::string input = folder.path() + "/example.json";
  std::ofstream(input) << to_json(example());
  std::vector<std::string> command{PLIMSOLL_PROGRAM, "layout", "solve", "--json_input", input};
  command.insert(command.end(), arguments.begin(), arguments.end());
  double minimum = std::numeric_limits<double>::infinity();
  double minimum_of_version = minimum;
  double minimum_cpu_of_version = minimum;
  for (auto _ : state) {
    const double seconds = seconds_of(command);
    minimum = std::min(minimum, seconds);
    minimum_of_version = std::min(minimum_of_version, seconds_of({PLIMSOLL_PROGRAM, "--version"}));
    minimum_cpu_of_version =
        std::min(minimum_cpu_of_version, run_program({PLIMSOLL_PROGRAM, "--version"}).cpu_s);
    state.SetIterationTime(seconds);
  }
  state.counters["minimum_ms"] = 1e3 * minimum;
  state.counters["version_cpu_ms"] = 1e3 * minimum_cpu_of_version;
  state.counters["times_version"] = minimum / minimum_of_version;
}

void add_process(const char* name, const std::vector<std::string>& arguments) {
  benchmark::RegisterBenchmark(name,
                               [arguments](benchmark::State& state) {
                                 try {
                                   whole_process(state, arguments);
                                 } catch (const std::exception& error) {
                                   state.SkipWithError(error.what());
                                 }
                               })
      ->Iterations(20)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> on_1024{"--total_tasks", "1024", "--model", "cime", "--solver"};
  const auto with = [&](const char* solver) {
    std::vector<std::string> arguments = on_1024;
    arguments.emplace_back(solver);
    return arguments;
  };
  add_process("process/example_on_1024/dp", with("dp"));
  if (has_milp()) add_process("process/example_on_1024/cbc", with("cbc"));
  add_process("process/sweep_of_100_totals", {"--total_tasks", "128:12800:128"});
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
