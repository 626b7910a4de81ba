#include "balance/rounds/local_ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include <plimsoll/balance/quality.hpp>

#include "balance/search/affinity.hpp"
#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Divides the columns of LDStats among the ranks.
class StatsDivision {
 public:
  explicit StatsDivision(const LDStats& stats)
      : stats_(stats), parts_(stats.procs.size()), place_of_(stats.obj_data.size()) {
    for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object) {
      UnorderedRank& part = part_with(object);
      std::vector<LocalObject>& objects = is_migratable(object) ? part.migratable : part.non_migratable;
      place_of_[object] = static_cast<std::uint32_t>(objects.size());
      objects.push_back({stats.load_s(object), number_of(object), object});
    }
  }

  void divide_edges() {
    for (std::size_t edge = 0; edge < stats_.comm_data.size(); ++edge) {
      check_edge(stats_, edge);
      const LDCommData& data = stats_.comm_data[edge];
      if (data.sender == data.receiver) continue;
      if (stays(data.sender) && stays(data.receiver))
        parts_[at(rank_of(data.sender))].staying_edges.push_back(edge_to(data.receiver, data, sent(edge), 0));
      add_edge(data.sender, edge_to(data.receiver, data, sent(edge), 0));
      add_edge(data.receiver, edge_to(data.sender, data, 0, sent(edge)));
    }
  }

  void divide_positions() {
    for (std::uint32_t object = 0; object < stats_.obj_data.size(); ++object) {
      if (!is_migratable(object)) continue;
      UnorderedRank& part = part_with(object);
      const std::span<const double> position = stats_.position(object);
      part.n_axes = stats_.n_axes;
      part.positions.insert(part.positions.end(), position.begin(), position.end());
    }
  }

  void divide_memory() {
    std::map<std::pair<std::int32_t, std::uint32_t>, std::uint32_t> numbers;  // of blocks on ranks
    for (std::uint32_t object = 0; object < stats_.memory.size(); ++object) {
      UnorderedRank& part = part_with(object);
      ObjMemory memory = stats_.memory[object];
      if (memory.block != ObjMemory::no_block) {
        const SharedBlock& block = stats_.blocks[memory.block];
        const auto [number, is_new] = numbers.insert(
            {{stats_.from_proc[object], memory.block}, static_cast<std::uint32_t>(part.blocks.size())});
        if (is_new) part.blocks.push_back({block.home, memory.block, block.bytes});
        memory.block = number->second;
      }
      (is_migratable(object) ? part.memory : part.staying_memory).push_back(memory);
    }
  }

  std::vector<LocalRank> ranks() {
    std::vector<LocalRank> ranks;
    ranks.reserve(parts_.size());
    for (std::int32_t rank = 0; rank < stats_.count(); ++rank) {
      const ProcStats& proc = stats_.procs[at(rank)];
      ranks.push_back(make_local_rank(rank, proc, proc.node, std::move(parts_[at(rank)])));
    }
    return ranks;
  }

 private:
  bool is_migratable(std::uint32_t object) const { return stats_.obj_data[object].migratable; }
  UnorderedRank& part_with(std::uint32_t object) { return parts_[at(stats_.from_proc[object])]; }
  std::uint64_t number_of(std::uint32_t object) const {
    return stats_.numbers.empty() ? object : stats_.numbers[object];
  }

  bool stays(CommEnd end) const { return !end.is_object() || !is_migratable(end.index()); }
  std::int32_t rank_of(CommEnd end) const {
    return end.is_object() ? stats_.from_proc[end.index()] : static_cast<std::int32_t>(end.index());
  }

  /// Returns the bytes of an edge that the work model counts.
  double sent(std::size_t edge) const { return is_traffic(stats_, edge) ? stats_.comm_data[edge].bytes : 0; }

  /// Returns an edge whose first end is not set.
  LocalEdge edge_to(CommEnd other, const LDCommData& data, double sent_bytes, double received_bytes) const {
    return {.rank = rank_of(other),
            .neighbor = stays(other) ? 0 : number_of(other.index()),
            .bytes = data.bytes,
            .messages = static_cast<double>(data.messages),
            .stays = stays(other),
            .sent_bytes = sent_bytes,
            .received_bytes = received_bytes};
  }
  void add_edge(CommEnd end, LocalEdge edge) {
    if (stays(end)) return;
    edge.object = place_of_[end.index()];
    part_with(end.index()).edges.push_back(edge);
  }

  const LDStats& stats_;
  std::vector<UnorderedRank> parts_;
  std::vector<std::uint32_t> place_of_;  // of each object among those of its rank that may migrate, or not
};

}  // namespace

std::vector<LocalRank> local_ranks_of(const LDStats& stats, const StrategyNeeds& needs) {
  StatsDivision division(stats);
  if (needs.communication) division.divide_edges();
  if (needs.positions && stats.n_axes > 0) division.divide_positions();
  if (needs.memory && !stats.memory.empty()) division.divide_memory();
  return division.ranks();
}

}  // namespace plimsoll::balance
