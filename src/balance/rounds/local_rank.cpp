#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include <plimsoll/balance/distributed_strategy.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Adds the objects in ascending order, with their positions and memory. Returns the position of each
/// migratable object.
std::vector<std::uint32_t> add_objects(std::int32_t rank, const UnorderedRank& parts, LocalRank& result) {
  std::vector<std::uint32_t> order(parts.migratable.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t object) { return parts.migratable[object].number; });
  result.n_axes = parts.positions.empty() ? 0 : parts.n_axes;
  result.objects.reserve(order.size());
  result.positions.reserve(parts.positions.size());
  result.memory.reserve(parts.memory.size());
  std::vector<std::uint32_t> position_of(order.size());
  for (const std::uint32_t object : order) {
    position_of[object] = static_cast<std::uint32_t>(result.objects.size());
    result.objects.push_back(parts.migratable[object]);
    result.objects.back().new_rank = rank;
    const auto position =
        std::span(parts.positions).subspan(std::size_t{object} * result.n_axes, result.n_axes);
    result.positions.insert(result.positions.end(), position.begin(), position.end());
    if (!parts.memory.empty()) result.memory.push_back(parts.memory[object]);
  }
  return position_of;
}

/// Returns the time that a rank needs for its background load and its non-migratable objects, which may share
/// numbers.
double overhead_of(const ProcStats& proc, std::vector<LocalObject> non_migratable) {
  std::ranges::sort(non_migratable, {},
                    [](const LocalObject& object) { return std::tuple(object.number, object.load); });
  double load = 0;
  for (const LocalObject& object : non_migratable) load += object.load;
  return static_cast<double>(proc.bg_walltime) + load / proc.pe_speed;
}

void expect_valid(const std::vector<LocalEdge>& edges, std::int32_t rank) {
  for (const LocalEdge& edge : edges)
    if (!(std::isfinite(edge.bytes) && edge.bytes >= 0 && edge.messages >= 0))
      throw support::bad_input(
          fmt::format("invalid communication of rank {}: {} bytes, {} messages; both must be finite and >= 0",
                      rank, edge.bytes, edge.messages));
}

auto ends_of(const LocalEdge& edge) {
  return std::tuple(edge.object, edge.stays,
                    edge.stays ? static_cast<std::uint64_t>(edge.rank) : edge.neighbor);
}

/// Sorts the edges, and adds up those between the same ends. Sums of sorted numbers do not depend on the
/// order of the edges.
void merge_edges(std::vector<LocalEdge>& edges) {
  std::ranges::sort(edges, {}, [](const LocalEdge& edge) {
    return std::tuple_cat(ends_of(edge),
                          std::tuple(edge.bytes, edge.messages, edge.sent_bytes, edge.received_bytes));
  });
  std::size_t n = 0;
  for (const LocalEdge& edge : edges) {
    if (n > 0 && ends_of(edges[n - 1]) == ends_of(edge)) {
      edges[n - 1].bytes += edge.bytes;
      edges[n - 1].messages += edge.messages;
      edges[n - 1].sent_bytes += edge.sent_bytes;
      edges[n - 1].received_bytes += edge.received_bytes;
    } else {
      edges[n++] = edge;
    }
  }
  edges.resize(n);
}

/// Adds the edges, whose objects are at these positions.
void add_edges(std::int32_t rank, UnorderedRank& parts, const std::vector<std::uint32_t>& position_of,
               LocalRank& result) {
  expect_valid(parts.edges, rank);
  expect_valid(parts.staying_edges, rank);
  result.edges = std::move(parts.edges);
  for (LocalEdge& edge : result.edges) {
    edge.object = position_of[edge.object];
    if (edge.stays) edge.neighbor = 0;
  }
  merge_edges(result.edges);
  for (LocalEdge& edge : parts.staying_edges) {
    edge.object = 0;
    edge.neighbor = 0;
  }
  merge_edges(parts.staying_edges);
  for (const LocalEdge& edge : parts.staying_edges)
    if (edge.rank != rank && edge.sent_bytes + edge.received_bytes > 0)
      result.staying_traffic.push_back({edge.rank, edge.sent_bytes, edge.received_bytes});
  for (LocalEdge& edge : parts.staying_edges) edge = {.bytes = edge.bytes, .messages = edge.messages};
  merge_edges(parts.staying_edges);
  if (parts.staying_edges.empty()) return;
  result.staying_bytes = parts.staying_edges.front().bytes;
  result.staying_messages = parts.staying_edges.front().messages;
}

/// Adds the memory of the non-migratable objects, and the blocks of all objects in the order of their first
/// use.
void add_blocks(UnorderedRank& parts, LocalRank& result) {
  result.staying_memory = std::move(parts.staying_memory);
  std::ranges::sort(result.staying_memory, {}, [](const ObjMemory& memory) {
    return std::tuple(memory.footprint_bytes, memory.working_bytes, memory.serialized_bytes);
  });
  std::vector<std::uint32_t> number_of(parts.blocks.size(), ObjMemory::no_block);
  result.blocks.reserve(parts.blocks.size());
  for (std::vector<ObjMemory>* const memories : {&result.memory, &result.staying_memory}) {
    for (ObjMemory& memory : *memories) {
      if (memory.block == ObjMemory::no_block) continue;
      std::uint32_t& number = number_of[memory.block];
      if (number == ObjMemory::no_block) {
        number = static_cast<std::uint32_t>(result.blocks.size());
        result.blocks.push_back(parts.blocks[memory.block]);
      }
      memory.block = number;
    }
  }
}

}  // namespace

double LocalRank::load() const {
  double sum = 0;
  for (const LocalObject& object : objects) sum += object.load;
  return sum;
}

std::span<const LocalEdge> LocalRank::edges_of(std::size_t object) const {
  const auto begin = std::ranges::lower_bound(edges, object, {}, &LocalEdge::object);
  const auto end = std::ranges::upper_bound(begin, edges.end(), object, {}, &LocalEdge::object);
  return {begin, end};
}

std::size_t LocalRank::find(std::uint64_t number) const {
  const auto place = std::ranges::lower_bound(objects, number, {}, &LocalObject::number);
  const bool is_here = place != objects.end() && place->number == number;
  return is_here ? static_cast<std::size_t>(place - objects.begin()) : objects.size();
}

LocalRank make_local_rank(std::int32_t rank, const ProcStats& proc, std::int64_t node, UnorderedRank parts) {
  PLIMSOLL_EXPECT(parts.positions.empty() ||
                  parts.positions.size() == parts.migratable.size() * parts.n_axes);
  PLIMSOLL_EXPECT(parts.memory.empty() || parts.memory.size() == parts.migratable.size());
  LocalRank result{.speed = proc.pe_speed,
                   .available = proc.available,
                   .node = node,
                   .alpha = proc.rank_alpha,
                   .n_staying = parts.non_migratable.size(),
                   .working_bytes = proc.rank_working_bytes};
  const std::vector<std::uint32_t> position_of = add_objects(rank, parts, result);
  add_edges(rank, parts, position_of, result);
  add_blocks(parts, result);
  result.overhead = overhead_of(proc, std::move(parts.non_migratable));
  return result;
}

}  // namespace plimsoll::balance
