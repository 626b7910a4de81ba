#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <unordered_map>

#include "collectives/merging/merge_steps.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr std::uint64_t none = UINT64_MAX;
constexpr std::uint64_t window_calls = 4096;
// Distance to a run's next call beyond which the run is inactive until that call.
constexpr std::uint64_t near_calls = 16 * window_calls;

// An active run of one rank.
struct ActiveRun {
  LogRun run;     // run with its calls counted in units of the sweep
  Digest digest;  // digest of the rank and its row
  bool of_lead;
};

/// Sweeps over the calls in order of index. A stretch in which all ranks continue unchanged or repeat their
/// cycles takes as many steps as its period. Elsewhere the sweep processes windows, in which each run is
/// added where it begins and removed where it ends. Gaps without calls are skipped, so that the time depends
/// on the number of calls, not on their distance.
class CallSweep {
 public:
  CallSweep(std::span<const MemberCalls> members, std::uint32_t comm_size)
      : members_(members), comm_size_(comm_size) {
    choose_unit();
    cursors_.reserve(members.size());
    for (const MemberCalls& member : members) cursors_.emplace_back(*member.log, *member.calls);
    find_pending();
  }

  GroupedCalls run() {
    for (std::uint64_t begin = first_call(0); begin != none; begin = first_call(begin)) {
      admit(begin);
      const Stretch steady = steady_stretch(begin);
      if (steady.is_long() || steady_stretch(steady.end).is_long()) {
        add_stretch(steady);
        begin = steady.end;
      } else {
        admit(begin + window_calls - 1);
        add_window(begin);
        begin += window_calls;
      }
      keep_near(begin);
    }
    return std::move(result_);
  }

 private:
  // Calls in which each active run has either every `index_step`-th call, or none.
  struct Stretch {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t period;  // least common multiple of the steps
    bool is_long() const { return end - begin >= std::max(window_calls, 2 * period); }
  };

  // Finds the distance between recorded calls: if only every n-th call is recorded, the sweep processes only
  // these.
  void choose_unit() {
    base_ = none;
    for (const MemberCalls& member : members_) base_ = std::min(base_, member.calls->first_index);
    unit_ = 0;
    for (const MemberCalls& member : members_)
      if (member.calls->first_index != none)
        unit_ = std::gcd(std::gcd(unit_, member.calls->first_index - base_), member.calls->unit);
    unit_ = std::max<std::uint64_t>(unit_, 1);
  }

  std::uint64_t in_units(std::uint64_t index) const { return (index - base_) / unit_; }

  LogRun in_units(LogRun run) const {
    run.first_index = in_units(run.first_index);
    run.index_step = run.count > 1 ? run.index_step / unit_ : 1;
    return run;
  }

  // Returns the first call at or after `from` that any rank recorded.
  std::uint64_t first_call(std::uint64_t from) const {
    std::uint64_t first = first_not_active();
    for (const ActiveRun& active : active_) first = std::min(first, active.run.next_call(from));
    return first;
  }

  std::uint64_t first_not_active() const {
    return far_.empty() ? pending_ : std::min(pending_, far_.top().next_call);
  }

  void find_pending() {
    pending_ = none;
    for (const RunCursor& cursor : cursors_)
      if (cursor.run()) pending_ = std::min(pending_, in_units(cursor.run()->first_index));
  }

  // Activates the runs that begin at or before `last`.
  void admit(std::uint64_t last) {
    for (; !far_.empty() && far_.top().next_call <= last; far_.pop()) active_.push_back(far_.top().active);
    if (pending_ > last) return;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const MemberCalls& member = members_[k];
      RunCursor& cursor = cursors_[k];
      for (; cursor.run() && in_units(cursor.run()->first_index) <= last; cursor.next()) {
        const Digest& row = member.log->rows[cursor.run()->item].digest;
        const std::uint64_t parts[] = {row.low, row.high, member.comm_rank};
        active_.push_back({in_units(*cursor.run()), digest_of<std::uint64_t>(parts), member.comm_rank == 0});
      }
    }
    find_pending();
  }

  // Keeps the active runs that continue soon after `begin`.
  void keep_near(std::uint64_t begin) {
    std::erase_if(active_, [&](const ActiveRun& active) {
      const std::uint64_t next = active.run.next_call(begin);
      if (next != none && next - begin >= near_calls) far_.push({next, active});
      return next - begin >= near_calls;
    });
  }

  Stretch steady_stretch(std::uint64_t begin) const {
    constexpr std::uint64_t longest_period = 2 * near_calls;
    Stretch stretch = {.begin = begin, .end = first_not_active(), .period = 1};
    for (const ActiveRun& active : active_) {
      const LogRun& run = active.run;
      const std::uint64_t next = run.next_call(begin);
      if (next == none) continue;
      if (next - begin >= run.index_step) {
        stretch.end = std::min(stretch.end, next);
        continue;
      }
      stretch.end = std::min(stretch.end, run.last_index() + run.index_step);
      if (stretch.period % run.index_step != 0) stretch.period = std::lcm(stretch.period, run.index_step);
      if (stretch.period > longest_period) return {.begin = begin, .end = begin, .period = 1};
    }
    return has_regular_ids(stretch) ? stretch : Stretch{.begin = begin, .end = begin, .period = 1};
  }

  // Returns whether the IDs of all calls of the lead increase by the same number per period.
  bool has_regular_ids(const Stretch& stretch) const {
    if (stretch.end - stretch.begin <= stretch.period) return true;
    std::optional<std::uint64_t> step;
    for (const ActiveRun& active : active_) {
      const std::uint64_t next = active.run.next_call(stretch.begin);
      if (!active.of_lead || next == none || next - stretch.begin >= active.run.index_step) continue;
      if (step && *step != id_step(active.run, stretch.period)) return false;
      step = id_step(active.run, stretch.period);
    }
    return true;
  }

  void add_stretch(const Stretch& stretch) {
    const auto& [begin, end, period] = stretch;
    cycle_.assign(std::min(period, end - begin), {});
    for (const ActiveRun& active : active_) {
      const std::uint64_t next = active.run.next_call(begin);
      if (next == none || next - begin >= active.run.index_step) continue;
      for (std::uint64_t k = next - begin; k < cycle_.size(); k += active.run.index_step) {
        cycle_[k].slot += {active.digest, 1};
        if (active.of_lead) cycle_[k].lead = &active.run;
      }
    }
    const std::uint64_t rounds = std::max<std::uint64_t>((end - begin) / period, 1);
    const std::uint64_t rest = end - begin - std::min(rounds * period, end - begin);
    Cycle all = {.rounds = rounds};
    std::map<std::size_t, Cycle> of_groups;
    for (std::uint64_t k = 0; k < cycle_.size(); ++k) {
      const auto& [slot, lead] = cycle_[k];
      if (slot.ranks == 0) continue;
      const bool is_in_rest = k < rest;
      if (slot.ranks != comm_size_ || lead == nullptr || !all.may_contain(lead->id_of(begin + k))) {
        result_.incomplete += rounds + (is_in_rest ? 1 : 0);
        continue;
      }
      all.id_step = id_step(*lead, period);
      all.add(lead->id_of(begin + k), is_in_rest);
      Cycle& of_group = of_groups.try_emplace(group_of(slot.digest, begin + k), all.empty()).first->second;
      of_group.add(lead->id_of(begin + k), is_in_rest);
    }
    all.append_to(result_.ids);
    for (const auto& [group, cycle] : of_groups) cycle.append_to(result_.groups[group].ids);
  }

  /// Returns the number of IDs of the lead in a period.
  static std::uint64_t id_step(const LogRun& lead, std::uint64_t period) {
    return period / lead.index_step * lead.id_step;
  }

  void add_window(std::uint64_t begin) {
    for (const ActiveRun& active : active_) add_to_window(active, begin);
    Slot steady;
    for (std::uint64_t k = next_touched(0); k < window_calls;
         k = steady.ranks ? k + 1 : next_touched(k + 1)) {
      steady += std::exchange(changes_[k], {});
      const Call call = std::exchange(calls_[k], {});
      Slot all = steady;
      all += call.slot;
      if (all.ranks == 0) continue;
      if (all.ranks != comm_size_ || call.id == none) {
        ++result_.incomplete;
      } else {
        result_.groups[group_of(all.digest, begin + k)].ids.push_back(call.id);
        result_.ids.push_back(call.id);
      }
    }
    changes_[window_calls] = {};
    touched_.fill(0);
  }

  // Marks a slot as used in this window. Other slots need not be cleared or inspected.
  void touch(std::uint64_t k) { touched_[k / 64] |= std::uint64_t{1} << k % 64; }

  // Returns the first used slot at or after k, or `window_calls` if none is used.
  std::uint64_t next_touched(std::uint64_t k) const {
    std::uint64_t word = k / 64;
    std::uint64_t bits = touched_[word] & UINT64_MAX << k % 64;
    while (bits == 0 && ++word < touched_.size()) bits = touched_[word];
    return bits == 0 ? window_calls : word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
  }

  void add_to_window(const ActiveRun& active, std::uint64_t begin) {
    const LogRun& run = active.run;
    const std::uint64_t first = run.next_call(begin);
    const std::uint64_t last = std::min(run.last_index(), begin + window_calls - 1);
    if (first > last) return;
    if (run.index_step == 1) {
      changes_[first - begin] += {active.digest, 1};
      changes_[last + 1 - begin] += {active.digest, UINT32_MAX};
      touch(first - begin);
      touch(last + 1 - begin);
    } else {
      for (std::uint64_t index = first; index <= last; index += run.index_step) {
        calls_[index - begin].slot += {active.digest, 1};
        touch(index - begin);
      }
    }
    if (!active.of_lead) return;
    for (std::uint64_t index = first; index <= last; index += run.index_step)
      calls_[index - begin].id = run.id_of(index);
  }

  // Returns the position of the group of a call.
  std::size_t group_of(const Digest& digest, std::uint64_t index) {
    const auto [position, is_new] = group_positions_.try_emplace(digest, result_.groups.size());
    if (is_new) result_.groups.push_back({.index = base_ + index * unit_, .ids = {}});
    return position->second;
  }

  // Sum of the ranks' contributions to one call. The number of ranks is modulo 2^32, so that adding
  // UINT32_MAX subtracts one.
  struct Slot {
    Digest digest;
    std::uint32_t ranks = 0;
    Slot& operator+=(const Slot& other) {
      digest ^= other.digest;
      ranks += other.ranks;
      return *this;
    }
  };
  struct Call {
    Slot slot;
    std::uint64_t id = none;  // ID on the lead
  };

  // A call of a stretch, and those that follow in steps of the period.
  struct CallOfCycle {
    Slot slot;
    const LogRun* lead = nullptr;
  };

  // IDs of the lead that repeat: in each of the rounds, they increase by `id_step`. A part of them follows.
  struct Cycle {
    std::uint64_t rounds = 1;
    std::uint64_t id_step = 1;
    NumberList period = {};
    NumberList rest = {};

    // Returns whether the IDs in a period then still ascend; other IDs occur in malicious logs only.
    bool may_contain(std::uint64_t id) const {
      return period.empty() || (id > period.max() && (rounds == 1 || id - period.front() < id_step));
    }
    void add(std::uint64_t id, bool is_in_rest) {
      period.push_back(id);
      if (is_in_rest) rest.push_back(id + rounds * id_step);
    }
    Cycle empty() const { return {.rounds = rounds, .id_step = id_step}; }
    void append_to(NumberList& ids) const {
      ids.append(period, rounds, id_step);
      ids.append(rest);
    }
  };

  struct FarRun {
    std::uint64_t next_call;
    ActiveRun active;
    bool operator>(const FarRun& other) const { return next_call > other.next_call; }
  };

  std::span<const MemberCalls> members_;
  std::vector<RunCursor> cursors_;  // at each member's first run that has not started
  const std::uint32_t comm_size_;
  std::uint64_t base_ = 0;
  std::uint64_t unit_ = 1;
  std::uint64_t pending_ = none;  // first call of the runs that have not started, in units
  std::vector<ActiveRun> active_;
  std::vector<CallOfCycle> cycle_;
  std::priority_queue<FarRun, std::vector<FarRun>, std::greater<>> far_;  // inactive until their next call
  std::array<Slot, window_calls + 1> changes_{};
  std::array<Call, window_calls> calls_{};
  std::array<std::uint64_t, window_calls / 64 + 1> touched_{};
  std::unordered_map<Digest, std::size_t, DigestHash> group_positions_;
  GroupedCalls result_;
};

}  // namespace

GroupedCalls group_calls(std::span<const MemberCalls> members, std::uint32_t comm_size) {
  return std::make_unique<CallSweep>(members, comm_size)->run();
}

}  // namespace plimsoll::collectives
