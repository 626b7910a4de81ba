#include <algorithm>

#include <plimsoll/placement/nodes.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::placement {

namespace {

std::uint32_t number_of_nodes(const SiteRequest& request, std::uint32_t ranks) {
  if (request.nodes) return *request.nodes;
  const std::uint32_t slots = *request.ranks_per_node;
  return static_cast<std::uint32_t>((std::uint64_t{ranks} + slots - 1) / slots);
}

/// Returns equal nodes. They have the names of the hosts if the numbers of nodes and hosts are equal.
std::vector<Node> find_equal_nodes(const SiteRequest& request, std::span<const std::string> hosts,
                                   bool& has_names) {
  const auto ranks = static_cast<std::uint32_t>(hosts.size());
  std::vector<Node> nodes = equal_nodes(ranks, number_of_nodes(request, ranks));
  const std::vector<Node> known = nodes_of_hosts(hosts);
  has_names = std::ranges::none_of(hosts, &std::string::empty) && known.size() == nodes.size();
  if (has_names)
    for (std::size_t k = 0; k < nodes.size(); ++k) nodes[k].name = known[k].name;
  return nodes;
}

std::vector<Node> find_nodes(const SiteRequest& request, std::span<const std::string> hosts,
                             bool& has_names) {
  if (request.hostfile)
    return parse_hostfile(support::read_text_file(*request.hostfile), *request.hostfile,
                          static_cast<std::uint32_t>(hosts.size()));
  if (request.nodes || request.ranks_per_node) return find_equal_nodes(request, hosts, has_names);
  if (std::ranges::none_of(hosts, &std::string::empty)) return nodes_of_hosts(hosts);
  throw UnknownNodesError(
      support::usage_error("no nodes to place ranks on", "specify the number of nodes, or a hostfile"));
}

}  // namespace

Site find_site(const SiteRequest& request, std::span<const std::string> hosts) {
  if (request.ranks_per_node == 0U)
    throw support::usage_error("invalid number of ranks per node: 0", "use 1 or more");
  Site site;
  site.nodes = find_nodes(request, hosts, site.has_names);
  if (request.ranks_per_node)
    for (Node& node : site.nodes) node.slots = *request.ranks_per_node;
  std::optional<Placement> recorded;
  if (site.has_names) recorded = placement_on_hosts(hosts, site.nodes);
  site.is_recorded = recorded.has_value();
  site.start = recorded ? *recorded : block_placement(static_cast<std::uint32_t>(hosts.size()), site.nodes);
  return site;
}

}  // namespace plimsoll::placement
