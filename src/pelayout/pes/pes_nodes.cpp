#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>

#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

Error wrong_nodes(const PesEntry& entry, const std::string& file, std::string what, std::string suggestion) {
  Diagnostic diagnostic = {.what = std::move(what), .file = file, .suggestion = std::move(suggestion)};
  if (entry.line > 0) diagnostic.line = entry.line;
  return {ErrorKind::bad_input, std::move(diagnostic)};
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

bool counts_nodes(const std::optional<std::int64_t>& count) {
  return count && *count < 0;
}

}  // namespace

PesEntry in_tasks(PesEntry entry, const std::string& file) {
  for (auto& [name, component] : entry.components) {
    for (std::optional<std::int64_t>* const count : {&component.tasks, &component.root}) {
      if (!counts_nodes(*count)) continue;
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
