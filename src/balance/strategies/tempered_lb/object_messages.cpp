#include "balance/strategies/tempered_lb/object_messages.hpp"

#include <map>
#include <unordered_map>
#include <utility>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Object in a message. The next message contains the edges of all objects.
struct SentWorkObject {
  std::uint64_t number = 0;
  std::int32_t origin = 0;
  std::uint32_t position = 0;
  double load = 0;
  double footprint_bytes = 0;
  double working_bytes = 0;
  double serialized_bytes = 0;
  WorkBlock block;
  std::uint64_t n_edges = 0;
};

/// Tells or asks the first rank of an object where it is.
struct PlaceNotice {
  std::uint64_t object = 0;
  std::int64_t node = -1;  ///< node of the sender, which has the object
  enum Kind : std::int64_t { tells, asks, asks_fixed } kind = tells;
};

struct ObjectPlace {
  std::int64_t node = -1;
  std::int64_t rank = 0;
};

}  // namespace

void send_objects(std::span<const WorkObject> objects, std::int32_t receiver, Outbox& outbox) {
  std::vector<SentWorkObject> sent;
  sent.reserve(objects.size());
  std::vector<WorkEdge> edges;
  for (const WorkObject& object : objects) {
    sent.push_back({object.number, object.origin, object.position, object.load, object.footprint_bytes,
                    object.working_bytes, object.serialized_bytes, object.block, object.edges.size()});
    edges.insert(edges.end(), object.edges.begin(), object.edges.end());
  }
  outbox.send(receiver, std::span<const SentWorkObject>(sent));
  outbox.send(receiver, std::span<const WorkEdge>(edges));
}

void add_objects(Inbox received, WorkRank& rank) {
  for (std::size_t message = 0; message + 1 < received.size(); message += 2) {
    std::span<const WorkEdge> edges = received[message + 1].items<WorkEdge>();
    for (const SentWorkObject& sent : received[message].items<SentWorkObject>()) {
      const std::span<const WorkEdge> own = edges.first(sent.n_edges);
      edges = edges.subspan(sent.n_edges);
      rank.objects.push_back({sent.number,
                              sent.origin,
                              sent.position,
                              sent.load,
                              sent.footprint_bytes,
                              sent.working_bytes,
                              sent.serialized_bytes,
                              sent.block,
                              {own.begin(), own.end()}});
    }
  }
}

std::vector<WorkObject> take_objects(WorkRank& rank, const std::vector<bool>& leaves) {
  std::vector<WorkObject> kept;
  std::vector<WorkObject> taken;
  for (std::size_t i = 0; i < rank.objects.size(); ++i)
    (leaves[i] ? taken : kept).push_back(std::move(rank.objects[i]));
  rank.objects = std::move(kept);
  return taken;
}

void update_places(RankRounds& rounds, std::span<WorkRank> ranks) {
  const auto for_each_edge = [](WorkRank& rank, const auto& visit) {
    for (WorkEdge& edge : rank.fixed_edges) visit(edge);
    for (WorkObject& object : rank.objects)
      for (WorkEdge& edge : object.edges) visit(edge);
  };
  rounds.run([&](std::int32_t local, Inbox, Outbox& outbox) {
    WorkRank& rank = ranks[at(local)];
    std::map<std::int32_t, std::vector<PlaceNotice>> notices;
    for (const WorkObject& object : rank.objects)
      notices[object.origin].push_back({object.number, rank.node, PlaceNotice::tells});
    for_each_edge(rank, [&](const WorkEdge& edge) {
      notices[edge.origin].push_back(
          {edge.other, -1, edge.is_fixed != 0 ? PlaceNotice::asks_fixed : PlaceNotice::asks});
    });
    for (const auto& [receiver, of_rank] : notices) outbox.send(receiver, std::span(of_rank));
  });
  rounds.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
    std::unordered_map<std::uint64_t, ObjectPlace> places;
    for (const RoundMessage& message : received)
      for (const PlaceNotice& notice : message.items<PlaceNotice>())
        if (notice.kind == PlaceNotice::tells) places[notice.object] = {notice.node, message.sender};
    const ObjectPlace here{ranks[at(local)].node, ranks[at(local)].number};
    for (const RoundMessage& message : received) {
      std::vector<ObjectPlace> answers;
      for (const PlaceNotice& notice : message.items<PlaceNotice>()) {
        if (notice.kind == PlaceNotice::tells) continue;
        answers.push_back(notice.kind == PlaceNotice::asks ? places.at(notice.object) : here);
      }
      if (!answers.empty()) outbox.send(message.sender, std::span<const ObjectPlace>(answers));
    }
  });
  rounds.run([&](std::int32_t local, Inbox received, Outbox&) {
    std::unordered_map<std::int32_t, std::span<const ObjectPlace>> answers;
    for (const RoundMessage& message : received) answers[message.sender] = message.items<ObjectPlace>();
    for_each_edge(ranks[at(local)], [&](WorkEdge& edge) {
      std::span<const ObjectPlace>& of_origin = answers[edge.origin];
      const ObjectPlace place = of_origin.front();
      of_origin = of_origin.subspan(1);
      edge.rank = static_cast<std::int32_t>(place.rank);
      edge.node = place.node;
    });
  });
}

}  // namespace plimsoll::balance
