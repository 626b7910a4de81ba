#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>

#include "balance/strategies/tempered_lb/clusters.hpp"
#include "balance/strategies/tempered_lb/work_rank.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Values of a whole rank in a RankView.
struct ViewHead {
  std::int32_t rank = 0;
  std::int32_t is_available = 1;
  std::int64_t node = -1;
  double fixed_work = 0;       ///< work without objects, messages and blocks
  double slope = 0;            ///< work per second of load
  double allowed_bytes = 0;    ///< memory that the rank may use
  double node_room_bytes = 0;  ///< memory by which the rank may use more now than before
};

/// Part of a rank that migrates as a whole, or the rest of the rank, which stays.
struct ViewPart {
  double load = 0;
  double footprint_bytes = 0;   ///< of the rest: with the memory of the rank itself
  double working_bytes = 0;     ///< maximum over the objects
  double serialized_bytes = 0;  ///< maximum over the objects
  std::int64_t n_objects = 0;   ///< migratable objects
};

/// Bytes between two parts of the same rank.
struct ViewPair {
  std::int32_t from = 0;
  std::int32_t to = 0;
  double bytes = 0;
};

/// Communication of a part with an object on another rank.
struct ViewEdge {
  std::uint64_t object = 0;  ///< number of an object of the part; of no meaning if it cannot migrate
  std::uint64_t other = 0;   ///< number of the other object
  std::int64_t other_node = -1;
  std::int32_t part = 0;
  std::int32_t fixed_rank = -1;  ///< rank of the other object if it cannot migrate
  std::int64_t is_fixed = 0;     ///< whether the object of the part cannot migrate
  double sent = 0;               ///< bytes
  double received = 0;           ///< bytes
};

/// Shared block that objects of a part use.
struct ViewBlock {
  WorkBlock block;
  std::int64_t part = 0;
  std::int64_t n_objects = 0;  ///< objects of the part that use it
};

/// All that another rank needs to know to compute exactly how the work and memory of both change if clusters
/// migrate between them. Part 0 is the rest of the rank; part k + 1 is cluster k.
struct RankView {
  ViewHead head;
  std::vector<ViewPart> parts;
  std::vector<ViewPair> pairs;
  std::vector<ViewEdge> edges;
  std::vector<ViewBlock> blocks;
};

/// Returns the view of a rank that offers some clusters of its objects. O((objects + edges) log(objects)).
RankView view_of(const WorkRank& rank, std::span<const ObjectCluster> clusters, const ViewHead& head);

/// Sends a view to a rank.
void send_view(const RankView& view, std::int32_t receiver, Outbox& outbox);
/// Returns the views that have arrived, by sender.
std::vector<RankView> received_views(Inbox received);

}  // namespace plimsoll::balance
