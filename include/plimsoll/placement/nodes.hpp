#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/number_list.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::placement {

/// Maximum number of slots of one host, and of all available hosts together.
inline constexpr std::uint32_t max_slots = 1U << 20;

/// A host, and the number of ranks that it can run.
struct Node {
  std::string name;
  std::uint32_t slots = 0;
  friend bool operator==(const Node&, const Node&) = default;
};

/// Node of each rank, as an index into a list of nodes.
using Placement = std::vector<std::uint32_t>;

/// Creates `count` nodes node0, node1 ... with equally many slots, enough for all ranks. Throws Error (usage)
/// if either number is 0.
std::vector<Node> equal_nodes(std::uint32_t ranks, std::uint32_t count);

/// Returns the nodes that run the ranks, in order of their lowest rank, with as many slots as ranks.
std::vector<Node> nodes_of_hosts(std::span<const std::string> hosts);

/// Reads a list of hosts, one per line, in the formats of Open MPI (`host slots=4`), MPICH (`host:4`) and
/// Slurm (`host`). `#` begins a comment; other attributes of a host (`max_slots=`, `user=`, ...) are ignored.
/// The slots of a host listed several times add up. If no line specifies a number of slots and any host is
/// repeated, each line counts as one slot. If no host is repeated either, each host gets an equal share of
/// the ranks. Throws Error (bad_input), with file and line, for any other content.
std::vector<Node> parse_hostfile(std::string_view text, const std::string& file, std::uint32_t ranks);

/// Fills the nodes in order with the ranks in order. Throws Error (usage) if the nodes have fewer slots than
/// ranks.
Placement block_placement(std::uint32_t ranks, std::span<const Node> nodes);

/// Returns the placement of ranks on these hosts; nothing if a host is not one of the nodes, or has more
/// ranks than slots.
std::optional<Placement> placement_on_hosts(std::span<const std::string> hosts, std::span<const Node> nodes);

/// Returns the ranks on each of `nodes` nodes, ascending.
std::vector<collectives::NumberList> ranks_of_nodes(const Placement& placement, std::size_t nodes);

/// Nodes on which ranks may be placed. If all members are unset, these are the hosts on which the ranks ran.
struct SiteRequest {
  std::optional<std::uint32_t> nodes;           ///< number of identical nodes
  std::optional<std::string> hostfile;          ///< path of a file for parse_hostfile(); not with `nodes`
  std::optional<std::uint32_t> ranks_per_node;  ///< slots of each node; overrides the hostfile
};

/// The nodes to place ranks on, and the initial placement.
struct Site {
  std::vector<Node> nodes;
  bool has_names = true;     ///< whether nodes have host names; else they are called node0, node1 ...
  bool is_recorded = false;  ///< whether `start` is the recorded placement; else ranks fill nodes in order
  Placement start;
};

/// Error that reports unknown nodes: the request does not specify them, and the hosts of the ranks are
/// missing.
class UnknownNodesError : public Error {
 public:
  explicit UnknownNodesError(const Error& error) : Error(error) {}
};

/// Returns the site of ranks that ran on these hosts (collectives::rank_hosts(); empty if unknown). Throws
/// UnknownNodesError (usage) if the nodes are unknown. Throws Error: usage if the nodes have too few slots,
/// or ranks_per_node is 0; system or bad_input for the hostfile.
Site find_site(const SiteRequest& request, std::span<const std::string> hosts);

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
