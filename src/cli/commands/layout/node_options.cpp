#include "cli/commands/layout/node_options.hpp"

#include <fmt/format.h>

#include <plimsoll/pelayout/measured_nodes.hpp>
#include <plimsoll/pelayout/sweep.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

constexpr std::string_view no_nodes = "none";  ///< value of --tasks_per_node that ignores nodes

/// Returns an option that requires nodes; empty if none is specified.
std::string node_option(const SolveOptions& options) {
  for (const auto& [option, specified] : {std::pair{"--total_nodes", !options.total_nodes.empty()},
                                          {"--node_sharing", !options.node_sharing.empty()},
                                          {"--pe_nodes", options.pe_nodes}})
    if (specified) return option;
  return "";
}

void check_nodes(const SolveOptions& options) {
  if (!options.total_nodes.empty() && !options.total_tasks.empty())
    throw support::usage_error("--total_tasks and --total_nodes cannot be combined", "use one of them");
  if (!options.tasks_per_node.empty()) {
    const auto tasks = support::parse_number<std::int64_t>(options.tasks_per_node);
    const bool is_word = options.tasks_per_node == "auto" || options.tasks_per_node == no_nodes;
    if (!is_word && (!tasks || *tasks < 1 || *tasks > pelayout::max_count))
      throw support::usage_error(
          fmt::format("invalid value {} for --tasks_per_node: must be between 1 and {}, auto or none",
                      support::in_quotes(options.tasks_per_node), pelayout::max_count),
          "use MAX_MPITASKS_PER_NODE of the machine, for example --tasks_per_node 64");
  }
  if (const std::string option = node_option(options); options.tasks_per_node == no_nodes && !option.empty())
    throw support::usage_error(fmt::format("{} cannot be combined with --tasks_per_node none", option),
                               "use --tasks_per_node N, or --tasks_per_node auto");
}

/// Splits NAME=VALUE. Throws Error (usage) for anything else.
std::pair<std::string, std::string> named_value(const std::string& option, const std::string& word,
                                                const char* example) {
  const std::size_t equals = word.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == word.size())
    throw support::usage_error(
        fmt::format("invalid value {} for {}: expected NAME=VALUE", support::in_quotes(word), option),
        fmt::format("use, for example, {} {}", option, example));
  return {word.substr(0, equals), word.substr(equals + 1)};
}

/// Returns a count of 1 or more in the value of an option.
std::int64_t count_in(const std::string& option, const std::string& word, std::string_view text,
                      const char* example) {
  const auto number = support::parse_number<std::int64_t>(text);
  if (!number || *number < 1 || *number > pelayout::max_count)
    throw support::usage_error(fmt::format("invalid value {} for {}: counts must be between 1 and {}",
                                           support::in_quotes(word), option, pelayout::max_count),
                               fmt::format("use, for example, {} {}", option, example));
  return *number;
}

/// Returns the values of an option that may be repeated, by upper-case component. Throws Error (usage) for a
/// component with two values.
std::map<std::string, std::string> values_of_components(const std::string& option,
                                                        const std::vector<std::string>& words,
                                                        const char* example) {
  std::map<std::string, std::string> values;
  for (const std::string& word : words) {
    auto [name, value] = named_value(option, word, example);
    if (!values.emplace(support::upper_case(name), std::move(value)).second)
      throw support::usage_error(fmt::format("duplicate {} of {}", option, support::upper_case(name)),
                                 "specify one value per component");
  }
  return values;
}

}  // namespace

std::map<std::string, std::int64_t> limits_of(const SolveOptions& options) {
  constexpr const char* example = "GLC=64";
  std::map<std::string, std::int64_t> limits;
  for (const auto& [name, value] : values_of_components("--limit", options.limits, example))
    limits[name] = count_in("--limit", fmt::format("{}={}", name, value), value, example);
  return limits;
}

namespace {

/// Returns the kinds of nodes of --partition; empty if none are specified.
std::vector<pelayout::Partition> partitions_of(const SolveOptions& options) {
  constexpr const char* example = "gpu=84x4";
  std::vector<pelayout::Partition> partitions;
  for (const std::string& word : options.partitions) {
    const auto [name, value] = named_value("--partition", word, example);
    const std::size_t times = value.find('x');
    const std::string_view size = value;
    const auto count = [&](std::string_view text) { return count_in("--partition", word, text, example); };
    const std::int64_t n_nodes = count(size.substr(0, times));
    const std::int64_t tasks = count(times == std::string::npos ? "" : size.substr(times + 1));
    if (n_nodes > pelayout::max_count / tasks)
      throw support::usage_error(fmt::format("too many tasks: {} nodes of {} tasks", n_nodes, tasks),
                                 fmt::format("use at most {} tasks", pelayout::max_count));
    partitions.push_back({.name = name,
                          .n_nodes = n_nodes,
                          .nodes = {.tasks_per_node = tasks, .shared = options.node_sharing == "yes"}});
  }
  return partitions;
}

std::map<std::string, std::string> placed_on(const SolveOptions& options) {
  return values_of_components("--on", options.placed_on, "ATM=gpu");
}

/// Returns the error for --on without kinds of nodes.
Error missing_kinds() {
  return support::usage_error("--on requires --partition",
                              "use, for example, --partition gpu=84x4 --partition cpu=80x128");
}

/// Throws Error (usage) for options that contradict two kinds of nodes.
void check_partitions(const SolveOptions& options) {
  placed_on(options);
  limits_of(options);
  const std::size_t number = partitions_of(options).size();
  if (number == 0 && !options.placed_on.empty() && options.json_input.empty()) throw missing_kinds();
  if (number == 0) return;
  if (number != 2)
    throw support::usage_error(fmt::format("{} --partition: expected two kinds of nodes", number),
                               "use --total_nodes and --tasks_per_node for one kind of nodes");
  for (const auto& [option, specified] : {std::pair{"--total_tasks", !options.total_tasks.empty()},
                                          {"--total_nodes", !options.total_nodes.empty()},
                                          {"--tasks_per_node", !options.tasks_per_node.empty()},
                                          {"--objective", options.objective != "time"},
                                          {"--exact_sum", options.exact_sum},
                                          {"--pe_nodes", options.pe_nodes}})
    if (specified)
      throw support::usage_error(fmt::format("{} cannot be combined with --partition", option),
                                 fmt::format("remove {}", option));
}

/// Returns the nodes that the timing files contain, for an option that requires them.
pelayout::Nodes nodes_in_files(const std::string& option, const pelayout::Problem& problem,
                               const std::vector<pelayout::TimingFile>& runs, bool shared,
                               const Terminal& terminal) {
  const auto found = pelayout::find_tasks_per_node(runs);
  if (!found)
    throw support::usage_error(
        option +
            ": no env_mach_pes.xml and no timing file of a run with one thread per task contains the number "
            "of tasks per node",
        "use --tasks_per_node N");
  terminal.show_note(fmt::format("{} tasks per node, from {}", found->tasks, found->source));
  return make_nodes(problem, found->tasks, shared);
}

}  // namespace

namespace {

/// Returns an option that specifies one kind of nodes, or totals of them; empty if none is specified.
std::string option_for_one_kind(const SolveOptions& options) {
  for (const auto& [option, specified] : {std::pair{"--total_tasks", !options.total_tasks.empty()},
                                          {"--total_nodes", !options.total_nodes.empty()},
                                          {"--tasks_per_node", !options.tasks_per_node.empty()}})
    if (specified) return option;
  return "";
}

}  // namespace

KindsOfNodes kinds_of_nodes(const SolveOptions& options, const pelayout::Problem& problem) {
  std::map<std::string, std::string> specified = placed_on(options);
  if (!options.partitions.empty()) return {partitions_of(options), std::move(specified)};
  const bool has_kinds = !problem.kinds_of_nodes.empty() && option_for_one_kind(options).empty();
  if (!has_kinds && specified.empty()) return {};
  if (!has_kinds && problem.kinds_of_nodes.empty()) throw missing_kinds();
  if (!has_kinds)
    throw support::usage_error(
        fmt::format("--on cannot be combined with {}, which specifies nodes of one kind",
                    option_for_one_kind(options)),
        fmt::format("remove {} to use the kinds of nodes in {}", option_for_one_kind(options), problem.path));
  const bool shared = options.node_sharing.empty() ? problem.shares_nodes : options.node_sharing == "yes";
  specified.merge(placed_on(problem));
  return {make_partitions(problem, shared), std::move(specified)};
}

void warn_of_ignored_kinds(const SolveOptions& options, const pelayout::Problem& problem,
                           std::vector<Diagnostic>& warnings) {
  const std::string option = option_for_one_kind(options);
  if (problem.kinds_of_nodes.empty() || !options.partitions.empty() || option.empty()) return;
  warnings.push_back({.severity = support::Severity::warning,
                      .what = fmt::format("\"partition\" is ignored: {} specifies nodes of one kind", option),
                      .file = problem.path,
                      .suggestion = fmt::format("remove {} to use both kinds", option)});
}

void check_node_options(const SolveOptions& options) {
  check_nodes(options);
  check_partitions(options);
}

std::optional<pelayout::Nodes> nodes_of(const SolveOptions& options, const pelayout::Problem& problem,
                                        const std::vector<pelayout::TimingFile>& runs,
                                        const Terminal& terminal) {
  const bool shared = options.node_sharing.empty() ? problem.shares_nodes : options.node_sharing == "yes";
  if (options.tasks_per_node == no_nodes || !kinds_of_nodes(options, problem).partitions.empty())
    return std::nullopt;
  if (options.tasks_per_node == "auto")
    return nodes_in_files("--tasks_per_node auto", problem, runs, shared, terminal);
  if (const auto tasks = support::parse_number<std::int64_t>(options.tasks_per_node))
    return make_nodes(problem, *tasks, shared);
  if (problem.processors_per_node) return make_nodes(problem, *problem.processors_per_node, shared);
  if (const std::string option = node_option(options); !option.empty())
    return nodes_in_files(option, problem, runs, shared, terminal);
  return std::nullopt;
}

void use_measured_nodes(pelayout::StudyRequest& request, const SolveOptions& options,
                        const Terminal& terminal) {
  if (!options.tasks_per_node.empty() || request.plan.nodes || !request.plan.partitions.empty()) return;
  const pelayout::MeasuredNodes measured = measured_nodes(request);
  request.plan.nodes = measured.nodes;
  if (measured.nodes)
    terminal.show_note(measured.remark + "; use --tasks_per_node none to ignore nodes");
  else if (!measured.remark.empty())
    terminal.show_note(measured.remark);
}

std::vector<std::int64_t> totals_of(const SolveOptions& options, const std::optional<pelayout::Nodes>& nodes,
                                    const std::vector<pelayout::Partition>& partitions) {
  if (!partitions.empty()) return {pelayout::processors_of(partitions)};
  if (options.total_nodes.empty())
    return options.total_tasks.empty() ? std::vector<std::int64_t>{}
                                       : pelayout::parse_totals(options.total_tasks);
  std::vector<std::int64_t> totals = pelayout::parse_totals(options.total_nodes);
  if (totals.back() > pelayout::max_count / nodes->tasks_per_node)
    throw support::usage_error(
        fmt::format("too many tasks: {} nodes of {} tasks", totals.back(), nodes->tasks_per_node),
        fmt::format("use at most {} tasks", pelayout::max_count));
  for (std::int64_t& total : totals) total *= nodes->tasks_per_node;
  return totals;
}

}  // namespace plimsoll::cli
