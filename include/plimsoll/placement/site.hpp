#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/placement/nodes.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::placement {

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

}  // namespace plimsoll::placement
