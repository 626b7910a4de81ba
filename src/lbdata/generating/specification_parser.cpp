#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/yaml.hpp>
#include <plimsoll/support/json_writer.hpp>
#include <plimsoll/support/parse.hpp>

#include "lbdata/generating/data_specification.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

constexpr std::int64_t most_task_number = (std::int64_t{1} << 46) - 1;  // fits into a bit-encoded ID
constexpr double most_seconds = 1e12;
constexpr double most_bytes = 1e18;
constexpr double smallest_mean = 1e-12;
constexpr std::int64_t most_messages = std::int64_t{1} << 53;

/// Reads a specification; every error contains the file and the line.
class SpecificationReader {
 public:
  explicit SpecificationReader(const std::string& file) : file_(file) {}

  DataSpecification read(const YAML::Node& root) {
    if (!root.IsMap()) fail(root, "not a specification: expected a mapping with the member \"tasks\"");
    if (!root["tasks"]) fail(root, "missing member \"tasks\": expected the loads of tasks");
    // The other members refer to tasks and ranks.
    const auto later = [](const YAML::Node&, const std::string&) {};
    read_members(root, {{"tasks", [this](const YAML::Node& node, const std::string&) { read_tasks(node); }},
                        {"ranks", later},
                        {"communications", later},
                        {"shared_blocks", later}});
    read_ranks(root);
    for_each_entry(root["shared_blocks"], "shared block",
                   [this](std::int64_t number, const YAML::Node& node) { read_block(number, node); });
    for_each_entry(root["communications"], "communication",
                   [this](std::int64_t, const YAML::Node& node) { read_edge(node); });
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const YAML::Node& node, std::string what, std::string suggestion = {}) const {
    throw support::yaml_error(node.Mark(), file_, std::move(what), std::move(suggestion));
  }

  void read_members(const YAML::Node& mapping, const support::YamlMembers& members) const {
    support::read_yaml_members(mapping, file_, members);
  }

  /// Calls `visit` for the entries of a list, which are numbered from 0, or of a mapping from numbers.
  template <class Visit>
  void for_each_entry(const YAML::Node& entries, const std::string& kind, const Visit& visit) const {
    if (!entries || entries.IsNull()) return;
    if (entries.IsSequence()) {
      std::int64_t number = 0;
      for (const YAML::Node& entry : entries) visit(number++, entry);
      return;
    }
    if (!entries.IsMap()) fail(entries, fmt::format("expected a list or a mapping of {}s", kind));
    std::set<std::int64_t> seen;
    for (const auto& entry : entries) {
      const std::int64_t number = integer(entry.first, kind, 0, most_task_number);
      if (!seen.insert(number).second) fail(entry.first, fmt::format("duplicate {} {}", kind, number));
      visit(number, entry.second);
    }
  }

  std::int64_t integer(const YAML::Node& node, const std::string& key, std::int64_t minimum,
                       std::int64_t maximum) const {
    if (node.IsScalar())
      if (const auto number = support::parse_number<std::int64_t>(node.Scalar()))
        if (*number >= minimum && *number <= maximum) return *number;
    fail(node,
         fmt::format("invalid value for {}: must be an integer between {} and {}", key, minimum, maximum));
  }

  double number(const YAML::Node& node, const std::string& key, double minimum, double maximum) const {
    if (node.IsScalar())
      if (const auto number = support::parse_number<double>(node.Scalar()))
        if (*number >= minimum && *number <= maximum) return *number;
    fail(node,
         fmt::format("invalid value for {}: must be a number between {} and {}", key, minimum, maximum));
  }

  bool truth(const YAML::Node& node, const std::string& key) const {
    const std::string word = node.IsScalar() ? node.Scalar() : "";
    if (word != "true" && word != "false")
      fail(node, fmt::format("invalid value for {}: expected true or false", key));
    return word == "true";
  }

  /// Reads a number, or a distribution of random numbers as in LBAF: {name: NAME, parameters: [A, B]}.
  Sampler sampler(const YAML::Node& node, const std::string& key, double maximum) const {
    if (!node.IsMap()) return Sampler::constant(number(node, key, 0, maximum));
    std::string name;
    std::vector<double> parameters;
    read_members(node,
                 {{"name", [&](const YAML::Node& value, const std::string&) { name = text(value, "name"); }},
                  {"parameters", [&](const YAML::Node& values, const std::string&) {
                     for (const YAML::Node& value : values)
                       parameters.push_back(number(value, "parameters", 0, maximum * maximum));
                   }}});
    if (name != "uniform" && name != "lognormal")
      fail(node, fmt::format("unknown distribution {}", support::in_quotes(name)),
           support::did_you_mean(name, {"uniform", "lognormal"}, "available: uniform, lognormal"));
    if (parameters.size() != 2)
      fail(node, fmt::format("{} parameters of a distribution: expected 2", parameters.size()),
           name == "uniform" ? "use [minimum, maximum]" : "use [mean, variance]");
    return name == "uniform" ? uniform(node, parameters[0], parameters[1], maximum)
                             : lognormal(node, parameters[0], parameters[1], maximum);
  }

  Sampler uniform(const YAML::Node& node, double lower, double upper, double maximum) const {
    if (lower <= upper && upper <= maximum) return Sampler::uniform(lower, upper);
    fail(node, fmt::format("invalid bounds {} and {}: must ascend, up to {}", lower, upper, maximum));
  }

  Sampler lognormal(const YAML::Node& node, double mean, double variance, double maximum) const {
    if (mean < smallest_mean || mean > maximum)
      fail(node, fmt::format("invalid mean {}: must be between {} and {}", mean, smallest_mean, maximum));
    if (variance / mean / mean > widest_lognormal)
      fail(node, fmt::format("invalid variance {}: must be <= {} mean^2", variance, widest_lognormal));
    return Sampler::lognormal(mean, variance);
  }

  std::string text(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar()) fail(node, fmt::format("invalid value for {}: expected text", key));
    return node.Scalar();
  }

  void read_tasks(const YAML::Node& node) {
    for_each_entry(node, "task", [this](std::int64_t number, const YAML::Node& entry) {
      result_.tasks.emplace(number, task(entry));
    });
  }

  SpecifiedTask task(const YAML::Node& node) const {
    SpecifiedTask task;
    if (!node.IsMap()) {
      task.time_s = sampler(node, "time", most_seconds);
      return task;
    }
    if (!node["time"]) fail(node, "missing member \"time\": expected the load of the task in seconds");
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t most_ranks = std::numeric_limits<std::int32_t>::max();
    using Node = const YAML::Node&;
    using Key = const std::string&;
    read_members(
        node,
        {{"time", [&](Node value, Key key) { task.time_s = sampler(value, key, most_seconds); }},
         {"collection_id", [&](Node value, Key key) { task.collection_id = integer(value, key, 0, most); }},
         {"migratable", [&](Node value, Key key) { task.migratable = truth(value, key); }},
         {"home", [&](Node value, Key key) { task.home = integer(value, key, 0, most_ranks); }},
         {"user_defined", [&](Node value, Key) { read_user_data(value, task); }}});
    return task;
  }

  void read_user_data(const YAML::Node& node, SpecifiedTask& task) const {
    if (!node.IsMap()) fail(node, "invalid value for user_defined: expected a mapping");
    for_each_member(node, [&](const std::string& key, const YAML::Node& value) {
      std::string text;
      support::JsonWriter json(text);
      append_json(value, json);
      task.user_defined.emplace_back(key, text);
    });
  }

  template <class Visit>
  void for_each_member(const YAML::Node& mapping, const Visit& visit) const {
    std::set<std::string> seen;
    for (const auto& member : mapping) {
      const std::string key = text(member.first, "a key");
      if (!seen.insert(key).second) fail(member.first, fmt::format("duplicate member {}", key));
      visit(key, member.second);
    }
  }

  /// Appends a value as JSON. Plain words that are neither numbers, true, false nor null are strings.
  void append_json(const YAML::Node& node, support::JsonWriter& json) const {
    if (node.IsMap()) {
      json.begin_object();
      for_each_member(
          node, [&](const std::string& key, const YAML::Node& value) { append_json(value, json.key(key)); });
      json.end_object();
    } else if (node.IsSequence()) {
      json.begin_array();
      for (const YAML::Node& entry : node) append_json(entry, json);
      json.end_array();
    } else if (node.IsNull()) {
      json.null();
    } else {
      append_scalar(node, json);
    }
  }

  static void append_scalar(const YAML::Node& node, support::JsonWriter& json) {
    const std::string& scalar = node.Scalar();
    const bool is_plain = node.Tag() != "!";
    const auto integer = support::parse_number<std::int64_t>(scalar);
    const auto number = support::parse_number<double>(scalar);
    if (is_plain && (scalar == "true" || scalar == "false"))
      json.value(scalar == "true");
    else if (is_plain && integer)
      json.value(*integer);
    else if (is_plain && number && std::isfinite(*number))
      json.value(*number);
    else
      json.value(scalar);
  }

  void read_ranks(const YAML::Node& root) {
    const YAML::Node ranks = root["ranks"];
    if (!ranks) fail(root, "missing member \"ranks\": expected the tasks of each rank");
    std::map<std::int64_t, std::vector<std::int64_t>> tasks;
    for_each_entry(ranks, "rank", [&](std::int64_t rank, const YAML::Node& node) {
      tasks.emplace(rank, tasks_of(node));
      for (const std::int64_t number : tasks[rank]) {
        SpecifiedTask& task = result_.tasks.at(number);
        if (task.rank) fail(node, fmt::format("task {} is on the ranks {} and {}", number, *task.rank, rank));
        task.rank = rank;
      }
    });
    for (auto& [rank, numbers] : tasks) {
      if (rank != static_cast<std::int64_t>(result_.ranks.size()))
        fail(ranks, fmt::format("missing rank {}", result_.ranks.size()), "use the ranks 0 to n-1");
      result_.ranks.push_back(std::move(numbers));
    }
    if (result_.ranks.empty()) fail(ranks, "the specification has no ranks");
    for (const auto& [number, task] : result_.tasks)
      if (!task.rank) fail(ranks, fmt::format("task {} is on none of the ranks", number));
  }

  /// Reads a list of tasks, or a mapping with a member "tasks".
  std::vector<std::int64_t> tasks_of(const YAML::Node& node) const {
    YAML::Node list = node;
    if (node.IsMap())
      read_members(node,
                   {{"tasks", [&](const YAML::Node& value, const std::string&) { list.reset(value); }}});
    if (!list.IsSequence()) fail(node, "expected a list of tasks");
    std::vector<std::int64_t> tasks;
    for (const YAML::Node& entry : list) tasks.push_back(known_task(entry, "tasks"));
    return tasks;
  }

  std::int64_t known_task(const YAML::Node& node, const std::string& key) const {
    const std::int64_t number = integer(node, key, 0, most_task_number);
    if (result_.tasks.contains(number)) return number;
    fail(node, fmt::format("unknown task {}", number), "add it to tasks");
  }

  void read_block(std::int64_t number, const YAML::Node& node) {
    SpecifiedBlock block{.number = number, .size_bytes = 0, .home_rank = {}};
    std::vector<std::int64_t> tasks;
    if (!node.IsMap() || !node["size"] || !node["tasks"])
      fail(node, "expected a mapping with the members \"size\" and \"tasks\"");
    using Node = const YAML::Node&;
    using Key = const std::string&;
    const auto read_home = [&](Node value, Key key) {
      if (!value.IsNull())
        block.home_rank = integer(value, key, 0, static_cast<std::int64_t>(result_.ranks.size()) - 1);
    };
    read_members(
        node,
        {{"size", [&](Node value, Key key) { block.size_bytes = this->number(value, key, 0, most_bytes); }},
         {"home_rank", read_home},
         {"home", read_home},  // in some versions of LBAF
         {"tasks", [&](Node value, Key) { tasks = tasks_of(value); }}});
    for (const std::int64_t user : tasks) {
      SpecifiedTask& task = result_.tasks.at(user);
      if (task.block)
        fail(node, fmt::format("task {} uses the shared blocks {} and {}", user, task.block->number, number),
             "use one block per task");
      for (const auto& [key, value] : task.user_defined)
        if (key == "shared_id" || key == "shared_bytes" || key == "home_rank")
          fail(node, fmt::format("the user_defined of task {} already contains {}", user, key),
               "specify the block in one place");
      task.block = block;
    }
  }

  void read_edge(const YAML::Node& node) {
    if (!node.IsMap() || !node["from"] || !node["to"] || !node["size"])
      fail(node, "expected a mapping with the members \"from\", \"to\" and \"size\"");
    SpecifiedEdge edge;
    using Node = const YAML::Node&;
    using Key = const std::string&;
    read_members(
        node,
        {{"from", [&](Node value, Key key) { edge.from = known_task(value, key); }},
         {"to", [&](Node value, Key key) { edge.to = known_task(value, key); }},
         {"size", [&](Node value, Key key) { edge.bytes = sampler(value, key, most_bytes); }},
         {"messages", [&](Node value, Key key) { edge.messages = integer(value, key, 0, most_messages); }}});
    result_.edges.push_back(edge);
  }

  const std::string& file_;
  DataSpecification result_;
};

}  // namespace

DataSpecification parse_specification(std::string_view text, const std::string& name) {
  return SpecificationReader(name).read(support::parse_yaml(text, name));
}

}  // namespace plimsoll::lbdata
