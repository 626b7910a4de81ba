#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/placement/nodes.hpp>

namespace plimsoll::inline v0_1::placement {

/// What tells a launcher where ranks go.
enum class RankFileFormat {
  list,              ///< for people: "0 host"
  mpich,             ///< a host for each rank, in order: mpiexec -f
  openmpi_rankfile,  ///< "rank 0=host slot=0": mpirun --rankfile
  slurm,             ///< a host for each rank, in order: SLURM_HOSTFILE
};

/// "list", "mpich", "openmpi-rankfile", "slurm".
std::vector<std::string> rank_file_formats();
/// The format of that name; nothing if there is none.
std::optional<RankFileFormat> rank_file_format(std::string_view name);

/// A placement in the form that a launcher reads. Ranks on a node take its slots in ascending order.
/// Throws Error (bad_input) for a host whose name a launcher could take for more than a name: with blanks,
/// control characters, commas, ...
std::string rank_file(std::span<const std::uint32_t> placement, std::span<const Node> nodes,
                      RankFileFormat format);

/// The command that uses such a file, to paste into a shell.
std::string how_to_use(RankFileFormat format, const std::string& path, std::size_t ranks);

}  // namespace plimsoll::placement
