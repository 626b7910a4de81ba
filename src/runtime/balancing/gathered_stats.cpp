#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>

#include "runtime/balancing/rank_stats.hpp"
#include "runtime/recording/object_registry.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

using balance::CommEnd;
using support::usage_error;

void expect_length(std::string_view column, std::size_t length, std::size_t objects) {
  if (length == objects) return;
  throw usage_error(fmt::format("invalid {}: {} values for {} objects", column, length, objects),
                    "pass one value per object, or none");
}

void expect_amount(double value, std::string_view quantity, std::string_view unit, ObjectId id) {
  if (std::isfinite(value) && value >= 0) return;
  throw usage_error(
      fmt::format("invalid {} of object {}: {} {}", quantity, static_cast<std::uint64_t>(id), value, unit),
      "pass a finite number >= 0");
}

/// Finds objects by their IDs. Migratable objects have unique IDs; of others with one ID, it finds the first.
class IdIndex {
 public:
  /// Calls `check(first, row)` for each row whose ID an earlier row has.
  template <class Check>
  IdIndex(const std::vector<std::uint64_t>& ids, const Check& check) : ids_(ids) {
    for (std::uint32_t row = 0; row < ids_.size(); ++row) {
      const std::uint64_t hash = support::mix_bits(ids_[row]);
      if (const std::optional<std::uint32_t> first = find(ids_[row])) {
        check(*first, row);
        continue;
      }
      index_.insert(hash, row, [this](std::uint32_t other) { return support::mix_bits(ids_[other]); });
    }
  }
  std::optional<std::uint32_t> find(std::uint64_t id) const {
    const std::uint32_t row =
        index_.find(support::mix_bits(id), [&](std::uint32_t other) { return ids_[other] == id; });
    if (row == support::PositionHash::none) return {};
    return row;
  }

 private:
  const std::vector<std::uint64_t>& ids_;
  support::PositionHash index_;
};

}  // namespace

// Strategies check all values again, but cannot name the object by its ID.
void check(const RankStats& stats, const balance::StrategyNeeds& needs) {
  const std::size_t objects = stats.ids.size();
  expect_length("loads", stats.loads_s.size(), objects);
  if (!stats.migratable.empty()) expect_length("migratable flags", stats.migratable.size(), objects);
  if (!stats.device_s.empty()) expect_length("device loads", stats.device_s.size(), objects);
  if (!stats.memory.empty()) expect_length("sizes", stats.memory.size(), objects);
  if (needs.positions && stats.n_axes > 0)
    expect_length("coordinates", stats.positions.size(), objects * stats.n_axes);

  for (std::size_t object = 0; object < objects; ++object)
    expect_amount(stats.loads_s[object], "load", "s", stats.ids[object]);
  for (std::size_t object = 0; object < stats.memory.size(); ++object) {
    const balance::ObjMemory& memory = stats.memory[object];
    for (const double bytes : {memory.serialized_bytes, memory.footprint_bytes, memory.working_bytes})
      expect_amount(bytes, "size", "bytes", stats.ids[object]);
  }
  if (!needs.positions) return;
  for (std::size_t k = 0; k < objects * stats.n_axes; ++k) {
    if (std::isfinite(stats.positions[k])) continue;
    throw usage_error(
        fmt::format("invalid coordinate of object {}: {}",
                    static_cast<std::uint64_t>(stats.ids[k / stats.n_axes]), stats.positions[k]),
        "pass finite coordinates");
  }
}

double sum_of_loads_s(const RankStats& stats) {
  double sum_s = 0;
  for (const double load_s : stats.loads_s)
    if (std::isfinite(load_s) && load_s > 0) sum_s += load_s;
  return sum_s;
}

void check_with_all(const RankStats& stats, double sum_s, int ranks) {
  if (!std::isfinite(sum_s))
    throw usage_error("the sum of the loads of all ranks is not finite", "use smaller loads");
  for (const RankBlock& block : stats.blocks)
    if (block.home < 0 || block.home >= ranks)
      throw usage_error(fmt::format("invalid home_rank {} of shared block {}: the program has {} ranks",
                                    block.home, block.id, ranks),
                        fmt::format("use 0 to {}", ranks - 1));
}

std::vector<std::byte> pack(const RankStats& stats, const balance::StrategyNeeds& needs) {
  check(stats, needs);
  const auto if_needed = []<class Value>(bool is_needed, const std::vector<Value>& column) {
    return is_needed ? std::span(column) : std::span<const Value>();
  };
  mpi::Packer packer;
  packer(stats.proc, stats.host, stats.loads_s, stats.migratable);
  packer.array(if_needed(needs.numbers || needs.communication, stats.ids));
  packer.value(needs.positions ? stats.n_axes : 0);
  packer.array(if_needed(needs.positions, stats.positions));
  packer.value(stats.n_subphases);
  packer.array(std::span<const double>(stats.subphases_s));
  packer.array(if_needed(needs.more_loads, stats.device_s));
  packer.array(if_needed(needs.memory, stats.memory));
  packer.array(if_needed(needs.memory, stats.blocks));
  packer.array(if_needed(needs.communication, stats.edges));
  return packer.take();
}

void GatheredStats::reserve(std::int64_t objects, int ranks) {
  if (objects > std::numeric_limits<std::int32_t>::max())
    throw usage_error(fmt::format("{} objects are too many for one rank to balance", objects),
                      "use fewer, larger objects");
  const auto count = static_cast<std::size_t>(objects);
  stats_.procs.reserve(static_cast<std::size_t>(ranks));
  first_object_.reserve(static_cast<std::size_t>(ranks) + 1);
  stats_.obj_data.reserve(count);
  stats_.from_proc.reserve(count);
  if (needs_.numbers || needs_.communication) stats_.numbers.reserve(count);
  if (needs_.memory) stats_.memory.reserve(count);
}

void GatheredStats::add_rank(std::span<const std::byte> message) {
  PLIMSOLL_EXPECT(first_object_.size() == stats_.procs.size());  // complete() was not called
  mpi::Unpacker unpacker(message);
  const auto rank = static_cast<std::int32_t>(stats_.procs.size());
  balance::ProcStats& proc = stats_.procs.emplace_back(unpacker.value<balance::ProcStats>());
  const auto next_node = static_cast<std::int32_t>(node_of_host_.size());
  proc.node = node_of_host_.insert({unpacker.value<std::uint64_t>(), next_node}).first->second;
  first_object_.push_back(stats_.obj_data.size());

  const auto loads_s = unpacker.array<double>();
  const auto migratable = unpacker.array<std::uint8_t>();
  for (std::size_t object = 0; object < loads_s.size(); ++object)
    stats_.obj_data.push_back({.walltime = static_cast<balance::LBRealType>(loads_s[object]),
                               .migratable = migratable.empty() || migratable[object] != 0});
  stats_.from_proc.resize(stats_.obj_data.size(), rank);
  proc.n_objs = static_cast<std::int32_t>(loads_s.size());

  unpacker.append_to(stats_.numbers);
  set_axes(unpacker.value<std::uint32_t>());
  unpacker.append_to(stats_.positions);
  stats_.positions.resize(stats_.obj_data.size() * stats_.n_axes);
  Subphases& subphases = subphases_.emplace_back();
  subphases.count = unpacker.value<std::uint32_t>();
  subphases.loads_s = unpacker.array<double>();
  add_device_loads(unpacker.array<double>());
  unpacker.append_to(stats_.memory);
  stats_.memory.resize(needs_.memory ? stats_.obj_data.size() : 0);
  number_blocks(unpacker.array<RankBlock>());
  auto edges = unpacker.array<RankEdge>();
  if (!edges.empty()) edges_.push_back({static_cast<std::size_t>(rank), std::move(edges)});
}

// Sets the number of coordinates per position. Objects of ranks without positions are at the origin.
void GatheredStats::set_axes(std::uint32_t axes_of_rank) {
  if (axes_of_rank == 0 || axes_of_rank == stats_.n_axes) return;
  if (stats_.n_axes != 0)
    throw usage_error(fmt::format("positions on rank {} have {} coordinates, those on lower ranks {}",
                                  stats_.procs.size() - 1, axes_of_rank, stats_.n_axes),
                      "use the same number of coordinates on all ranks");
  stats_.n_axes = axes_of_rank;
  stats_.positions.resize(first_object_.back() * axes_of_rank);
}

// Adds the device loads of the last rank, which may have none.
void GatheredStats::add_device_loads(const std::vector<double>& of_rank) {
  if (of_rank.empty()) return;
  if (stats_.more_loads.empty()) stats_.more_loads.push_back({.name = "device_time", .of_object = {}});
  std::vector<balance::LBRealType>& loads = stats_.more_loads.front().of_object;
  loads.resize(first_object_.back());
  for (const double load_s : of_rank) loads.push_back(static_cast<balance::LBRealType>(load_s));
}

// Adds the loads by subphase of all ranks, if any rank has subphases.
void GatheredStats::add_subphases() {
  const std::uint32_t n_subphases =
      subphases_.empty() ? 0 : std::ranges::max(subphases_, {}, &Subphases::count).count;
  if (n_subphases == 0) return;
  stats_.subphases = balance::SubphaseLoads::zeros(stats_.obj_data.size(), n_subphases);
  for (std::size_t rank = 0; rank < subphases_.size(); ++rank) {
    Subphases& of_rank = subphases_[rank];
    for (std::size_t object = first_object_[rank]; object < first_object_[rank + 1]; ++object) {
      const auto its_s =
          std::span(of_rank.loads_s).subspan((object - first_object_[rank]) * of_rank.count, of_rank.count);
      const std::span<balance::LBRealType> loads = stats_.subphases.of_object(object);
      loads[balance::SubphaseLoads::outside] =
          static_cast<balance::LBRealType>(balance::fit_subphases(its_s, stats_.load_s(object)));
      std::ranges::transform(its_s, loads.begin() + 1,
                             [](double load_s) { return static_cast<balance::LBRealType>(load_s); });
    }
    of_rank.loads_s = {};
  }
}

// Replaces the block numbers of the last rank's objects, which are numbers on that rank.
void GatheredStats::number_blocks(const std::vector<RankBlock>& of_rank) {
  if (of_rank.empty()) return;
  std::vector<std::uint32_t> number;
  for (const RankBlock& block : of_rank) {
    const auto home = static_cast<std::int32_t>(block.home);
    const auto [found, is_new] =
        block_numbers_.insert({{home, block.id}, static_cast<std::uint32_t>(stats_.blocks.size())});
    if (is_new) stats_.blocks.push_back({block.bytes, home});
    number.push_back(found->second);
  }
  for (std::size_t object = first_object_.back(); object < stats_.memory.size(); ++object) {
    std::uint32_t& block = stats_.memory[object].block;
    if (block != balance::ObjMemory::no_block) block = number[block];
  }
}

balance::LDStats& GatheredStats::complete() {
  PLIMSOLL_EXPECT(first_object_.size() == stats_.procs.size());
  first_object_.push_back(stats_.obj_data.size());
  for (balance::LoadDimension& loads : stats_.more_loads) loads.of_object.resize(stats_.obj_data.size());
  add_subphases();
  resolve_edges();
  if (!needs_.numbers) stats_.numbers = {};
  stats_.to_proc = stats_.from_proc;
  return stats_;
}

void GatheredStats::expect_unique(std::uint32_t first, std::uint32_t second) const {
  if (!stats_.obj_data[first].migratable && !stats_.obj_data[second].migratable) return;
  throw usage_error(
      fmt::format("{} is registered on rank {} and on rank {}", name_of(ObjectId{stats_.numbers[second]}),
                  stats_.from_proc[first], stats_.from_proc[second]),
      "call remove_object() on the rank that an object leaves, and use unique numbers for new "
      "objects; lb_check finds all of them");
}

void GatheredStats::resolve_edges() {
  const IdIndex index(stats_.numbers,
                      [&](std::uint32_t first, std::uint32_t second) { expect_unique(first, second); });
  const auto resolved = [&](const RankEdgeEnd& end, std::size_t rank) -> std::optional<CommEnd> {
    const bool exists = end.kind == RankEdgeEnd::Kind::rank
                            ? end.number < stats_.procs.size()
                            : end.kind != RankEdgeEnd::Kind::object_here ||
                                  end.number < first_object_[rank + 1] - first_object_[rank];
    if (!exists) return {};
    if (end.kind == RankEdgeEnd::Kind::rank)
      return CommEnd::processor(static_cast<std::uint32_t>(end.number));
    if (end.kind == RankEdgeEnd::Kind::object_here)
      return CommEnd::object(static_cast<std::uint32_t>(first_object_[rank] + end.number));
    const std::optional<std::uint32_t> object = index.find(end.number);
    if (!object) return {};
    return CommEnd::object(*object);
  };
  for (Edges& of_rank : edges_) {
    for (const RankEdge& edge : of_rank.edges) {
      const std::optional<CommEnd> sender = resolved(edge.from, of_rank.rank);
      const std::optional<CommEnd> receiver = resolved(edge.to, of_rank.rank);
      if (!sender || !receiver) continue;
      stats_.comm_data.push_back(
          {.sender = *sender, .receiver = *receiver, .bytes = edge.bytes, .messages = edge.messages});
      stats_.comm_categories.push_back(edge.category);
    }
    of_rank.edges = {};
  }
}

std::vector<LeavingObject> GatheredStats::leaving(int rank) const {
  PLIMSOLL_EXPECT(rank >= 0 && static_cast<std::size_t>(rank) + 1 < first_object_.size());
  const std::size_t first = first_object_[static_cast<std::size_t>(rank)];
  const std::size_t end = first_object_[static_cast<std::size_t>(rank) + 1];
  const std::span<const std::int32_t> to_proc = std::span(stats_.to_proc).subspan(first, end - first);
  const auto n_staying = static_cast<std::size_t>(std::ranges::count(to_proc, rank));
  std::vector<LeavingObject> leaving(to_proc.size() - n_staying);
  // No branch depends on the placement, which no processor could predict.
  std::size_t next = 0;
  for (std::uint32_t object = 0; next < leaving.size(); ++object) {
    leaving[next] = {object, to_proc[object]};
    next += to_proc[object] == rank ? 0 : 1;
  }
  return leaving;
}

}  // namespace plimsoll::runtime
