#include "balance/search/border_shift.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <queue>
#include <span>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

using Move = CommPlacement::Move;

class BorderShift {
 public:
  BorderShift(CommPlacement& placement, const std::vector<Transfer>& transfers)
      : placement_(placement),
        transfers_(transfers),
        begin_(placement.n_ranks() + 1, 0),
        to_give_(placement.n_ranks(), 0),
        candidates_(placement.n_ranks()),
        waits_(placement.n_ranks(), false) {
    for (const Transfer& transfer : transfers) {
      ++begin_[transfer.from + 1];
      to_give_[transfer.from] += transfer.load;
      to_give_[transfer.to] -= transfer.load;
    }
    for (std::size_t rank = 1; rank < begin_.size(); ++rank) begin_[rank] += begin_[rank - 1];
    for (std::uint32_t object = 0; object < placement.n_objects(); ++object) consider(object);
  }

  void run() {
    for (std::uint32_t rank = 0; rank < placement_.n_ranks(); ++rank) await(rank);
    while (!queue_.empty()) {
      const std::uint32_t rank = queue_.front();
      queue_.pop();
      waits_[rank] = false;
      give(rank);
    }
  }

 private:
  /// Object that may migrate. The first to come has the largest age.
  struct Candidate {
    double gain;
    std::uint64_t age;
    std::uint32_t object;
    friend auto operator<=>(const Candidate&, const Candidate&) = default;
  };

  std::span<Transfer> transfers_from(std::uint32_t rank) {
    return std::span(transfers_).subspan(begin_[rank], begin_[rank + 1] - begin_[rank]);
  }
  Transfer* transfer(std::uint32_t from, std::uint32_t to) {
    const std::span<Transfer> all = transfers_from(from);
    const auto found = std::ranges::lower_bound(all, to, {}, &Transfer::to);
    return found != all.end() && found->to == to ? &*found : nullptr;
  }

  /// Returns whether a load brings `rank` closer to the end of what is still `left` to give.
  static bool fits(double load, double left) { return left > 0 && load <= 2 * left; }

  Move move_of(std::uint32_t object) {
    const std::uint32_t here = placement_.rank(object);
    return placement_.best_move(object, [&](std::uint32_t there) {
      const Transfer* open = transfer(here, there);
      return open != nullptr && fits(placement_.load(object), open->load);
    });
  }

  void consider(std::uint32_t object) {
    if (!placement_.migratable(object) || placement_.load(object) <= 0) return;
    const std::uint32_t here = placement_.rank(object);
    if (transfers_from(here).empty()) return;
    if (const Move move = move_of(object); move.to != CommPlacement::nowhere)
      candidates_[here].push({move.gain, --age_, object});
  }

  void await(std::uint32_t rank) {
    if (waits_[rank] || to_give_[rank] <= 0 || candidates_[rank].empty()) return;
    waits_[rank] = true;
    queue_.push(rank);
  }

  void give(std::uint32_t rank) {
    std::priority_queue<Candidate>& candidates = candidates_[rank];
    while (to_give_[rank] > 0 && !candidates.empty()) {
      const std::uint32_t object = candidates.top().object;
      candidates.pop();
      if (placement_.rank(object) != rank || !fits(placement_.load(object), to_give_[rank])) continue;
      const Move move = move_of(object);
      if (move.to == CommPlacement::nowhere) continue;
      if (!candidates.empty() && move.gain < candidates.top().gain)
        candidates.push({move.gain, --age_, object});
      else
        migrate(object, move.to);
    }
  }

  void migrate(std::uint32_t object, std::uint32_t to) {
    const std::uint32_t from = placement_.rank(object);
    const double load = placement_.load(object);
    transfer(from, to)->load -= load;
    to_give_[from] -= load;
    to_give_[to] += load;
    placement_.apply(object, to);
    consider(object);
    for (const Affinity::Partner& partner : placement_.partners(object))
      if (partner.end.is_object() && placement_.partners(partner.end.index()).size() <= many_partners)
        consider(partner.end.index());
    await(to);
  }

  CommPlacement& placement_;
  std::vector<Transfer> transfers_;
  std::vector<std::size_t> begin_;  ///< start of each rank's transfers
  std::vector<double> to_give_;     ///< load above the planned load of each rank
  std::vector<std::priority_queue<Candidate>> candidates_;
  std::queue<std::uint32_t> queue_;  ///< ranks whose turn comes
  std::vector<bool> waits_;          ///< whether a rank is in the queue
  std::uint64_t age_ = ~std::uint64_t{0};
};

}  // namespace

void shift_borders(CommPlacement& placement, const std::vector<Transfer>& transfers) {
  BorderShift(placement, transfers).run();
}

}  // namespace plimsoll::balance
