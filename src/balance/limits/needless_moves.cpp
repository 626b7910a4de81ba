#include "balance/limits/needless_moves.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "balance/limits/compare_scores.hpp"
#include "balance/limits/score_tracker.hpp"
#include "balance/search/loads.hpp"
#include "balance/vector_loads/vector_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Maximum number of passes over all migrations. A migration that is taken back may make others needless. More
// than three passes are rare; the maximum bounds the time.
constexpr int max_passes = 32;
// Maximum number of objects and edges to read while computing scores without terms.
constexpr std::size_t max_reads_of_trials = 4'000'000;

/// Score of a strategy with terms.
class ScoreOfTerms {
 public:
  ScoreOfTerms(const ScoreTerms& terms, const LDStats& stats, const std::vector<std::int32_t>& placement)
      : stats_(stats),
        is_one_maximum_(terms.kind == ScoreTerms::Kind::load &&
                        !(terms.all_loads && has_vector_loads(stats))),
        tracker_(stats, terms, placement),
        maxima_(tracker_.maxima()) {}

  /// Takes an object back unless that worsens the score.
  bool take_back(std::uint32_t object) {
    const std::int32_t from = stats_.from_proc[object];
    const Score before = tracker_.score();
    // The maximum of a single load increases if the rank that gets the object back finishes later.
    if (is_one_maximum_ && is_better(before, {tracker_.load_with(object, from, maxima_), 0})) return false;
    if (before.first == 0 && tracker_.weighs_traffic() &&
        is_better(before, {0, before.second + tracker_.added_traffic(object, from)}))
      return false;
    const std::int32_t to = tracker_.placement()[object];
    tracker_.move(object, from);
    if (is_better(before, tracker_.score())) {
      tracker_.move(object, to);
      return false;
    }
    maxima_ = tracker_.maxima();
    return true;
  }

 private:
  const LDStats& stats_;
  bool is_one_maximum_;
  ScoreTracker tracker_;
  std::vector<double> maxima_;
};

/// Score that only the strategy knows.
class OwnScore {
 public:
  OwnScore(const Strategy& strategy, const LDStats& stats, std::vector<std::int32_t> placement)
      : strategy_(strategy),
        stats_(stats),
        placement_(std::move(placement)),
        score_(strategy.score(stats, placement_)),
        trials_left_(max_reads_of_trials / (1 + stats.obj_data.size() + stats.comm_data.size())) {}

  bool take_back(std::uint32_t object) {
    if (trials_left_ == 0) return false;
    --trials_left_;
    const std::int32_t to = std::exchange(placement_[object], stats_.from_proc[object]);
    const Score tried = strategy_.score(stats_, placement_);
    if (is_better(score_, tried)) {
      placement_[object] = to;
      return false;
    }
    score_ = tried;
    return true;
  }

 private:
  const Strategy& strategy_;
  const LDStats& stats_;
  std::vector<std::int32_t> placement_;
  Score score_;
  std::size_t trials_left_;
};

/// Memory of the ranks while objects return. Without limits on memory, all objects fit.
class ReturnMemory {
 public:
  ReturnMemory(const Limits& limits, const LDStats& stats, const std::vector<std::int32_t>& placement)
      : stats_(stats) {
    if (!limits.limit_memory() || stats.memory.empty()) return;
    const MemoryUse before(stats, stats.from_proc, limits.count_serialized);
    allowed_.emplace(limits, before, stats.count());
    use_.emplace(stats, placement, limits.count_serialized);
  }

  bool take_back(std::uint32_t object, std::int32_t to) {
    if (!use_) return true;
    move(object, to, stats_.from_proc[object]);
    if (allowed_->fits(*use_, stats_.from_proc[object])) return true;
    undo(object, to);
    return false;
  }
  void undo(std::uint32_t object, std::int32_t to) {
    if (use_) move(object, stats_.from_proc[object], to);
  }

 private:
  void move(std::uint32_t object, std::int32_t from, std::int32_t to) {
    use_->remove(object, from);
    use_->add(object, to);
  }

  const LDStats& stats_;
  std::optional<MemoryUse> use_;
  std::optional<MemoryAllowance> allowed_;
};

bool may_return(const LDStats& stats, std::span<const std::int32_t> placement, std::size_t object) {
  return placement[object] != stats.from_proc[object] && stats.procs[at(stats.from_proc[object])].available;
}

/// Returns whether no object can return to its rank without increasing the maximum load.
bool is_each_needed_for_load(const LDStats& stats, std::span<const std::int32_t> placement) {
  std::vector<double> room = finish_times(stats, placement);
  const double max_s = std::ranges::max(room) * (1 + rounding_error);
  for (std::size_t rank = 0; rank < room.size(); ++rank)
    room[rank] = stats.procs[rank].available ? (max_s - room[rank]) * stats.procs[rank].pe_speed : -1;
  for (std::size_t object = 0; object < placement.size(); ++object)
    if (stats.load_s(object) <= room[at(stats.from_proc[object])] &&
        placement[object] != stats.from_proc[object])
      return false;
  return true;
}

/// Returns whether any object returned.
template <typename CurrentScore>
bool take_back(CurrentScore score, const Limits& limits, const LDStats& stats,
               std::vector<std::int32_t>& placement) {
  std::vector<std::uint32_t> away;
  for (std::uint32_t object = 0; object < placement.size(); ++object)
    if (may_return(stats, placement, object)) away.push_back(object);
  std::ranges::stable_sort(away, {}, [&](std::uint32_t object) { return stats.load_s(object); });
  ReturnMemory memory(limits, stats, placement);
  const std::size_t n_before = away.size();
  std::size_t n_returned = 1;
  for (int pass = 0; n_returned > 0 && pass < max_passes; ++pass)
    n_returned = std::erase_if(away, [&](std::uint32_t object) {
      const std::int32_t to = placement[object];
      if (!memory.take_back(object, to)) return false;
      if (!score.take_back(object)) {
        memory.undo(object, to);
        return false;
      }
      placement[object] = stats.from_proc[object];
      return true;
    });
  return away.size() < n_before;
}

}  // namespace

bool take_back_needless_moves(const Strategy& strategy, const Limits& limits, const LDStats& stats,
                              std::vector<std::int32_t>& placement) {
  const ScoreTerms terms = strategy.score_terms();
  if (terms.kind == ScoreTerms::Kind::none || placement.empty()) return false;
  if (terms.kind == ScoreTerms::Kind::own)
    return take_back(OwnScore(strategy, stats, placement), limits, stats, placement);
  const bool one_load = terms.kind == ScoreTerms::Kind::load && !(terms.all_loads && has_vector_loads(stats));
  if (one_load && is_each_needed_for_load(stats, placement)) return false;
  return take_back(ScoreOfTerms(terms, stats, placement), limits, stats, placement);
}

}  // namespace plimsoll::balance
