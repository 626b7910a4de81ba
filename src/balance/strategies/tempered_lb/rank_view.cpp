#include "balance/strategies/tempered_lb/rank_view.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Builds the view of one rank.
class ViewBuilder {
 public:
  ViewBuilder(const WorkRank& rank, std::span<const std::int32_t> part_of_object, std::size_t n_parts)
      : rank_(rank), part_of_object_(part_of_object), index_(rank) {
    view_.parts.resize(n_parts);
  }

  RankView build() {
    ViewPart& rest = view_.parts[0];
    rest = {.footprint_bytes = rank_.fixed_bytes,
            .working_bytes = rank_.fixed_working_bytes,
            .serialized_bytes = rank_.fixed_serialized_bytes};
    for (const WorkBlock& block : rank_.fixed_blocks) add_block(block, 0);
    for (const WorkEdge& edge : rank_.fixed_edges) add_edge(edge, 0, nullptr);
    for (std::size_t i = 0; i < rank_.objects.size(); ++i) add_object(rank_.objects[i], part_of_object_[i]);
    for (const auto& [parts, bytes] : pairs_) view_.pairs.push_back({parts.first, parts.second, bytes});
    return std::move(view_);
  }

 private:
  void add_object(const WorkObject& object, std::int32_t part) {
    ViewPart& of = view_.parts[static_cast<std::size_t>(part)];
    of.load += object.load;
    of.footprint_bytes += object.footprint_bytes;
    of.working_bytes = std::max(of.working_bytes, object.working_bytes);
    of.serialized_bytes = std::max(of.serialized_bytes, object.serialized_bytes);
    ++of.n_objects;
    add_block(object.block, part);
    for (const WorkEdge& edge : object.edges) add_edge(edge, part, &object);
  }

  void add_block(const WorkBlock& block, std::int32_t part) {
    if (!block.exists()) return;
    const auto [place, is_new] = block_index_.emplace(std::pair(part, block.key()), view_.blocks.size());
    if (is_new) view_.blocks.push_back({block, part, 0});
    ++view_.blocks[place->second].n_objects;
  }

  /// `object` is null if the edge belongs to an object that cannot migrate.
  void add_edge(const WorkEdge& edge, std::int32_t part, const WorkObject* object) {
    if (index_.is_local(edge)) {
      const std::int32_t other = edge.is_fixed != 0 ? 0 : part_of_object_[index_.find(edge.other)];
      // The other end of the edge adds the opposite direction.
      if (other != part && edge.sent > 0) pairs_[{part, other}] += edge.sent;
      return;
    }
    view_.edges.push_back({.object = object != nullptr ? object->number : 0,
                           .other = edge.other,
                           .other_node = edge.node,
                           .part = part,
                           .fixed_rank = edge.is_fixed != 0 ? edge.rank : -1,
                           .is_fixed = object == nullptr ? 1 : 0,
                           .sent = edge.sent,
                           .received = edge.received});
  }

  const WorkRank& rank_;
  std::span<const std::int32_t> part_of_object_;
  LocalIndex index_;
  RankView view_;
  std::map<std::pair<std::int32_t, std::int32_t>, double> pairs_;
  std::map<std::pair<std::int32_t, std::pair<std::int64_t, std::int64_t>>, std::size_t> block_index_;
};

}  // namespace

RankView view_of(const WorkRank& rank, std::span<const ObjectCluster> clusters, const ViewHead& head) {
  std::vector<std::int32_t> part_of_object(rank.objects.size());
  for (std::size_t cluster = 0; cluster < clusters.size(); ++cluster)
    for (const std::uint32_t object : clusters[cluster])
      part_of_object[object] = static_cast<std::int32_t>(cluster + 1);
  RankView view = ViewBuilder(rank, part_of_object, clusters.size() + 1).build();
  view.head = head;
  return view;
}

void send_view(const RankView& view, std::int32_t receiver, Outbox& outbox) {
  outbox.send(receiver, std::span(&view.head, 1));
  outbox.send(receiver, std::span(view.parts));
  outbox.send(receiver, std::span(view.pairs));
  outbox.send(receiver, std::span(view.edges));
  outbox.send(receiver, std::span(view.blocks));
}

std::vector<RankView> received_views(Inbox received) {
  constexpr std::size_t messages_per_view = 5;
  std::vector<RankView> views;
  views.reserve(received.size() / messages_per_view);
  const auto items = [](auto& values, auto span) { values.assign(span.begin(), span.end()); };
  for (std::size_t first = 0; first + messages_per_view <= received.size(); first += messages_per_view) {
    RankView& view = views.emplace_back();
    view.head = received[first].items<ViewHead>().front();
    items(view.parts, received[first + 1].items<ViewPart>());
    items(view.pairs, received[first + 2].items<ViewPair>());
    items(view.edges, received[first + 3].items<ViewEdge>());
    items(view.blocks, received[first + 4].items<ViewBlock>());
  }
  return views;
}

}  // namespace plimsoll::balance
