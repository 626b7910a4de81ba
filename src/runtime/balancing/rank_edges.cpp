#include "runtime/balancing/rank_edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>

#include "runtime/recording/object_registry.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

using balance::Inbox;
using balance::LocalEdge;
using balance::Outbox;
using balance::RoundMessage;

/// End of an edge, where it is now.
struct End {
  std::uint64_t number = 0;  ///< ID of an object, or number of a rank
  std::int32_t rank = 0;
  bool is_rank = false;
  bool stays = false;

  friend bool operator==(const End&, const End&) = default;
};

/// Object at the rank where others ask for it.
struct Registration {
  std::uint64_t id = 0;
  std::int32_t rank = 0;
  std::uint32_t stays = 0;
};

/// Edge on its way to the rank of its first end.
struct SentEdge {
  End from;
  End to;
  double bytes = 0;
  std::int64_t messages = 0;
  double sent_bytes = 0;
  double received_bytes = 0;
};

/// Returns the bytes of an edge that the work model counts: those of SendRecv edges between objects.
double counted_bytes(const RankEdge& edge, const End& from, const End& to) {
  constexpr auto send_recv = static_cast<std::uint8_t>(lbdata::CommCategory::SendRecv) - 1;
  return edge.category == send_recv && !from.is_rank && !to.is_rank ? edge.bytes : 0;
}

template <typename Item>
using ByRank = std::map<std::int32_t, std::vector<Item>>;

template <typename Item>
void send_all(const ByRank<Item>& messages, Outbox& outbox) {
  for (const auto& [receiver, items] : messages) outbox.send(receiver, std::span<const Item>(items));
}

/// Finds the ranks of objects, as one rank sees it: members are the rounds, in this order.
class EdgeResolution {
 public:
  EdgeResolution(const RankStats& mine, std::int32_t rank, std::int32_t n_ranks)
      : mine_(mine), rank_(rank), n_ranks_(n_ranks) {}

  void register_objects(Outbox& outbox) const {
    ByRank<Registration> messages;
    for (std::size_t object = 0; object < mine_.ids.size(); ++object) {
      const auto id = static_cast<std::uint64_t>(mine_.ids[object]);
      messages[directory_rank(id)].push_back({id, rank_, mine_.may_migrate(object) ? 0U : 1U});
    }
    send_all(messages, outbox);
  }

  void ask(Inbox registrations, Outbox& outbox) {
    for (const RoundMessage& message : registrations)
      for (const Registration& object : message.items<Registration>()) add(object);
    ByRank<std::uint64_t> questions;
    for (const RankEdge& edge : mine_.edges)
      for (const RankEdgeEnd& end : {edge.from, edge.to})
        if (end.kind == RankEdgeEnd::Kind::object_elsewhere && found_.insert({end.number, {}}).second)
          questions[directory_rank(end.number)].push_back(end.number);
    send_all(questions, outbox);
  }

  void answer(Inbox questions, Outbox& outbox) const {
    for (const RoundMessage& message : questions) {
      std::vector<Registration> answers;
      for (const std::uint64_t id : message.items<std::uint64_t>())
        if (const auto object = registered_.find(id); object != registered_.end())
          answers.push_back(object->second);
      outbox.send(message.sender, std::span<const Registration>(answers));
    }
  }

  void send_edges(Inbox answers, Outbox& outbox) {
    for (const RoundMessage& message : answers)
      for (const Registration& object : message.items<Registration>()) found_[object.id] = object;
    ByRank<SentEdge> messages;
    for (const RankEdge& edge : mine_.edges) {
      const std::optional<End> from = resolved(edge.from);
      const std::optional<End> to = resolved(edge.to);
      if (!from || !to || *from == *to) continue;
      const double counted = counted_bytes(edge, *from, *to);
      if (!from->stays || to->stays)
        messages[from->rank].push_back({*from, *to, edge.bytes, edge.messages, counted, 0});
      if (!to->stays) messages[to->rank].push_back({*to, *from, edge.bytes, edge.messages, 0, counted});
    }
    send_all(messages, outbox);
  }

  ResolvedEdges edges(Inbox received) const {
    std::unordered_map<std::uint64_t, std::uint32_t> index_of;
    for (std::uint32_t object = 0; object < mine_.ids.size(); ++object)
      if (mine_.may_migrate(object)) index_of.emplace(static_cast<std::uint64_t>(mine_.ids[object]), object);
    ResolvedEdges result;
    for (const RoundMessage& message : received) {
      for (const SentEdge& sent : message.items<SentEdge>()) {
        LocalEdge edge{.rank = sent.to.rank,
                       .neighbor = sent.to.number,
                       .bytes = sent.bytes,
                       .messages = static_cast<double>(sent.messages),
                       .stays = sent.to.stays,
                       .sent_bytes = sent.sent_bytes,
                       .received_bytes = sent.received_bytes};
        if (!sent.from.stays) edge.object = index_of.at(sent.from.number);
        (sent.from.stays ? result.staying_edges : result.edges).push_back(edge);
      }
    }
    return result;
  }

 private:
  /// Uses the upper bits of the hash, because tables use the lower ones.
  std::int32_t directory_rank(std::uint64_t id) const {
    const std::uint64_t upper = support::mix_splitmix64(id) >> 32;
    return static_cast<std::int32_t>((upper * static_cast<std::uint64_t>(n_ranks_)) >> 32);
  }

  /// Registers an object. Of non-migratable objects with one ID, the first remains.
  void add(const Registration& object) {
    const auto [place, is_new] = registered_.insert({object.id, object});
    if (is_new || (object.stays != 0 && place->second.stays != 0)) return;
    throw support::usage_error(
        fmt::format("{} is registered on rank {} and on rank {}", name_of(ObjectId{object.id}),
                    place->second.rank, object.rank),
        "call remove_object() on the rank that an object leaves, and use unique numbers for new objects; "
        "lb_check finds all of them");
  }

  /// Returns where an end is, unless it does not exist.
  std::optional<End> resolved(const RankEdgeEnd& end) const {
    using enum RankEdgeEnd::Kind;
    if (end.kind == rank) {
      if (end.number >= static_cast<std::uint64_t>(n_ranks_)) return {};
      return End{end.number, static_cast<std::int32_t>(end.number), true, true};
    }
    if (end.kind == object_here) {
      if (end.number >= mine_.ids.size()) return {};
      return End{static_cast<std::uint64_t>(mine_.ids[end.number]), rank_, false,
                 !mine_.may_migrate(end.number)};
    }
    const std::optional<Registration>& object = found_.at(end.number);
    if (!object) return {};
    return End{object->id, object->rank, false, object->stays != 0};
  }

  const RankStats& mine_;
  std::int32_t rank_;
  std::int32_t n_ranks_;
  std::unordered_map<std::uint64_t, Registration> registered_;            // of which others ask this rank
  std::unordered_map<std::uint64_t, std::optional<Registration>> found_;  // other ends of edges
};

}  // namespace

ResolvedEdges resolve_edges(balance::RankRounds& rounds, const RankStats& mine) {
  EdgeResolution resolution(mine, rounds.first_local_rank(), rounds.ranks());
  ResolvedEdges result;
  rounds.run([&](std::int32_t, Inbox, Outbox& outbox) { resolution.register_objects(outbox); });
  rounds.run([&](std::int32_t, Inbox received, Outbox& outbox) { resolution.ask(received, outbox); });
  rounds.run([&](std::int32_t, Inbox received, Outbox& outbox) { resolution.answer(received, outbox); });
  rounds.run([&](std::int32_t, Inbox received, Outbox& outbox) { resolution.send_edges(received, outbox); });
  rounds.run([&](std::int32_t, Inbox received, Outbox&) { result = resolution.edges(received); });
  return result;
}

}  // namespace plimsoll::runtime
