#include "runtime/recording/edge_table.hpp"

#include <plimsoll/support/mix_bits.hpp>

namespace plimsoll::runtime {

namespace {

std::uint64_t hash_of(Endpoint from, Endpoint to, lbdata::CommCategory category) {
  // Unequal multiples of both ends, so that neither exchanging nor shifting them gives the same.
  return support::mix_bits(from.number() * 0x9e3779b97f4a7c15ULL + support::mix_bits(to.number()) +
                           static_cast<std::uint64_t>(category));
}

std::uint64_t hash_of(const EdgeTable::Edge& edge) {
  return hash_of(edge.from, edge.to, edge.category);
}

constexpr std::size_t least_slots = 256;

std::uint32_t tag_of(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32);
}

}  // namespace

EdgeTable::EdgeTable() : index_(least_slots) {}

void EdgeTable::add(Endpoint from, Endpoint to, lbdata::CommCategory category, std::uint64_t bytes,
                    std::uint64_t messages) {
  const std::uint64_t hash = hash_of(from, to, category);
  const std::size_t mask = index_.size() - 1;
  for (std::size_t slot = hash & mask; index_[slot].row_plus_1 != 0; slot = (slot + 1) & mask) {
    if (index_[slot].tag != tag_of(hash)) continue;
    Edge& edge = edges_[index_[slot].row_plus_1 - 1];
    if (edge.from != from || edge.to != to || edge.category != category) continue;
    edge.bytes += bytes;
    edge.messages += messages;
    return;
  }
  Edge& edge = edges_[add_row(from, to, category, hash)];
  edge.bytes = bytes;
  edge.messages = messages;
}

std::uint32_t EdgeTable::add_row(Endpoint from, Endpoint to, lbdata::CommCategory category,
                                 std::uint64_t hash) {
  const auto row = static_cast<std::uint32_t>(edges_.size());
  edges_.push_back({.from = from, .to = to, .category = category});
  if (2 * edges_.size() > index_.size()) {
    rebuild_index(2 * index_.size());
  } else {
    place(hash, row);
  }
  return row;
}

void EdgeTable::place(std::uint64_t hash, std::uint32_t row) {
  const std::size_t mask = index_.size() - 1;
  std::size_t slot = hash & mask;
  while (index_[slot].row_plus_1 != 0) slot = (slot + 1) & mask;
  index_[slot] = {.row_plus_1 = row + 1, .tag = tag_of(hash)};
}

void EdgeTable::rebuild_index(std::size_t slots) {
  index_.assign(slots, {});
  for (std::uint32_t row = 0; row < edges_.size(); ++row) place(hash_of(edges_[row]), row);
}

void EdgeTable::unresolve() {
  for (Edge& edge : edges_) edge.from_entity = edge.to_entity = unresolved;
}

void EdgeTable::end_phase() {
  std::size_t unused = 0;
  for (const Edge& edge : edges_) unused += edge.messages == 0 ? 1 : 0;
  if (2 * unused > edges_.size()) drop_unused();
  for (Edge& edge : edges_) edge.bytes = edge.messages = 0;
}

void EdgeTable::drop_unused() {
  std::erase_if(edges_, [](const Edge& edge) { return edge.messages == 0; });
  std::size_t slots = least_slots;
  while (slots < 2 * edges_.size()) slots *= 2;
  rebuild_index(slots);
}

}  // namespace plimsoll::runtime
