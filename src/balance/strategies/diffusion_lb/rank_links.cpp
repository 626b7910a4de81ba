#include "balance/strategies/diffusion_lb/rank_links.hpp"

#include <algorithm>
#include <unordered_map>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Weight of links that only connect the ranks. It is so small that load takes such a link only where the
/// others lead nowhere.
constexpr double weight_without_traffic = 1e-3;
/// Minimum weight of links between ranks that communicate; the maximum is 1.
constexpr double min_weight = 0.05;
/// Factor of the weight of links between nodes, so that load flows within a node first.
constexpr double between_nodes = 0.25;

/// Proposal of a link to another rank.
struct Proposal {
  std::int32_t rank = 0;     ///< in the list of a rank: the other rank
  std::int64_t node = -1;    ///< node of the sender
  double bytes = 0;          ///< traffic of the two ranks; 0: the link is to connect the ranks only
  double largest_bytes = 0;  ///< traffic of the sender with the rank with which it communicates most
};

/// Returns proposals to the ranks with which a rank communicates most, sorted by descending bytes.
std::vector<Proposal> proposals_by_traffic(const DiffusionRank& rank, std::int32_t self,
                                           std::size_t max_neighbors) {
  std::unordered_map<std::int32_t, double> bytes;
  for (const DiffusionObject& object : rank.objects)
    for (const DiffusionEdge& edge : object.edges)
      if (edge.rank != self && edge.bytes > 0) bytes[edge.rank] += edge.bytes;
  std::vector<Proposal> proposals;
  proposals.reserve(bytes.size());
  for (const auto& [other, sum] : bytes) proposals.push_back({other, rank.node, sum, 0});
  std::ranges::sort(proposals, [](const Proposal& one, const Proposal& other) {
    return one.bytes != other.bytes ? one.bytes > other.bytes : one.rank < other.rank;
  });
  if (proposals.size() > max_neighbors) proposals.resize(max_neighbors);
  for (Proposal& proposal : proposals) proposal.largest_bytes = proposals.front().bytes;
  return proposals;
}

/// Returns all proposals of a rank, sorted by rank: those by traffic, and those that connect the ranks.
std::vector<Proposal> proposals_of(const DiffusionRank& rank, std::int32_t self, std::int32_t n_ranks,
                                   std::size_t max_neighbors) {
  std::vector<Proposal> proposals = proposals_by_traffic(rank, self, max_neighbors);
  std::ranges::sort(proposals, {}, &Proposal::rank);
  const std::int32_t farthest = proposals.empty() ? n_ranks / 2 : 1;
  for (std::int32_t distance = 1; distance <= farthest && distance < n_ranks; distance *= 2) {
    const std::int32_t other = (self + distance) % n_ranks;
    const auto place = std::ranges::lower_bound(proposals, other, {}, &Proposal::rank);
    if (place == proposals.end() || place->rank != other) proposals.insert(place, {other, rank.node, 0, 0});
  }
  return proposals;
}

/// Returns the weight of the link between two ranks that both propose it because of their traffic.
double weight_by_traffic(const Proposal& own, const Proposal& received) {
  const double bytes = std::max(own.bytes, received.bytes);
  const double weight = std::max(min_weight, bytes / std::max(own.largest_bytes, received.largest_bytes));
  return own.node >= 0 && own.node == received.node ? weight : between_nodes * weight;
}

/// Returns the links that result from the proposals. Both ranks of a link come to the same result.
std::vector<RankLink> links_by(const std::vector<Proposal>& own, Inbox received) {
  std::vector<RankLink> links;
  links.reserve(own.size() + received.size());
  auto mine = own.begin();
  const auto add_if_connecting = [&](const Proposal& proposal, std::int32_t rank) {
    if (proposal.bytes <= 0) links.push_back({rank, weight_without_traffic});
  };
  for (const RoundMessage& message : received) {
    const Proposal& theirs = message.items<Proposal>().front();
    for (; mine != own.end() && mine->rank < message.sender; ++mine) add_if_connecting(*mine, mine->rank);
    if (mine == own.end() || mine->rank != message.sender) {
      add_if_connecting(theirs, message.sender);
      continue;
    }
    const bool communicate = mine->bytes > 0 && theirs.bytes > 0;
    links.push_back(
        {message.sender, communicate ? weight_by_traffic(*mine, theirs) : weight_without_traffic});
    ++mine;
  }
  for (; mine != own.end(); ++mine) add_if_connecting(*mine, mine->rank);
  return links;
}

}  // namespace

std::vector<std::vector<RankLink>> link_ranks(RankRounds& rounds, std::size_t max_neighbors,
                                              std::span<const DiffusionRank> ranks) {
  std::vector<std::vector<Proposal>> proposals(ranks.size());
  std::vector<std::vector<RankLink>> links(ranks.size());
  rounds.run([&](std::int32_t local, Inbox, Outbox& outbox) {
    proposals[at(local)] =
        proposals_of(ranks[at(local)], rounds.first_local_rank() + local, rounds.ranks(), max_neighbors);
    for (const Proposal& proposal : proposals[at(local)])
      outbox.send(proposal.rank, std::span<const Proposal>(&proposal, 1));
  });
  rounds.run([&](std::int32_t local, Inbox received, Outbox&) {
    links[at(local)] = links_by(proposals[at(local)], received);
  });
  return links;
}

}  // namespace plimsoll::balance
