#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <memory>
#include <numeric>
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

std::uint64_t next_call(const LogRun& run, std::uint64_t from) {
  if (from <= run.first_index) return run.first_index;
  if (from > run.last_index()) return none;
  const std::uint64_t steps = (from - run.first_index + run.index_step - 1) / run.index_step;
  return run.first_index + steps * run.index_step;
}

/// Sweeps over the calls in order of index. A stretch in which all ranks continue unchanged takes one step.
/// Elsewhere the sweep processes windows, in which each run is added where it begins and removed where it
/// ends. Gaps without calls are skipped, so that the time depends on the number of calls, not on their
/// distance.
class CallSweep {
 public:
  CallSweep(std::span<const MemberCalls> members, std::uint32_t comm_size)
      : members_(members), next_run_(members.size()), comm_size_(comm_size) {
    choose_unit();
  }

  GroupedCalls run() {
    for (std::uint64_t begin = first_call(0); begin != none; begin = first_call(begin)) {
      admit(begin);
      const std::uint64_t steady_end = end_of_steady_stretch(begin);
      if (is_long(begin, steady_end) || is_long(steady_end, end_of_steady_stretch(steady_end))) {
        add_stretch(begin, steady_end);
        begin = steady_end;
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
  // Finds the distance between recorded calls: if only every n-th call is recorded, the sweep processes only
  // these.
  void choose_unit() {
    base_ = first_pending();
    unit_ = 0;
    for (const MemberCalls& member : members_)
      for (const LogRun& run : member.calls->runs()) {
        unit_ = std::gcd(unit_, run.first_index - base_);
        if (run.count > 1) unit_ = std::gcd(unit_, run.index_step);
        if (unit_ == 1) break;
      }
    unit_ = std::max<std::uint64_t>(unit_, 1);
    pending_ = base_ == none ? none : 0;
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
    for (const ActiveRun& active : active_) first = std::min(first, next_call(active.run, from));
    return first;
  }

  std::uint64_t first_not_active() const {
    return far_.empty() ? pending_ : std::min(pending_, far_.top().next_call);
  }

  std::uint64_t first_pending() const {
    std::uint64_t first = none;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const std::vector<LogRun>& runs = members_[k].calls->runs();
      if (next_run_[k] < runs.size()) first = std::min(first, runs[next_run_[k]].first_index);
    }
    return first;
  }

  // Activates the runs that begin at or before `last`.
  void admit(std::uint64_t last) {
    for (; !far_.empty() && far_.top().next_call <= last; far_.pop()) active_.push_back(far_.top().active);
    if (pending_ > last) return;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const MemberCalls& member = members_[k];
      const std::vector<LogRun>& runs = member.calls->runs();
      for (; next_run_[k] < runs.size() && in_units(runs[next_run_[k]].first_index) <= last; ++next_run_[k]) {
        const LogRun& run = runs[next_run_[k]];
        const Digest& row = member.log->rows[run.item].digest;
        const std::uint64_t parts[] = {row.low, row.high, member.comm_rank};
        active_.push_back({in_units(run), digest_of<std::uint64_t>(parts), member.comm_rank == 0});
      }
    }
    pending_ = first_pending();
    if (pending_ != none) pending_ = in_units(pending_);
  }

  // Keeps the active runs that continue soon after `begin`.
  void keep_near(std::uint64_t begin) {
    std::erase_if(active_, [&](const ActiveRun& active) {
      const std::uint64_t next = next_call(active.run, begin);
      if (next != none && next - begin >= near_calls) far_.push({next, active});
      return next - begin >= near_calls;
    });
  }

  static bool is_long(std::uint64_t begin, std::uint64_t end) { return end - begin >= window_calls; }

  // Returns the end of the stretch starting at `begin` in which each active run has either all calls, with
  // consecutive IDs, or none.
  std::uint64_t end_of_steady_stretch(std::uint64_t begin) const {
    std::uint64_t end = first_not_active();
    for (const ActiveRun& active : active_) {
      const LogRun& run = active.run;
      const std::uint64_t next = next_call(run, begin);
      if (next == begin)
        end = std::min(end, run.index_step > 1 || (active.of_lead && run.id_step > 1) ? begin + 1
                                                                                      : run.last_index() + 1);
      else
        end = std::min(end, next);
    }
    return end;
  }

  void add_stretch(std::uint64_t begin, std::uint64_t end) {
    Digest digest;
    std::uint32_t ranks = 0;
    const LogRun* lead = nullptr;
    for (const ActiveRun& active : active_) {
      if (next_call(active.run, begin) != begin) continue;
      digest ^= active.digest;
      ++ranks;
      if (active.of_lead) lead = &active.run;
    }
    if (ranks != comm_size_ || lead == nullptr) {
      result_.incomplete += end - begin;
      return;
    }
    group_of(digest, begin).ids.append({lead->id_of(begin), lead->id_of(end - 1)});
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
        group_of(all.digest, begin + k).ids.push_back(call.id);
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
    const std::uint64_t first = next_call(run, begin);
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

  CallGroup& group_of(const Digest& digest, std::uint64_t index) {
    const auto [position, is_new] = group_positions_.try_emplace(digest, result_.groups.size());
    if (is_new) result_.groups.push_back({.index = base_ + index * unit_});
    return result_.groups[position->second];
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

  struct FarRun {
    std::uint64_t next_call;
    ActiveRun active;
    bool operator>(const FarRun& other) const { return next_call > other.next_call; }
  };

  std::span<const MemberCalls> members_;
  std::vector<std::size_t> next_run_;  // index of each member's first run that has not started
  const std::uint32_t comm_size_;
  std::uint64_t base_ = 0;
  std::uint64_t unit_ = 1;
  std::uint64_t pending_ = none;  // first call of the runs that have not started, in units
  std::vector<ActiveRun> active_;
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
