#include <algorithm>
#include <string>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

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
  if (component.limit) json.member("limit", *component.limit);
  if (!component.on.empty()) json.member("on", component.on);
  if (!measured_once(component)) {
    write_list(json, component, "repeats", &Sample::repeats);
    write_list(json, component, "least", &Sample::minimum);
    write_list(json, component, "greatest", &Sample::maximum);
  }
  json.end_object();
}

void write_kinds_of_nodes(JsonWriter& json, const Problem& problem) {
  json.member("node_sharing", problem.shares_nodes ? "yes" : "no").key("partition").begin_array();
  for (const KindOfNodes& kind : problem.kinds_of_nodes)
    json.begin_object()
        .member("name", kind.name)
        .member("nodes", kind.n_nodes)
        .member("tasks_per_node", kind.processors_per_node)
        .end_object();
  json.end_array();
}

/// Formats JSON on many lines, as Python's json.dump(indent=4) does. It does not support empty lists.
std::string indented(const std::string& compact) {
  std::string text;
  std::size_t depth = 0;
  bool in_string = false;
  bool escaped = false;  // whether a backslash precedes
  const auto new_line = [&] { text.append("\n").append(4 * depth, ' '); };
  for (const char letter : compact) {
    const bool ends = !in_string && (letter == '}' || letter == ']');
    const bool begins = !in_string && (letter == '{' || letter == '[');
    if (begins) ++depth;
    if (ends) {
      --depth;
      new_line();
    }
    text += letter;
    if (!in_string && letter == ':') text += ' ';
    if (begins || (!in_string && letter == ',')) new_line();
    if (letter == '"' && !escaped) in_string = !in_string;
    escaped = letter == '\\' && !escaped;
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
  if (problem.processors_per_node && problem.kinds_of_nodes.empty())
    json.member("tasks_per_node", *problem.processors_per_node)
        .member("node_sharing", problem.shares_nodes ? "yes" : "no");
  if (!problem.kinds_of_nodes.empty()) write_kinds_of_nodes(json, problem);
  if (!problem.description.empty()) json.member("description", problem.description);
  json.member("unit", json_name(problem.unit));
  if (problem.coupler != Coupler::driver) json.member("coupler", support::name_of(couplers, problem.coupler));
  json.end_object();
  return indented(compact);
}

}  // namespace plimsoll::pelayout
