#include <fmt/format.h>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "lbdata/checking/record_checker.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

/// Kinds of the messages of one record.
class RecordKinds {
 public:
  RecordKinds(const EntityTable& entities, const PhaseRecord& record)
      : entities_(entities), record_(record) {}

  MessageKinds count(bool find_within_ranks) {
    std::size_t n_migratable = 0;
    for (const EntityIndex entity : record_.tasks.entity) {
      if (find_within_ranks) tasks_.insert(entities_.number(entity).bits);
      if (entities_.migratable(entity)) ++n_migratable;
    }
    kinds_.several_objects = n_migratable > 1;
    if (!record_.communications) return kinds_;
    const Communications& edges = *record_.communications;
    for (std::size_t edge = 0; edge < edges.size(); ++edge)
      add(edges.from[edge], edges.to[edge], edges.bytes[edge],
          static_cast<CommCategory>(edges.category[edge] + 1));
    return kinds_;
  }

 private:
  void add(EntityIndex from, EntityIndex to, double bytes, CommCategory category) {
    if (!is_end(from) || !is_end(to)) return;
    const bool has_rank = is_rank(from) || is_rank(to);
    if (has_rank && is_broadcast(category)) return;
    kinds_.bytes += bytes;
    if (has_rank) {
      kinds_.rank_bytes += bytes;
      return;
    }
    const std::uint64_t numbers[] = {entities_.number(from).bits, entities_.number(to).bits};
    if (numbers[0] == numbers[1]) return;
    ++kinds_.between_objects;
    if (!kinds_.within_ranks)
      kinds_.within_ranks = tasks_.contains(numbers[0]) && tasks_.contains(numbers[1]);
  }
  bool is_end(EntityIndex entity) const {
    const EntityKind kind = entities_.kind(entity);
    return kind == EntityKind::object || kind == EntityKind::node;
  }
  bool is_rank(EntityIndex entity) const {
    return entities_.kind(entity) == EntityKind::node ||
           is_rank_object(entities_.number(entity).bits, entities_.home(entity),
                          entities_.migratable(entity));
  }

  const EntityTable& entities_;
  const PhaseRecord& record_;
  NumberSet tasks_;
  MessageKinds kinds_;
};

}  // namespace

void MessageKinds::merge(const MessageKinds& other) {
  between_objects += other.between_objects;
  within_ranks = within_ranks || other.within_ranks;
  several_objects = several_objects || other.several_objects;
  bytes += other.bytes;
  rank_bytes += other.rank_bytes;
}

MessageKinds message_kinds(const Dataset& dataset) {
  MessageKinds kinds;
  for (const RankData& rank : dataset.ranks)
    for (const PhaseRecord& record : rank.phases)
      kinds.merge(RecordKinds(dataset.entities, record).count(!kinds.within_ranks));
  return kinds;
}

bool is_rank_object(std::uint64_t number, std::int64_t home, bool migratable) {
  const auto parts = decode_identifier(number);
  return !migratable && parts && parts->kind == IdentifierKind::bare_handler && parts->home == home;
}

bool is_broadcast(CommCategory category) {
  using enum CommCategory;
  return category == Broadcast || category == CollectionToNodeBcast || category == NodeToCollectionBcast ||
         category == CollectiveToCollectionBcast;
}

std::vector<Diagnostic> message_warnings(const MessageKinds& kinds, std::size_t rank_count) {
  std::vector<Diagnostic> warnings;
  if (!kinds.several_objects || rank_count < 2) return warnings;
  // A few edges may join different ranks by chance.
  if (!kinds.within_ranks && kinds.between_objects >= rank_count)
    warnings.push_back(finding(
        Check::local_messages,
        fmt::format("none of the {} edges between objects joins two objects of one rank",
                    kinds.between_objects),
        "record messages within ranks, too: strategies need them to keep communicating objects together"));
  if (kinds.rank_bytes > kinds.bytes / 2)
    warnings.push_back(
        finding(Check::object_messages,
                fmt::format("{} of the bytes are sent from or to ranks rather than objects",
                            support::format_percentage(kinds.rank_bytes / kinds.bytes)),
                "record messages between objects: those of ranks do not show which objects communicate"));
  return warnings;
}

}  // namespace plimsoll::lbdata
