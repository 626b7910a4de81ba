#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <plimsoll/placement/nodes.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::placement {

namespace {

constexpr std::array<std::string_view, 4> names = {"list", "mpich", "openmpi-rankfile", "slurm"};

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Returns whether a name consists of letters, digits, dots, dashes and underscores, or is an IPv6 address.
/// Other characters, such as a space, a comma or the colon of "host:4", have a meaning for launchers.
bool is_host_name(std::string_view name) {
  if (name.empty() || name.size() > 255 || name.front() == '-') return false;
  const bool is_address = std::ranges::count(name, ':') > 1;
  return std::ranges::all_of(name, [&](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_' ||
           (is_address && (c == ':' || c == '%'));
  });
}

void expect_host_names(std::span<const Node> nodes) {
  const auto bad = std::ranges::find_if_not(nodes, [](const Node& node) { return is_host_name(node.name); });
  if (bad == nodes.end()) return;
  throw support::bad_input(fmt::format("invalid host name {}: expected letters, digits, '.', '-' and '_'",
                                       support::in_quotes(bad->name)),
                           {}, "use a hostfile with the host names");
}

}  // namespace

std::vector<std::string> rank_file_formats() {
  return {names.begin(), names.end()};
}

std::optional<RankFileFormat> rank_file_format(std::string_view name) {
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == name) return static_cast<RankFileFormat>(k);
  return std::nullopt;
}

std::string rank_file(std::span<const std::uint32_t> placement, std::span<const Node> nodes,
                      RankFileFormat format) {
  expect_host_names(nodes);
  std::string text;
  std::vector<std::uint32_t> used(nodes.size());
  for (std::size_t rank = 0; rank < placement.size(); ++rank) {
    const std::string& host = nodes[placement[rank]].name;
    switch (format) {
      case RankFileFormat::list: text += fmt::format("{} {}\n", rank, host); break;
      case RankFileFormat::openmpi_rankfile:
        text += fmt::format("rank {}={} slot={}\n", rank, host, used[placement[rank]]++);
        break;
      case RankFileFormat::mpich:
      case RankFileFormat::slurm: text += host + '\n'; break;
    }
  }
  return text;
}

std::string how_to_use(RankFileFormat format, const std::string& path, std::size_t ranks) {
  const std::string file = support::shell_quoted(path);
  switch (format) {
    case RankFileFormat::openmpi_rankfile: return fmt::format("mpirun -n {} --rankfile {} ...", ranks, file);
    case RankFileFormat::mpich: return fmt::format("mpiexec -n {} -f {} ...", ranks, file);
    case RankFileFormat::slurm:
      return fmt::format("SLURM_HOSTFILE={} srun -n {} --distribution=arbitrary ...", file, ranks);
    case RankFileFormat::list: break;
  }
  return "this list to look up the host of each rank; launchers require another format";
}

}  // namespace plimsoll::placement
