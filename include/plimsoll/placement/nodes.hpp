#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/number_list.hpp>

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

}  // namespace plimsoll::placement
