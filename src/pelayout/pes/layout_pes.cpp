#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include <plimsoll/pelayout/study.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Components that every PE file of CIME contains, in the order of these files.
constexpr std::array usual_components = {"ATM", "LND", "ROF", "ICE", "OCN", "GLC", "WAV", "CPL"};

bool costs_something(const Component& component) {
  return std::ranges::any_of(component.samples, [](const Sample& sample) { return sample.cost > 0; });
}

/// Returns whether the solution contains components of CIME. Other models have different components.
bool is_of_cime(const Solution& solution) {
  return std::ranges::any_of(usual_components,
                             [&](const char* name) { return solution.find(name) != nullptr; });
}

/// Returns the place whose processors are shared with a component that is not in the layout.
const Place& host_of(const std::string& component, const Solution& solution) {
  if (component == "ROF")
    if (const Place* land = solution.find("LND")) return *land;
  if (const Place* atmosphere = solution.find("ATM")) return *atmosphere;
  return *std::ranges::max_element(solution.places, {}, &Place::processors);
}

/// Returns the thread count with the minimum cost of a component that is not in the layout. The threads of a
/// task must share a node. If tasks are counted, they must not exceed those of the layout's components,
/// because CIME reserves for each rank the maximum number of threads of any component.
std::int64_t best_threads(const Component& data, const Solution& solution, const std::optional<Nodes>& nodes,
                          bool count_threads) {
  const std::int64_t maximum = std::ranges::max(solution.places, {}, &Place::threads).threads;
  const Sample* best = nullptr;
  for (const Sample& sample : data.samples) {
    const bool fits =
        count_threads ? !nodes || nodes->tasks_per_node % sample.threads == 0 : sample.threads <= maximum;
    if (fits && (best == nullptr || sample.cost < best->cost)) best = &sample;
  }
  return best == nullptr ? 1 : best->threads;
}

/// Returns the maximum number of tasks measured with a thread count, or with any if that one was not
/// measured.
std::int64_t max_tasks_measured(const Component& data, std::int64_t threads) {
  std::int64_t maximum = 0;
  std::int64_t maximum_of_all = 1;
  for (const Sample& sample : data.samples) {
    maximum_of_all = std::max(maximum_of_all, sample.tasks);
    if (sample.threads == threads) maximum = std::max(maximum, sample.tasks);
  }
  return maximum > 0 ? maximum : maximum_of_all;
}

/// Places a component that is not in the layout. A component with zero cost gets 0 threads, i.e. as many as
/// the others use. `count_threads`: whether processors are tasks x threads.
Place place_left_out(const std::string& name, const Problem& problem, const Solution& solution,
                     bool count_threads) {
  Place place{.component = name, .tasks = 1, .threads = 0};
  const Component* const data = problem.find(name);
  const bool has_data = data != nullptr && !data->samples.empty();
  if (data != nullptr) place.tasks = data->instances;
  if (has_data ? !costs_something(*data) : name != "CPL" && name != "ROF") return place;

  const Place& host = host_of(name, solution);
  place.partition = host.partition;
  place.root = host.root;
  place.threads = host.threads;
  place.tasks = host.tasks;
  if (!has_data) return place;

  const std::optional<Nodes> nodes =
      solution.partitions.empty() ? solution.nodes : solution.partitions[host.partition].nodes;
  place.threads = best_threads(*data, solution, nodes, count_threads);
  const std::int64_t measured = max_tasks_measured(*data, place.threads);
  if (count_threads) {
    place.threads = std::min(place.threads, host.processors);
    place.tasks = host.processors / place.threads;
  }
  place.tasks = std::min({place.tasks, measured, data->limit.value_or(measured)});
  if (place.tasks > data->block_size) place.tasks -= place.tasks % data->block_size;
  return place;
}

/// Sets the number of ranks per node, and the number of threads that they may have together.
void set_nodes(PesEntry& entry, std::int64_t ranks_per_node) {
  std::int64_t threads = 1;
  for (const auto& [name, pes] : entry.components) threads = std::max(threads, pes.threads.value_or(1));
  entry.variables[tasks_per_node_variable] = fmt::to_string(ranks_per_node);
  entry.variables["MAX_TASKS_PER_NODE"] = fmt::to_string(ranks_per_node * threads);
}

/// Describes the ranks of two kinds of nodes, which CIME's variables cannot: "; gpu nodes: ranks 0 to 335, 4
/// per node". `unit`: processors per rank.
std::string ranks_of_partitions(const Solution& solution, std::int64_t unit) {
  std::string text;
  for (std::size_t kind = 0; kind < solution.partitions.size(); ++kind) {
    const Partition& partition = solution.partitions[kind];
    const std::int64_t first = first_processor(solution.partitions, kind);
    text += fmt::format("; {} {} nodes: ranks {} to {}, {} per node", partition.n_nodes, partition.name,
                        first / unit, (first + partition.total()) / unit - 1,
                        partition.nodes.tasks_per_node / unit);
  }
  return text;
}

Error wrong_nodes(const PesEntry& entry, const std::string& file, std::string what, std::string suggestion) {
  return {ErrorKind::bad_input,
          {.what = std::move(what),
           .file = file,
           .line = entry.line > 0 ? std::optional(entry.line) : std::nullopt,
           .suggestion = std::move(suggestion)}};
}

std::int64_t tasks_per_node(const PesEntry& entry, const std::string& file) {
  const auto found = entry.variables.find(tasks_per_node_variable);
  if (found == entry.variables.end())
    throw wrong_nodes(entry, file, fmt::format("numbers of nodes without {}", tasks_per_node_variable),
                      fmt::format("set {} in the entry, or use numbers of tasks", tasks_per_node_variable));
  const auto value = support::parse_number<std::int64_t>(found->second);
  if (!value || *value < 1 || *value > max_count)
    throw wrong_nodes(
        entry, file,
        fmt::format("invalid value {} of {}", support::in_quotes(found->second, 40), tasks_per_node_variable),
        fmt::format("use an integer from 1 to {}", max_count));
  return *value;
}

/// Formats a time: "23.9434 s per model day".
std::string time_text(double time, CostUnit unit) {
  return fmt::format("{:.6g} {}", time,
                     unit == CostUnit::seconds_per_day    ? "s per model day"
                     : unit == CostUnit::seconds_per_step ? "s per coupling step"
                                                          : "s");
}

}  // namespace

PesEntry to_pes(const Study& study) {
  PesEntry entry = to_pes(study.problem, study.solution);
  if (study.expected)
    entry.comment = fmt::format("{}: {}; {}", study.keeps_own_layout() ? "measured" : "expected",
                                time_text(study.time(), study.problem.unit), entry.comment);
  return entry;
}

PesEntry to_pes(const Problem& problem, const Solution& solution, const std::string& pesize) {
  PLIMSOLL_EXPECT(!solution.places.empty());
  const bool count_threads = std::ranges::any_of(
      solution.places, [](const Place& place) { return place.processors != place.tasks; });
  std::vector<Place> places = solution.places;
  const auto complete = [&](const std::string& name) {
    if (std::ranges::find(places, name, &Place::component) == places.end())
      places.push_back(place_left_out(name, problem, solution, count_threads));
  };
  if (is_of_cime(solution))
    for (const char* name : usual_components) complete(name);
  for (const Component& component : problem.components) complete(component.name);

  // Compute the processors per rank: the GCD of all thread counts. A task with more threads occupies several
  // ranks and uses the first of them.
  std::int64_t unit = count_threads ? 0 : 1;
  for (const Place& place : places) unit = std::gcd(unit, place.threads);
  PesEntry entry;
  entry.pesize = pesize;
  entry.comment = fmt::format("components: {} on {} {}", time_text(solution.time, problem.unit),
                              solution.processors, count_threads ? "processors" : "tasks");
  if (solution.nodes) entry.comment += fmt::format(", {} nodes", solution.nodes->count(solution.processors));
  entry.comment += ranks_of_partitions(solution, unit);
  for (const Place& place : places) {
    ComponentPes& pes = entry.components[place.component];
    pes.tasks = place.tasks;
    pes.threads = std::max(place.threads, unit);
    pes.root = place.root / unit;
    if (count_threads && place.threads > unit) pes.stride = place.threads / unit;
  }
  for (const Component& component : problem.components)
    if (component.instances > 1)
      entry.variables["NINST_" + component.name] = fmt::to_string(component.instances);
  if (solution.nodes) set_nodes(entry, solution.nodes->tasks_per_node / unit);
  return entry;
}

std::vector<std::string> left_out(const Problem& problem, const Solution& solution) {
  std::vector<std::string> names;
  for (const Component& component : problem.components)
    if (solution.find(component.name) == nullptr && costs_something(component))
      names.push_back(component.name);
  return names;
}

PesEntry in_tasks(PesEntry entry, const std::string& file) {
  for (auto& [name, component] : entry.components) {
    for (std::optional<std::int64_t>* const count : {&component.tasks, &component.root}) {
      if (!*count || **count >= 0) continue;
      const std::int64_t tasks = tasks_per_node(entry, file);
      if (-**count > max_count / tasks)
        throw wrong_nodes(entry, file,
                          fmt::format("too many tasks of {}: {} nodes of {}", name, -**count, tasks),
                          fmt::format("use at most {} tasks", max_count));
      *count = -**count * tasks;
    }
  }
  return entry;
}

PesEntry in_nodes(PesEntry entry, const std::string& file) {
  const std::int64_t tasks = tasks_per_node(entry, file);
  for (auto& [name, component] : entry.components)
    for (std::optional<std::int64_t>* const count : {&component.tasks, &component.root})
      if (*count && **count > 0 && **count % tasks == 0) *count = -(**count / tasks);
  return entry;
}

}  // namespace plimsoll::pelayout
