#include "balance/limits/move_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include <plimsoll/support/error.hpp>

#include "balance/limits/compare_scores.hpp"
#include "balance/limits/move_order.hpp"
#include "balance/limits/score_tracker.hpp"
#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Maximum number of objects and edges to read while computing scores without terms.
constexpr std::size_t max_reads_of_prefixes = 20'000'000;

/// Migrates objects while the memory of their new ranks permits it.
class MemoryOrder {
 public:
  MemoryOrder(const Limits& limits, const LDStats& stats, const std::vector<std::int32_t>& placement)
      : stats_(stats),
        placement_(placement),
        use_(stats, stats.from_proc, limits.count_serialized),
        allowed_(limits, use_, stats.count()),
        waiting_(stats.procs.size()) {}

  /// Returns the objects of `order` that can migrate one after another. An object that does not fit waits
  /// until another leaves its new rank.
  std::vector<std::uint32_t> sequence(std::span<const std::uint32_t> order) {
    for (const std::uint32_t object : order) {
      std::deque<std::uint32_t> next = {object};
      while (!next.empty()) {
        const std::uint32_t tried = next.front();
        next.pop_front();
        std::vector<std::uint32_t>& waiting = waiting_[at(placement_[tried])];
        if (!migrate(tried)) {
          waiting.push_back(tried);
          continue;
        }
        std::vector<std::uint32_t>& freed = waiting_[at(stats_.from_proc[tried])];
        next.insert(next.end(), freed.begin(), freed.end());
        freed.clear();
      }
    }
    return std::move(sequence_);
  }

 private:
  bool migrate(std::uint32_t object) {
    const std::int32_t from = stats_.from_proc[object];
    const std::int32_t to = placement_[object];
    use_.remove(object, from);
    use_.add(object, to);
    if (!allowed_.fits(use_, to)) {
      use_.remove(object, to);
      use_.add(object, from);
      return false;
    }
    sequence_.push_back(object);
    return true;
  }

  const LDStats& stats_;
  const std::vector<std::int32_t>& placement_;
  MemoryUse use_;
  MemoryAllowance allowed_;
  std::vector<std::vector<std::uint32_t>> waiting_;  ///< objects that wait for memory on each rank
  std::vector<std::uint32_t> sequence_;
};

/// Lengths of the prefixes whose score is computed: all, or so many in geometric steps as the time permits.
class EvaluatedLengths {
 public:
  EvaluatedLengths(std::size_t n_moves, std::size_t max_lengths) : all_(n_moves <= max_lengths) {
    if (!all_) step_ = 16.0 / static_cast<double>(max_lengths);
  }
  bool contains(std::size_t length) {
    if (all_ || length < next_) return all_;
    next_ = length + 1 + static_cast<std::size_t>(step_ * static_cast<double>(length));
    return true;
  }

 private:
  bool all_;
  double step_ = 0;
  std::size_t next_ = 0;
};

/// Placement after each migration of a sequence, with its score.
class GrowingPart {
 public:
  GrowingPart(const LDStats& stats, const ScoreFunction& score, std::size_t n_moves)
      : stats_(stats),
        score_(score),
        placement_(stats.from_proc),
        lengths_(n_moves, std::max<std::size_t>(64, max_reads_of_prefixes / (1 + stats.obj_data.size() +
                                                                             stats.comm_data.size()))) {
    if (!score.own) tracker_.emplace(stats, score.terms, stats.from_proc);
  }

  void move(std::uint32_t object, std::int32_t to) {
    ++length_;
    if (tracker_)
      tracker_->move(object, to);
    else
      placement_[object] = to;
  }
  /// Returns the score, or nothing if it is not computed for this length.
  std::optional<Score> score() {
    if (tracker_) return tracker_->score();
    if (!lengths_.contains(length_)) return {};
    return score_.own(placement_);
  }

 private:
  const LDStats& stats_;
  const ScoreFunction& score_;
  std::optional<ScoreTracker> tracker_;
  std::vector<std::int32_t> placement_;
  EvaluatedLengths lengths_;
  std::size_t length_ = 0;
};

}  // namespace

std::vector<std::int32_t> best_part_within(const Limits& limits, const LDStats& stats,
                                           const ScoreFunction& score, double target,
                                           const std::vector<std::int32_t>& placement) {
  const MoveCost cost = limits.max_moved_bytes != Limits::unlimited ? MoveCost::bytes : MoveCost::moves;
  std::vector<std::uint32_t> order = most_needed_first(stats, score.terms, placement, cost);
  const auto must_leave = [&](std::uint32_t object) {
    return !stats.procs[at(stats.from_proc[object])].available;
  };
  auto n_required = static_cast<std::size_t>(std::ranges::count_if(order, must_leave));
  const std::size_t n_evacuated = n_required;
  if (limits.limit_memory() && !stats.memory.empty()) {
    order = MemoryOrder(limits, stats, placement).sequence(order);
    // An evacuation that had to wait for memory comes after migrations that make room for it.
    const auto last = std::ranges::find_if(order.rbegin(), order.rend(), must_leave);
    n_required = static_cast<std::size_t>(order.rend() - last);
  }

  GrowingPart part(stats, score, order.size());
  std::optional<Score> best;
  std::size_t best_length = 0;
  std::size_t length = 0;
  double bytes = 0;
  const auto consider = [&] {
    if (length < n_required) return;
    std::optional<Score> now = part.score();
    if (!now) return;
    now->first = std::max(now->first, target);
    if (best && !is_better(*now, *best)) return;
    best = now;
    best_length = length;
  };
  consider();
  for (; length < order.size(); consider()) {
    bytes += stats.migration_bytes(order[length]);
    if (static_cast<std::int64_t>(length) >= limits.max_moves ||
        bytes > limits.max_moved_bytes * (1 + rounding_error))
      break;
    part.move(order[length], placement[order[length]]);
    ++length;
  }
  const auto n_left =
      static_cast<std::int64_t>(n_evacuated) -
      std::count_if(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(length), must_leave);
  if (n_left > 0)
    throw support::usage_error(
        fmt::format("{} objects on unavailable processors must migrate, but the limits forbid it", n_left),
        "set a higher max_moves, max_moved_bytes or max_memory_bytes");
  if (!best) best_length = length;  // no length with a computed score fits
  std::vector<std::int32_t> result = stats.from_proc;
  for (std::size_t k = 0; k < best_length; ++k) result[order[k]] = placement[order[k]];
  return result;
}

}  // namespace plimsoll::balance
