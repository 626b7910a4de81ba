#include <fmt/format.h>

#include <array>

#include <plimsoll/placement/rank_file.hpp>

namespace plimsoll::placement {

namespace {

constexpr std::array<std::string_view, 4> names = {"list", "mpich", "openmpi-rankfile", "slurm"};

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

std::string how_to_use(RankFileFormat format, const std::string& file, std::size_t ranks) {
  switch (format) {
    case RankFileFormat::openmpi_rankfile: return fmt::format("mpirun -n {} --rankfile {} ...", ranks, file);
    case RankFileFormat::mpich: return fmt::format("mpiexec -n {} -f {} ...", ranks, file);
    case RankFileFormat::slurm:
      return fmt::format("SLURM_HOSTFILE={} srun -n {} --distribution=arbitrary ...", file, ranks);
    case RankFileFormat::list: break;
  }
  return "ranks and their hosts; the other formats are for launchers";
}

}  // namespace plimsoll::placement
