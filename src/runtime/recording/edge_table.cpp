#include "runtime/recording/edge_table.hpp"

#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

std::uint64_t hash_of(Endpoint from, Endpoint to, lbdata::CommCategory category) {
  // Multiplies both ends by different constants, so that neither swapping nor shifting them gives the same
  // hash.
  return support::mix_bits(from.number() * 0x9e3779b97f4a7c15ULL + support::mix_bits(to.number()) +
                           static_cast<std::uint64_t>(category));
}

std::uint64_t hash_of(const EdgeTable::Edge& edge) {
  return hash_of(edge.from, edge.to, edge.category);
}

}  // namespace

void EdgeTable::add(Endpoint from, Endpoint to, lbdata::CommCategory category, std::uint64_t bytes,
                    std::uint64_t messages) {
  const std::uint64_t hash = hash_of(from, to, category);
  Edge* edge = nullptr;
  index_.find(hash, [&](std::uint32_t row) {
    Edge& other = edges_[row];
    if (other.from != from || other.to != to || other.category != category) return false;
    edge = &other;
    return true;
  });
  if (!edge) edge = &add_edge(from, to, category, hash);
  edge->bytes += bytes;
  edge->messages += messages;
}

EdgeTable::Edge& EdgeTable::add_edge(Endpoint from, Endpoint to, lbdata::CommCategory category,
                                     std::uint64_t hash) {
  const auto row = static_cast<std::uint32_t>(edges_.size());
  edges_.push_back({.from = from, .to = to, .category = category});
  index_.insert(hash, row, [&](std::uint32_t other) { return hash_of(edges_[other]); });
  return edges_.back();
}

void EdgeTable::unresolve() {
  for (Edge& edge : edges_) edge.from_entity = edge.to_entity = unresolved;
}

void EdgeTable::end_phase() {
  std::size_t unused = 0;
  for (const Edge& edge : edges_) unused += edge.messages == 0 ? 1 : 0;
  if (unused > 0 && 2 * unused >= edges_.size()) drop_unused();
  for (Edge& edge : edges_) edge.bytes = edge.messages = 0;
}

void EdgeTable::drop_unused() {
  std::erase_if(edges_, [](const Edge& edge) { return edge.messages == 0; });
  index_.clear();
  const auto hash_of_row = [&](std::uint32_t row) { return hash_of(edges_[row]); };
  for (std::uint32_t row = 0; row < edges_.size(); ++row) index_.insert(hash_of_row(row), row, hash_of_row);
}

}  // namespace plimsoll::runtime
