#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_file_bytes = std::size_t{1} << 20;

/// Reads MAX_MPITASKS_PER_NODE from a file env_mach_pes.xml. Empty if the file does not set it.
std::optional<std::int64_t> tasks_per_node_in(const std::string& path) {
  const std::string xml = support::read_text_file(path, max_file_bytes);
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

/// Returns the path of env_mach_pes.xml in the case directory of a timing file.
std::string machine_file(const TimingFile& run) {
  return (fs::path(run.path).parent_path() / ".." / "env_mach_pes.xml").lexically_normal().string();
}

}  // namespace

std::optional<TasksPerNode> find_tasks_per_node(std::span<const TimingFile> runs) {
  std::set<std::string> paths;
  for (const TimingFile& run : runs) paths.insert(machine_file(run));
  std::optional<TasksPerNode> found;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;
    const std::optional<std::int64_t> tasks = tasks_per_node_in(path);
    if (!tasks) continue;
    if (found && found->tasks != *tasks)
      throw support::bad_input(fmt::format("different values of {}: {} here, but {} in {}",
                                           tasks_per_node_variable, *tasks, found->tasks, found->source),
                               path, "specify the number of tasks per node");
    found = {*tasks, path};
  }
  if (found) return found;
  std::optional<TasksPerNode> maximum;
  for (const TimingFile& run : runs) {
    const auto has_threads = [](const ComponentTiming& timing) { return timing.threads > 1; };
    if (!run.processors_per_node || std::ranges::any_of(run.components, has_threads)) continue;
    if (!maximum || *run.processors_per_node > maximum->tasks) maximum = {*run.processors_per_node, run.path};
  }
  return maximum;
}

}  // namespace plimsoll::pelayout
