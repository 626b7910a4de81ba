#include "balance/strategies/diffusion_lb/local_objects.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// An object in a message. The next message to the same rank contains the edges of all its objects.
struct SentObject {
  std::uint64_t number = 0;
  double load = 0;
  ObjectOrigin origin = {};
  std::int32_t last_rank = 0;
  std::uint32_t n_edges = 0;
};

/// Objects that leave for one rank.
struct Shipment {
  std::vector<SentObject> objects;
  std::vector<DiffusionEdge> edges;

  void add(const DiffusionObject& object) {
    objects.push_back({object.number, object.load, object.origin, object.last_rank,
                       static_cast<std::uint32_t>(object.edges.size())});
    edges.insert(edges.end(), object.edges.begin(), object.edges.end());
  }
};

}  // namespace

/// Arrival of an object, as its new rank tells it to the rank of a neighbour.
struct LocalObjects::Arrival {
  std::uint64_t neighbor = 0;
  std::uint64_t object = 0;
  std::int64_t rank = 0;  ///< where the object arrived
};

LocalObjects::LocalObjects(std::int32_t self, std::vector<DiffusionObject>& objects)
    : self_(self), objects_(objects) {
  build_index();
}

void LocalObjects::build_index() {
  index_.clear();
  index_.reserve(objects_.size());
  for (std::size_t i = 0; i < objects_.size(); ++i) index_.emplace(objects_[i].number, i);
}

std::size_t LocalObjects::find(std::uint64_t number) const {
  const auto found = index_.find(number);
  return found == index_.end() ? none : found->second;
}

std::size_t LocalObjects::neighbor_of(const DiffusionEdge& edge) const {
  return edge.stays ? none : find(edge.neighbor);
}

void LocalObjects::set_rank(std::size_t object, std::uint64_t neighbor, std::int32_t rank) {
  std::vector<DiffusionEdge>& edges = objects_[object].edges;
  const std::pair sought(false, neighbor);
  const auto edge = std::ranges::lower_bound(edges, sought, {}, &DiffusionEdge::order);
  if (edge != edges.end() && edge->order() == sought) edge->rank = rank;
}

std::size_t LocalObjects::send(const std::vector<std::int32_t>& ranks, Outbox& outbox) {
  left_.clear();
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    if (ranks[i] == self_) continue;
    left_.emplace(objects_[i].number, ranks[i]);
    for (const DiffusionEdge& edge : objects_[i].edges)
      if (const std::size_t neighbor = neighbor_of(edge); neighbor != none)
        set_rank(neighbor, objects_[i].number, ranks[i]);
  }
  if (left_.empty()) return 0;
  std::map<std::int32_t, Shipment> shipments;
  std::vector<DiffusionObject> kept;
  kept.reserve(objects_.size() - left_.size());
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    if (ranks[i] == self_)
      kept.push_back(std::move(objects_[i]));
    else
      shipments[ranks[i]].add(objects_[i]);
  }
  objects_ = std::move(kept);
  build_index();
  for (const auto& [receiver, shipment] : shipments) {
    outbox.send(receiver, std::span(shipment.objects));
    outbox.send(receiver, std::span(shipment.edges));
  }
  return left_.size();
}

void LocalObjects::welcome(Inbox received, Outbox& outbox) {
  const std::size_t first = objects_.size();
  for (std::size_t message = 0; message + 1 < received.size(); message += 2) {
    std::span<const DiffusionEdge> edges = received[message + 1].items<DiffusionEdge>();
    for (const SentObject& sent : received[message].items<SentObject>()) {
      const std::span<const DiffusionEdge> own = edges.first(sent.n_edges);
      edges = edges.subspan(sent.n_edges);
      index_.emplace(sent.number, objects_.size());
      objects_.push_back({sent.number, sent.load, sent.origin, sent.last_rank, {own.begin(), own.end()}});
    }
  }
  std::map<std::int32_t, std::vector<Arrival>> arrivals;
  for (std::size_t i = first; i < objects_.size(); ++i) {
    for (DiffusionEdge& edge : objects_[i].edges) {
      if (edge.stays) continue;
      if (const std::size_t neighbor = find(edge.neighbor); neighbor != none) {
        edge.rank = self_;
        set_rank(neighbor, objects_[i].number, self_);
      } else {
        arrivals[edge.rank].push_back({edge.neighbor, objects_[i].number, self_});
      }
    }
  }
  for (const auto& [rank, of_rank] : arrivals) outbox.send(rank, std::span(of_rank));
}

void LocalObjects::forward(Inbox received, Outbox& outbox) {
  learn(received);
  std::map<std::int32_t, std::vector<Arrival>> forwarded;
  for (const RoundMessage& message : received)
    for (const Arrival& arrival : message.items<Arrival>())
      if (const auto left = left_.find(arrival.neighbor); left != left_.end())
        forwarded[left->second].push_back(arrival);
  for (const auto& [rank, of_rank] : forwarded) outbox.send(rank, std::span(of_rank));
}

void LocalObjects::learn(Inbox received) {
  for (const RoundMessage& message : received)
    for (const Arrival& arrival : message.items<Arrival>())
      if (const std::size_t object = find(arrival.neighbor); object != none)
        set_rank(object, arrival.object, static_cast<std::int32_t>(arrival.rank));
}

}  // namespace plimsoll::balance
