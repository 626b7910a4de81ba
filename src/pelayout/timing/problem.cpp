#include <algorithm>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

const char* unit_symbol(CostUnit unit) {
  return unit == CostUnit::seconds_per_day ? "s/day" : "s";
}

const Sample* Component::find(std::int64_t tasks, std::int64_t threads) const {
  for (const Sample& sample : samples)
    if (sample.tasks == tasks && sample.threads == threads) return &sample;
  return nullptr;
}

const Component* Problem::find(const std::string& name) const {
  for (const Component& component : components)
    if (component.name == name) return &component;
  return nullptr;
}

std::int64_t Problem::max_tasks() const {
  std::int64_t maximum = 1;
  for (const Component& component : components)
    for (const Sample& sample : component.samples) maximum = std::max(maximum, sample.tasks);
  return maximum;
}

std::vector<std::string> Problem::component_names() const {
  std::vector<std::string> names;
  for (const Component& component : components) names.push_back(component.name);
  return names;
}

namespace {

using support::JsonWriter;

template <class Value>
void write_list(JsonWriter& json, const Component& component, const char* key, Value Sample::*member) {
  json.key(key).begin_array();
  for (const Sample& sample : component.samples) json.value(sample.*member);
  json.end_array();
}

bool measured_once(const Component& component) {
  return std::all_of(component.samples.begin(), component.samples.end(), [](const Sample& sample) {
    return sample.repeats == 1 && sample.minimum == sample.cost && sample.maximum == sample.cost;
  });
}

void write_component(JsonWriter& json, const Component& component) {
  json.key(component.name).begin_object();
  write_list(json, component, "cost", &Sample::cost);
  write_list(json, component, "ntasks", &Sample::tasks);
  write_list(json, component, "nthrds", &Sample::threads);
  if (!component.model.empty()) json.member("name", component.model);
  json.member("blocksize", component.block_size);
  if (component.instances > 1) json.member("ninst", component.instances);
  if (!measured_once(component)) {
    write_list(json, component, "repeats", &Sample::repeats);
    write_list(json, component, "least", &Sample::minimum);
    write_list(json, component, "greatest", &Sample::maximum);
  }
  json.end_object();
}

/// Formats JSON on many lines, as Python's json.dump(indent=4) does. It does not support empty lists.
std::string indented(const std::string& compact) {
  std::string text;
  std::size_t depth = 0;
  bool in_string = false;
  const auto new_line = [&] { text.append("\n").append(4 * depth, ' '); };
  for (std::size_t k = 0; k < compact.size(); ++k) {
    const char letter = compact[k];
    if (in_string) {
      text += letter;
      if (letter == '\\')
        text += compact[++k];
      else if (letter == '"')
        in_string = false;
      continue;
    }
    if (letter == '}' || letter == ']') {
      --depth;
      new_line();
    }
    text += letter;
    if (letter == '"') in_string = true;
    if (letter == ':') text += ' ';
    if (letter == '{' || letter == '[') ++depth;
    if (letter == '{' || letter == '[' || letter == ',') new_line();
  }
  return text + '\n';
}

}  // namespace

std::string to_json(const Problem& problem) {
  std::string compact;
  JsonWriter json(compact);
  json.begin_object();
  for (const Component& component : problem.components) write_component(json, component);
  if (problem.total_tasks) json.member("totaltasks", *problem.total_tasks);
  if (problem.layout) json.member("layout", *problem.layout);
  if (problem.processors_per_node)
    json.member("tasks_per_node", *problem.processors_per_node)
        .member("node_sharing", problem.shares_nodes ? "yes" : "no");
  if (!problem.description.empty()) json.member("description", problem.description);
  json.member("unit", problem.unit == CostUnit::seconds_per_day ? "seconds_per_day" : "total_seconds");
  json.end_object();
  return indented(compact);
}

}  // namespace plimsoll::pelayout
