#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <type_traits>
#include <utility>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/json_view.hpp>

#include "pelayout/layout/names.hpp"
#include "pelayout/timing/timing_formats.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using support::JsonView;

// Maximum number of entries in a list, and of task counts of all components together: fitting a model takes
// 0.1 ms per task count.
constexpr std::size_t max_entries = 5000;

std::int64_t count_of(const JsonView& value) {
  return value.whole_number(1, max_count);
}

double seconds_of(const JsonView& value) {
  const double cost = value.number();
  if (!(cost >= 0 && cost <= max_cost))
    throw value.error(fmt::format("invalid cost {}: must be between 0 and {} seconds", cost, max_cost));
  return cost;
}

std::string text_of(const JsonView& value) {
  return std::string(value.text());
}

template <auto value_of>
auto list_of(const JsonView& list) {
  std::vector<std::invoke_result_t<decltype(value_of), const JsonView&>> values;
  list.for_each_element([&](const JsonView& entry) {
    if (values.size() == max_entries)
      throw list.error(fmt::format("contains more than {} entries", max_entries));
    values.push_back(value_of(entry));
  });
  return values;
}

using ReadValue = std::function<void(const JsonView& value)>;
using Members = std::vector<std::pair<std::string, ReadValue>>;

template <class Variable, class Value>
ReadValue into(Variable& variable, Value (*value_of)(const JsonView&)) {
  return [&variable, value_of](const JsonView& value) { variable = value_of(value); };
}

/// Reads the members of an object; `read_object` reads unknown members that are objects. Rejects other
/// unknown members if they look like a misspelt known member, and ignores the rest, as in CIME's tool.
void read_members(const JsonView& object, const Members& members,
                  const std::function<void(std::string_view, const JsonView&)>& read_object = {}) {
  std::vector<std::string> names;
  for (const auto& [name, read] : members) names.push_back(name);
  std::set<std::string_view> seen;
  object.for_each_member([&](std::string_view name, const JsonView& value) {
    if (!seen.insert(name).second) throw value.error("duplicate member");
    const auto known = std::ranges::find(members, name, &Members::value_type::first);
    if (known != members.end()) return known->second(value);
    if (read_object && value.is_object()) return read_object(name, value);
    const std::string guess = support::did_you_mean(name, names);
    if (!guess.empty()) throw value.error("unknown member", guess);
  });
}

/// Lists of a component: the values of each sample have the same index in all.
struct SampleLists {
  std::vector<std::int64_t> tasks, threads, repeats;
  std::vector<double> costs, minimum, maximum;

  void check(const JsonView& component) const {
    for (const char* needed : {"ntasks", "cost"}) component.at(needed);
    if (tasks.empty()) throw component.at("ntasks").error("must not be empty");
    for (const auto& [name, size] : {std::pair("cost", costs.size()),
                                     {"repeats", repeats.size()},
                                     {"least", minimum.size()},
                                     {"greatest", maximum.size()}})
      if (const auto list = component.find(name); list && size != tasks.size())
        throw list->error(
            fmt::format("{} entries for {} task counts: expected one per task count", size, tasks.size()));
    if (const auto list = component.find("nthrds");
        list && (threads.empty() || threads.size() > tasks.size()))
      throw list->error(fmt::format("{} entries for {} task counts", threads.size(), tasks.size()),
                        "specify one entry for all task counts, or one per task count");
  }

  Sample sample(std::size_t k) const {
    // Use the first entry if the list of threads is shorter, because CIME's tool reads only that one.
    return {.tasks = tasks[k],
            .threads = threads.empty() ? 1 : threads[threads.size() == tasks.size() ? k : 0],
            .cost = costs[k],
            .repeats = repeats.empty() ? 1 : static_cast<std::size_t>(repeats[k]),
            .minimum = minimum.empty() ? costs[k] : minimum[k],
            .maximum = maximum.empty() ? costs[k] : maximum[k]};
  }
};

/// Returns the error for one entry of a component's costs.
Error cost_error(const JsonView& component, std::size_t k, const std::string& what) {
  Diagnostic diagnostic = component.at("cost").error(what).diagnostic();
  *diagnostic.pointer += fmt::format("/{}", k);
  return {ErrorKind::bad_input, std::move(diagnostic)};
}

void sort_by_threads_and_tasks(std::vector<Sample>& samples, const JsonView& component) {
  const auto count = [](const Sample& sample) { return std::pair(sample.threads, sample.tasks); };
  std::ranges::sort(samples, {}, count);
  const auto twice = std::ranges::adjacent_find(samples, {}, count);
  if (twice != samples.end())
    throw component.at("ntasks").error(
        fmt::format("duplicate count {} (with threads: {})", twice->tasks, twice->threads),
        "use one cost per count");
}

std::vector<Sample> samples_of(const SampleLists& lists, const JsonView& component) {
  lists.check(component);
  std::vector<Sample> samples;
  for (std::size_t k = 0; k < lists.tasks.size(); ++k) {
    const Sample& sample = samples.emplace_back(lists.sample(k));
    if (sample.minimum > sample.cost || sample.maximum < sample.cost)
      throw cost_error(component, k,
                       fmt::format("invalid cost {}: must be between its minimum {} and its maximum {}",
                                   sample.cost, sample.minimum, sample.maximum));
  }
  sort_by_threads_and_tasks(samples, component);
  return samples;
}

Component component_of(const std::string& name, const JsonView& value) {
  Component component{.name = name};
  SampleLists lists;
  read_members(value, {{"cost", into(lists.costs, list_of<seconds_of>)},
                       {"ntasks", into(lists.tasks, list_of<count_of>)},
                       {"nthrds", into(lists.threads, list_of<count_of>)},
                       {"name", into(component.model, text_of)},
                       {"blocksize", into(component.block_size, count_of)},
                       {"ninst", into(component.instances, count_of)},
                       {"limit", into(component.limit, count_of)},
                       {"on", into(component.on, text_of)},
                       {"repeats", into(lists.repeats, list_of<count_of>)},
                       {"least", into(lists.minimum, list_of<seconds_of>)},
                       {"greatest", into(lists.maximum, list_of<seconds_of>)}});
  component.samples = samples_of(lists, value);
  return component;
}

CostUnit unit_of(const JsonView& value) {
  const std::string_view name = value.text();
  for (const CostUnit unit : {CostUnit::seconds_per_day, CostUnit::total_seconds, CostUnit::seconds_per_step})
    if (json_name(unit) == name) return unit;
  throw value.error("unknown unit " + support::in_quotes(name),
                    "use \"seconds_per_day\", \"total_seconds\" or \"seconds_per_step\"");
}

Coupler coupler_of(const JsonView& value) {
  const std::string_view name = value.text();
  for (const auto& coupler : couplers)
    if (coupler.name == name) return coupler.value;
  throw value.error("unknown coupler " + support::in_quotes(name), R"(use "driver", "oasis" or "fms")");
}

bool is_yes(const JsonView& value) {
  const std::string_view word = value.text();
  if (word == "yes" || word == "no") return word == "yes";
  throw value.error("unknown value " + support::in_quotes(word), R"(use "yes" or "no")");
}

std::vector<KindOfNodes> kinds_of_nodes(const JsonView& list) {
  std::vector<KindOfNodes> kinds;
  list.for_each_element([&](const JsonView& entry) {
    KindOfNodes& kind = kinds.emplace_back();
    for (const char* needed : {"name", "nodes", "tasks_per_node"}) entry.at(needed);
    read_members(entry, {{"name", into(kind.name, text_of)},
                         {"nodes", into(kind.n_nodes, count_of)},
                         {"tasks_per_node", into(kind.processors_per_node, count_of)}});
    if (kind.n_nodes > max_count / kind.processors_per_node)
      throw entry.error(
          fmt::format("too many tasks: {} nodes of {} tasks", kind.n_nodes, kind.processors_per_node),
          fmt::format("use at most {} tasks", max_count));
  });
  if (kinds.size() != 2 || kinds[0].name == kinds[1].name)
    throw list.error("expected two kinds of nodes with different names",
                     "use tasks_per_node for nodes of one kind");
  return kinds;
}

/// Checks that components use known kinds of nodes, and that nothing contradicts the kinds.
void check_kinds_of_nodes(const Problem& problem, const JsonView& root) {
  for (const Component& component : problem.components)
    if (!component.on.empty() && std::ranges::find(problem.kinds_of_nodes, component.on,
                                                   &KindOfNodes::name) == problem.kinds_of_nodes.end())
      throw root.error(
          fmt::format("unknown kind of nodes {} of {}", support::in_quotes(component.on), component.name),
          R"(list two kinds in "partition")");
  if (problem.kinds_of_nodes.empty()) return;
  std::int64_t total = 0;
  for (const KindOfNodes& kind : problem.kinds_of_nodes) total += kind.n_nodes * kind.processors_per_node;
  if (problem.total_tasks && *problem.total_tasks != total)
    throw root.at("totaltasks")
        .error(fmt::format("invalid total {}: \"partition\" has {} tasks", *problem.total_tasks, total),
               "remove one of them");
  if (problem.processors_per_node)
    throw root.at("tasks_per_node")
        .error("contradicts \"partition\", which contains the tasks per node of each kind",
               "remove one of them");
}

std::string name_of_component(std::string_view key, const JsonView& value) {
  std::string name = support::upper_case(key);
  if (name.empty() || name.size() > 64 || !std::ranges::all_of(name, is_word))
    throw value.error("invalid component name", "use letters, digits and underscores");
  return name;
}

void add_component(std::string_view key, const JsonView& value, Problem& problem) {
  if (problem.components.size() == max_components)
    throw value.error(fmt::format("too many components: at most {} are supported", max_components));
  const std::string name = name_of_component(key, value);
  if (problem.find(name) != nullptr) throw value.error(fmt::format("duplicate component {}", name));
  problem.components.push_back(component_of(name, value));
  std::size_t samples = 0;
  for (const Component& component : problem.components) samples += component.samples.size();
  if (samples > max_entries)
    throw value.error(
        fmt::format("too many task counts: the components have more than {} in total", max_entries));
}

}  // namespace

Problem parse_problem(std::string_view json, const std::string& file) {
  support::JsonParser parser(file);
  const JsonView root = parser.parse(json);
  Problem problem;
  problem.path = file;
  read_members(
      root,
      {{"totaltasks", into(problem.total_tasks, count_of)},
       {"layout", into(problem.layout, text_of)},
       {"description", into(problem.description, text_of)},
       {"unit", into(problem.unit, unit_of)},
       {"coupler", into(problem.coupler, coupler_of)},
       {"tasks_per_node", into(problem.processors_per_node, count_of)},
       {"node_sharing", into(problem.shares_nodes, is_yes)},
       {"partition", [&](const JsonView& value) { problem.kinds_of_nodes = kinds_of_nodes(value); }}},
      [&](std::string_view name, const JsonView& value) { add_component(name, value, problem); });
  if (problem.components.empty())
    throw root.error("contains no component",
                     R"(specify components such as "ATM": {"ntasks": [..], "cost": [..]})");
  check_kinds_of_nodes(problem, root);
  return problem;
}

Problem read_problem(const std::string& path) {
  return parse_problem(read_gzip_or_plain(path), path);
}

}  // namespace plimsoll::pelayout
