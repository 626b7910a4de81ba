#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>

#include "balance/strategies/diffusion_lb/diffusion.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// The objects of one rank, while objects move between ranks. Between transfers, each edge tells where the
/// other object is. A transfer takes four rounds, in which all ranks call send(), welcome(), forward() and
/// learn(): the rank where an object arrives tells those of its neighbours, which forward what concerns
/// objects that have just left them.
class LocalObjects {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  /// `objects` must outlive this object, which changes them.
  LocalObjects(std::int32_t self, std::vector<DiffusionObject>& objects);

  std::int32_t self() const { return self_; }
  const std::vector<DiffusionObject>& objects() const { return objects_; }
  /// Returns the index of an object that is on this rank, or none.
  std::size_t find(std::uint64_t number) const;
  /// Returns the index of the other object of an edge if that is on this rank, or none.
  std::size_t neighbor_of(const DiffusionEdge& edge) const;

  /// Sends objects away. `ranks` contains the new rank of each object, or the own one. Returns how many
  /// leave.
  std::size_t send(const std::vector<std::int32_t>& ranks, Outbox& outbox);
  /// Adds objects that have arrived, and tells the ranks of their neighbours.
  void welcome(Inbox received, Outbox& outbox);
  /// Learns where neighbours have arrived, and forwards what concerns objects that have left.
  void forward(Inbox received, Outbox& outbox);
  /// Learns from forwarded messages where neighbours have arrived.
  void learn(Inbox received);

 private:
  struct Arrival;

  void build_index();
  void set_rank(std::size_t object, std::uint64_t neighbor, std::int32_t rank);

  std::int32_t self_;
  std::vector<DiffusionObject>& objects_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::unordered_map<std::uint64_t, std::int32_t> left_;  // new ranks of the objects that have just left
};

}  // namespace plimsoll::balance
