#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/placement/nodes.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::placement {

/// Which nodes ranks may be placed on. If all are unset: the hosts where they were.
struct SiteRequest {
  std::optional<std::uint32_t> nodes;   ///< how many, all alike
  std::optional<std::string> hostfile;  ///< path of a file that parse_hostfile() reads; not with `nodes`
  std::optional<std::uint32_t> ranks_per_node;  ///< slots of each node, overriding the others
};

/// The nodes to place ranks on, and the initial placement.
struct Site {
  std::vector<Node> nodes;
  bool has_names = true;     ///< of hosts; else the nodes are called node0, node1 ...
  bool is_recorded = false;  ///< whether the start is where the ranks were; else they fill nodes in order
  Placement start;
};

/// The nodes to place ranks on are unknown: the request names none, and hosts are missing.
class UnknownNodesError : public Error {
 public:
  explicit UnknownNodesError(const Error& error) : Error(error) {}
};

/// The site of ranks that were on these hosts (collectives::rank_hosts(); empty where unknown).
/// Throws UnknownNodesError (usage); Error: usage if the nodes have too few slots, or ranks_per_node is 0;
/// system or bad_input for the hostfile.
Site find_site(const SiteRequest& request, std::span<const std::string> hosts);

}  // namespace plimsoll::placement
