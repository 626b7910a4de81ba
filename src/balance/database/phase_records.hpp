#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Each rank's record of one phase.
using Records = std::vector<const lbdata::PhaseRecord*>;

[[noreturn]] void refuse_time(const lbdata::Tasks& tasks, std::size_t task, std::size_t rank,
                              std::int64_t phase);
[[noreturn]] void refuse_volume(const lbdata::Communications& edges, std::size_t edge, std::size_t rank,
                                std::int64_t phase);

/// Throws Error (bad_input) for a task whose time is negative or not finite.
inline void check_time(const lbdata::Tasks& tasks, std::size_t task, std::size_t rank, std::int64_t phase) {
  if (!(std::isfinite(tasks.time_s[task]) && tasks.time_s[task] >= 0)) refuse_time(tasks, task, rank, phase);
}

/// Throws Error (bad_input) for an edge with negative bytes or messages.
inline void check_volume(const lbdata::Communications& edges, std::size_t edge, std::size_t rank,
                         std::int64_t phase) {
  if (!(edges.bytes[edge] >= 0 && edges.messages[edge] >= 0)) refuse_volume(edges, edge, rank, phase);
}

/// Returns whether a task of this entity is a migratable object.
inline bool is_migratable(const lbdata::EntityTable& entities, lbdata::EntityIndex entity) {
  return entities.kind(entity) == lbdata::EntityKind::object && entities.migratable(entity);
}

/// Map from an entity of an edge to the object or the rank of a phase.
class ObjectNumbers {
 public:
  /// Builds the map. `records` are the phase's records of consecutive ranks, beginning with `first_rank`.
  /// Objects are numbered in the order of the records. Throws Error (bad_input) for an invalid duplicate
  /// number (see load_phase()).
  ObjectNumbers(const lbdata::EntityTable& entities, const Records& records, std::uint32_t first_rank = 0);

  /// Returns the object that `entity` refers to in an edge of a record; empty if it is not an object with a
  /// task here.
  std::optional<std::uint32_t> find(lbdata::EntityIndex entity, std::uint32_t record) const;

  /// Returns the end that `entity` refers to in an edge of a record: an object, or the processor with the
  /// index of another record. Empty if it is neither an object with a task here nor a rank with a record
  /// here.
  std::optional<CommEnd> end(lbdata::EntityIndex entity, std::uint32_t record) const {
    if (const std::optional<std::uint32_t> object = find(entity, record)) return CommEnd::object(*object);
    if (entities_.kind(entity) != lbdata::EntityKind::node) return {};
    const lbdata::WideInteger rank = entities_.number(entity);
    if (rank.negative || rank.bits < first_rank_ || rank.bits - first_rank_ >= first_object_.size())
      return {};
    return CommEnd::processor(static_cast<std::uint32_t>(rank.bits - first_rank_));
  }

  /// Returns the rank of an end: its processor, or the rank whose record contains its object. Cost: O(1) if
  /// that is the `likely` record, otherwise O(log records).
  std::uint32_t rank_of(CommEnd end, std::uint32_t likely) const;

 private:
  static constexpr std::uint32_t none = support::PositionHash::none;

  void add(std::uint32_t object, std::uint32_t record);
  std::uint64_t hash_of(std::uint32_t object) const {
    return support::mix_bits(entities_.number(object_entities_[object]).bits);
  }
  std::uint32_t first_with(lbdata::WideInteger number) const;

  const lbdata::EntityTable& entities_;
  std::vector<lbdata::EntityIndex> object_entities_;
  std::uint32_t first_rank_;
  std::vector<std::uint32_t> first_object_;  ///< first object of each record
  support::PositionHash first_objects_;      ///< first object with each number
  /// First object with the number of each entity that had a task when the map was built, else `none`. Most
  /// edges refer to such entities, which therefore need no hash.
  std::vector<std::uint32_t> object_of_entity_;
  /// Map from (object on a lower rank, record of this object) to object, for non-migratable objects that
  /// share the lower object's number.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> repeats_;
};

std::size_t count_tasks(const Records& records);

/// Returns each rank's record of one phase. For missing phases, throws the same Errors as load_phase().
Records phase_records(const lbdata::Dataset& dataset, std::int64_t phase);

/// Returns whether the user data of any task mention a memory size; if not, the memory column need not be
/// read. Searches the text without parsing it.
bool mention_memory(const Records& records);

/// Returns the node of a rank (ProcStats::node), computed from `ranks_per_node`, or as in its file if that is
/// 0; -1 if unknown.
std::int32_t node_of_rank(const lbdata::Dataset& dataset, std::size_t rank, std::int32_t ranks_per_node = 0);

struct PhaseEdge {
  std::uint32_t rank;                   ///< rank whose record contains the edge
  const lbdata::Communications& edges;  ///< edges of this record
  std::size_t position;                 ///< index into `edges`
  std::optional<CommEnd> from;          ///< sender; empty if the phase has no such object or processor
  std::optional<CommEnd> to;            ///< receiver; empty if the phase has no such object or processor

  double bytes() const { return edges.bytes[position]; }
  std::int64_t messages() const { return edges.messages[position]; }
};

/// Calls `visit(const PhaseEdge&)` for each edge of the ranks' records, rank by rank. Throws Error
/// (bad_input) for negative bytes or messages, and if the sum of the bytes or messages of the phase is too
/// large.
template <class Visit>
void for_each_edge(const Records& records, std::int64_t phase, const ObjectNumbers& numbers, Visit&& visit) {
  std::int64_t n_messages = 0;
  double sum_bytes = 0;
  for (std::uint32_t rank = 0; rank < records.size(); ++rank) {
    if (!records[rank]->communications) continue;
    const lbdata::Communications& edges = *records[rank]->communications;
    for (std::size_t edge = 0; edge < edges.size(); ++edge) {
      check_volume(edges, edge, rank, phase);
      if (__builtin_add_overflow(n_messages, edges.messages[edge], &n_messages))
        throw support::bad_input(fmt::format("the number of messages of phase {} exceeds 64 bits", phase));
      sum_bytes += edges.bytes[edge];
      visit(PhaseEdge{rank, edges, edge, numbers.end(edges.from[edge], rank),
                      numbers.end(edges.to[edge], rank)});
    }
  }
  if (!std::isfinite(sum_bytes))
    throw support::bad_input(fmt::format("the sum of the bytes sent in phase {} is not finite", phase));
}

/// Returns the record of each rank in `phase` with the tasks and edges that the rank has in the new
/// placement, in the order of apply_placement(). Other members of the records are empty. Throws like
/// apply_placement().
std::vector<lbdata::PhaseRecord> rearranged_records(const lbdata::Dataset& dataset, const DatasetPhase& phase,
                                                    std::span<const std::int32_t> to_proc);

}  // namespace plimsoll::balance
