#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/json_view.hpp>

#include "pelayout/timing/compressed_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using support::JsonView;

// Maximum number of entries in a list, and of task counts of all components together: fitting a model takes
// 0.1 ms per task count.
constexpr std::size_t max_entries = 5000;

const std::vector<std::string> problem_members{"totaltasks", "layout",         "description",
                                               "unit",       "tasks_per_node", "node_sharing"};
const std::vector<std::string> component_members{"cost",  "ntasks",  "nthrds", "name",    "blocksize",
                                                 "ninst", "repeats", "least",  "greatest"};

std::int64_t count_of(const JsonView& value) {
  return value.whole_number(1, max_count);
}

double cost_of(const JsonView& value) {
  const double cost = value.number();
  if (!(cost >= 0 && cost <= max_cost))
    throw value.error(fmt::format("invalid cost {}: must be between 0 and {} seconds", cost, max_cost));
  return cost;
}

template <class Value>
std::vector<Value> list_of(const JsonView& list, Value (*value_of)(const JsonView&)) {
  std::vector<Value> values;
  list.for_each_element([&](const JsonView& entry) {
    if (values.size() == max_entries)
      throw list.error(fmt::format("contains more than {} entries", max_entries));
    values.push_back(value_of(entry));
  });
  return values;
}

/// Rejects unknown members that look like a misspelt known member. Other members are ignored, as in CIME's
/// tool.
void refuse_misspelt(std::string_view name, const std::vector<std::string>& known, const JsonView& value) {
  const std::string guess = support::did_you_mean(name, known);
  if (!guess.empty()) throw value.error("unknown member", guess);
}

/// Lists of a component: the values of each sample have the same index in all.
struct SampleLists {
  std::vector<std::int64_t> tasks, threads, repeats;
  std::vector<double> costs, minimum, maximum;

  void check(const JsonView& component) const {
    for (const char* needed : {"ntasks", "cost"}) component.at(needed);
    if (tasks.empty()) throw component.at("ntasks").error("must not be empty");
    expect_as_many(component, "cost", costs.size());
    expect_as_many(component, "repeats", repeats.size());
    expect_as_many(component, "least", minimum.size());
    expect_as_many(component, "greatest", maximum.size());
    if (const auto list = component.find("nthrds");
        list && (threads.empty() || threads.size() > tasks.size()))
      throw list->error(fmt::format("{} entries for {} task counts", threads.size(), tasks.size()),
                        "specify one entry for all task counts, or one per task count");
  }

  Sample sample(std::size_t k) const {
    Sample sample;
    sample.tasks = tasks[k];
    // Use the first entry if the list is shorter, because CIME's tool reads only that one.
    if (!threads.empty()) sample.threads = threads[threads.size() == tasks.size() ? k : 0];
    sample.cost = costs[k];
    sample.repeats = repeats.empty() ? 1 : static_cast<std::size_t>(repeats[k]);
    sample.minimum = minimum.empty() ? sample.cost : minimum[k];
    sample.maximum = maximum.empty() ? sample.cost : maximum[k];
    return sample;
  }

 private:
  void expect_as_many(const JsonView& component, std::string_view name, std::size_t size) const {
    if (const auto list = component.find(name); list && size != tasks.size())
      throw list->error(
          fmt::format("{} entries for {} task counts: expected one per task count", size, tasks.size()));
  }
};

/// Returns the error for one entry of a component's costs.
Error cost_error(const JsonView& component, std::size_t k, const std::string& what) {
  Diagnostic diagnostic = component.at("cost").error(what).diagnostic();
  *diagnostic.pointer += fmt::format("/{}", k);
  return {ErrorKind::bad_input, std::move(diagnostic)};
}

/// Sorts samples by threads, then tasks.
void sort_samples(std::vector<Sample>& samples, const JsonView& component) {
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
  sort_samples(samples, component);
  return samples;
}

Component component_of(const std::string& name, const JsonView& value) {
  Component component;
  component.name = name;
  SampleLists lists;
  std::set<std::string_view> seen;
  value.for_each_member([&](std::string_view member, const JsonView& content) {
    if (!seen.insert(member).second) throw content.error("duplicate member");
    if (member == "ntasks")
      lists.tasks = list_of(content, count_of);
    else if (member == "nthrds")
      lists.threads = list_of(content, count_of);
    else if (member == "repeats")
      lists.repeats = list_of(content, count_of);
    else if (member == "cost")
      lists.costs = list_of(content, cost_of);
    else if (member == "least")
      lists.minimum = list_of(content, cost_of);
    else if (member == "greatest")
      lists.maximum = list_of(content, cost_of);
    else if (member == "blocksize")
      component.block_size = count_of(content);
    else if (member == "ninst")
      component.instances = count_of(content);
    else if (member == "name")
      component.model = content.text();
    else
      refuse_misspelt(member, component_members, content);
  });
  component.samples = samples_of(lists, value);
  return component;
}

CostUnit unit_of(const JsonView& value) {
  const std::string_view unit = value.text();
  if (unit == "seconds_per_day") return CostUnit::seconds_per_day;
  if (unit == "total_seconds") return CostUnit::total_seconds;
  throw value.error("unknown unit " + support::in_quotes(unit),
                    "use \"seconds_per_day\" or \"total_seconds\"");
}

bool is_yes(const JsonView& value) {
  const std::string_view word = value.text();
  if (word == "yes" || word == "no") return word == "yes";
  throw value.error("unknown value " + support::in_quotes(word), R"(use "yes" or "no")");
}

std::string name_of_component(std::string_view key, const JsonView& value) {
  std::string name = support::upper_case(key);
  const auto fits = [](char letter) {
    return (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') || letter == '_';
  };
  if (name.empty() || name.size() > 64 || !std::ranges::all_of(name, fits))
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
  std::set<std::string_view> seen;
  root.for_each_member([&](std::string_view name, const JsonView& value) {
    if (!seen.insert(name).second) throw value.error("duplicate member");
    if (name == "totaltasks")
      problem.total_tasks = count_of(value);
    else if (name == "layout")
      problem.layout = value.text();
    else if (name == "description")
      problem.description = value.text();
    else if (name == "tasks_per_node")
      problem.processors_per_node = count_of(value);
    else if (name == "node_sharing")
      problem.shares_nodes = is_yes(value);
    else if (name == "unit")
      problem.unit = unit_of(value);
    else if (value.is_object())
      add_component(name, value, problem);
    else
      refuse_misspelt(name, problem_members, value);
  });
  if (problem.components.empty())
    throw root.error("contains no component",
                     R"(specify components such as "ATM": {"ntasks": [..], "cost": [..]})");
  return problem;
}

Problem read_problem(const std::string& path) {
  return parse_problem(read_gzip_or_plain(path), path);
}

}  // namespace plimsoll::pelayout
