#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr std::size_t max_machine_file_bytes = std::size_t{1} << 20;

/// Reads MAX_MPITASKS_PER_NODE from a file env_mach_pes.xml. Empty if the file does not set it.
std::optional<std::int64_t> tasks_per_node_in(const std::string& path) {
  const std::string xml = support::read_text_file(path, max_machine_file_bytes);
  pugi::xml_document document;
  if (const auto parsed = document.load_buffer(xml.data(), xml.size()); !parsed)
    throw support::bad_input(fmt::format("invalid XML: {}", parsed.description()), path);
  const pugi::xml_node entry = document.find_node([](const pugi::xml_node& node) {
    return std::string_view(node.name()) == "entry" &&
           std::string_view(node.attribute("id").value()) == tasks_per_node_variable;
  });
  if (!entry) return std::nullopt;
  const std::string_view text = entry.attribute("value").value();
  const auto value = support::parse_number<std::int64_t>(text);
  if (!value || *value < 1 || *value > max_count)
    throw support::bad_input(fmt::format("invalid value {} of {}: expected an integer from 1 to {}",
                                         support::in_quotes(text, 40), tasks_per_node_variable, max_count),
                             path);
  return value;
}

/// Finds the number of tasks per node in the profiles of runs with one thread per task.
std::optional<TasksPerNode> tasks_per_node_of_profiles(std::span<const TimingFile> runs) {
  std::vector<const TimingFile*> usable;
  const auto has_threads = [](const ComponentTiming& timing) { return timing.threads > 1; };
  for (const TimingFile& run : runs)
    if (run.processors_per_node && std::ranges::none_of(run.components, has_threads)) usable.push_back(&run);
  if (usable.empty()) return std::nullopt;
  const auto per_node = [](const TimingFile* run) { return *run->processors_per_node; };
  const TimingFile& fullest = **std::ranges::max_element(usable, {}, per_node);
  for (const TimingFile* run : usable) {
    const bool fills_a_node = run->processors && *run->processors > per_node(run);
    if (per_node(run) < per_node(&fullest) && fills_a_node)
      throw support::bad_input(fmt::format("different numbers of tasks per node: {} here, but {} in {}",
                                           per_node(run), per_node(&fullest), fullest.path),
                               run->path, "specify the number of tasks per node");
  }
  return TasksPerNode{per_node(&fullest), fullest.path};
}

/// Returns the path of env_mach_pes.xml in the case directory of a timing file.
std::string machine_file(const TimingFile& run) {
  return (std::filesystem::path(run.path).parent_path() / ".." / "env_mach_pes.xml")
      .lexically_normal()
      .string();
}

}  // namespace

std::optional<TasksPerNode> find_tasks_per_node(std::span<const TimingFile> runs) {
  std::set<std::string> paths;
  for (const TimingFile& run : runs) paths.insert(machine_file(run));
  std::optional<TasksPerNode> found;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) continue;
    const std::optional<std::int64_t> tasks = tasks_per_node_in(path);
    if (!tasks) continue;
    if (found && found->tasks != *tasks)
      throw support::bad_input(fmt::format("different values of {}: {} here, but {} in {}",
                                           tasks_per_node_variable, *tasks, found->tasks, found->source),
                               path, "specify the number of tasks per node");
    found = {*tasks, path};
  }
  return found ? found : tasks_per_node_of_profiles(runs);
}

}  // namespace plimsoll::pelayout
