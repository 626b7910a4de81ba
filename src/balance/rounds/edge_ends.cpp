#include "balance/rounds/edge_ends.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <plimsoll/support/error.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// New rank of an object, as its initial rank tells that of a neighbour.
struct NewEnd {
  std::uint64_t neighbor = 0;
  std::uint64_t object = 0;
  std::int64_t rank = 0;
};

}  // namespace

EdgeEnds::EdgeEnds(RankRounds& rounds, std::span<const LocalRank> ranks, double per_message)
    : rounds_(rounds), ranks_(ranks), per_message_(per_message), ends_(ranks.size()), told_(ranks.size()) {
  for (std::size_t local = 0; local < ranks.size(); ++local) {
    ends_[local].reserve(ranks[local].edges.size());
    for (const LocalEdge& edge : ranks[local].edges) ends_[local].push_back(edge.rank);
    told_[local].assign(ranks[local].objects.size(),
                        rounds.first_local_rank() + static_cast<std::int32_t>(local));
  }
}

void EdgeEnds::update() {
  rounds_.run([&](std::int32_t local, Inbox, Outbox& outbox) {
    const LocalRank& rank = ranks_[at(local)];
    std::map<std::int32_t, std::vector<NewEnd>> news;
    for (const LocalEdge& edge : rank.edges) {
      const LocalObject& object = rank.objects[edge.object];
      if (edge.stays || object.new_rank == told_[at(local)][edge.object]) continue;
      if (edge.rank == rounds_.first_local_rank() + local)
        set_rank(local, edge.neighbor, object.number, object.new_rank);
      else
        news[edge.rank].push_back({edge.neighbor, object.number, object.new_rank});
    }
    for (std::size_t object = 0; object < rank.objects.size(); ++object)
      told_[at(local)][object] = rank.objects[object].new_rank;
    for (const auto& [receiver, of_receiver] : news)
      outbox.send(receiver, std::span<const NewEnd>(of_receiver));
  });
  rounds_.run([&](std::int32_t local, Inbox received, Outbox&) {
    for (const RoundMessage& message : received)
      for (const NewEnd& end : message.items<NewEnd>())
        set_rank(local, end.neighbor, end.object, static_cast<std::int32_t>(end.rank));
  });
}

void EdgeEnds::set_rank(std::int32_t local, std::uint64_t object, std::uint64_t neighbor, std::int32_t rank) {
  const LocalRank& mine = ranks_[at(local)];
  const std::span<const LocalEdge> edges = mine.edges_of(mine.find(object));
  const auto stay = std::ranges::find(edges, true, &LocalEdge::stays);
  const auto edge = std::ranges::lower_bound(edges.begin(), stay, neighbor, {}, &LocalEdge::neighbor);
  if (edge != stay && edge->neighbor == neighbor)
    ends_[at(local)][static_cast<std::size_t>(&*edge - mine.edges.data())] = rank;
}

std::int32_t EdgeEnds::rank_of(std::int32_t local, const LocalEdge& edge) const {
  return ends_[at(local)][static_cast<std::size_t>(&edge - ranks_[at(local)].edges.data())];
}

EdgeCosts EdgeEnds::costs(std::int32_t local) const {
  const LocalRank& rank = ranks_[at(local)];
  EdgeCosts costs{.all = rank.staying_bytes + per_message_ * rank.staying_messages};
  for (const LocalEdge& edge : rank.edges) {
    const double share = edge.stays ? cost(edge) : cost(edge) / 2;
    costs.all += share;
    if (edge.rank != rounds_.first_local_rank() + local) costs.off_rank_before += share;
    if (rank_of(local, edge) != rank.objects[edge.object].new_rank) costs.off_rank += share;
  }
  if (!std::isfinite(costs.all))
    throw support::usage_error("the sum of the communication costs is not finite",
                               "check the bytes of the messages");
  return costs;
}

}  // namespace plimsoll::balance
