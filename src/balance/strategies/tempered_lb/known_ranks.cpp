#include "balance/strategies/tempered_lb/known_ranks.hpp"

#include <algorithm>
#include <bit>

#include <plimsoll/support/hash.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Set of ranks with room for `capacity` of them, up to half full.
class RankSet {
 public:
  explicit RankSet(std::size_t capacity) {
    const std::size_t slots = std::bit_ceil(2 * capacity + 1);
    if (slots_.size() < slots) slots_.resize(slots);
    mask_ = slots - 1;
    std::fill_n(slots_.begin(), slots, free);
  }

  /// Adds a rank; returns false if the set contains it already.
  bool add(std::int32_t rank) {
    std::size_t slot = support::mix_bits(at(rank)) & mask_;
    for (; slots_[slot] != free; slot = (slot + 1) & mask_)
      if (slots_[slot] == rank) return false;
    slots_[slot] = rank;
    return true;
  }

 private:
  static constexpr std::int32_t free = -1;
  // Kept for the next set of this thread, because ranks learn in each round.
  static thread_local std::vector<std::int32_t> slots_;
  std::size_t mask_ = 0;
};

thread_local std::vector<std::int32_t> RankSet::slots_;

}  // namespace

bool learn(std::vector<KnownRank>& known, Inbox messages, std::size_t limit) {
  if (known.size() >= limit || messages.empty()) return false;
  std::size_t reported = known.size();
  for (const RoundMessage& message : messages) reported += message.items<KnownRank>().size();
  RankSet ranks(std::min(limit, reported));
  for (const KnownRank& rank : known) ranks.add(rank.rank);
  const std::size_t before = known.size();
  for (const RoundMessage& message : messages) {
    for (const KnownRank& rank : message.items<KnownRank>()) {
      if (known.size() == limit) return true;
      if (ranks.add(rank.rank)) known.push_back(rank);
    }
  }
  return known.size() > before;
}

}  // namespace plimsoll::balance
