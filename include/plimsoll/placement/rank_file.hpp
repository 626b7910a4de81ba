#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/placement/nodes.hpp>

namespace plimsoll::PLIMSOLL_ABI::placement {

/// File formats that specify the placement of ranks for a launcher.
enum class RankFileFormat {
  list,              ///< readable list: "0 host"
  mpich,             ///< one host per rank, in order: mpiexec -f
  openmpi_rankfile,  ///< "rank 0=host slot=0": mpirun --rankfile
  slurm,             ///< one host per rank, in order: SLURM_HOSTFILE
};

/// Returns the names "list", "mpich", "openmpi-rankfile", "slurm".
std::vector<std::string> rank_file_formats();
/// Returns the format of that name; nothing if the name is unknown.
std::optional<RankFileFormat> rank_file_format(std::string_view name);

/// Formats a placement for a launcher. The ranks on each node take its slots in ascending order. Throws Error
/// (bad_input) for a host whose name a launcher could misinterpret: with spaces, control characters, commas,
/// ...
std::string rank_file(std::span<const std::uint32_t> placement, std::span<const Node> nodes,
                      RankFileFormat format);

/// Returns the launcher command that uses a file of this format, ready to paste into a shell.
std::string how_to_use(RankFileFormat format, const std::string& path, std::size_t ranks);

}  // namespace plimsoll::placement
