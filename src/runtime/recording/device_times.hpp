#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Times that the device of this rank, such as a GPU, has worked for the objects, in seconds by slot. The
/// program adds them when it knows them. That may be after the end of the phase in which the work began: such
/// times are late. Late times of an object that has migrated come to the rank that it has left, so that its
/// expected load migrates with it.
class DeviceTimes {
 public:
  /// Adds time of this phase. Amortised O(1).
  void add(std::uint32_t slot, double time_s) { add(now_s_, slot, time_s); }
  /// Adds time of work that began `n_phases` (>= 1) phases ago. Slot 0: the object has left this rank.
  void add_late(std::uint32_t slot, double time_s, std::int64_t n_phases) {
    late_s_ += time_s;
    if (n_phases == 1 && slot > 0) add(before_s_, slot, time_s);
  }
  /// Discards the times of a slot.
  void clear(std::uint32_t slot) {
    for (std::vector<double>* times_s : {&now_s_, &before_s_})
      if (slot < times_s->size()) (*times_s)[slot] = 0;
    for (SlotTimes* times_s : {&arrived_s_, &arrived_before_s_}) times_s->erase(slot);
  }
  /// Adds an object that comes to this rank with this expected time, which late_load_s() was on its last
  /// rank.
  void arrive(std::uint32_t slot, double time_s) {
    if (time_s > 0) arrived_s_[slot] = time_s;
  }

  /// Returns whether no time of this rank is known or expected.
  bool empty() const {
    return now_s_.empty() && late_s_ == 0 && arrived_s_.empty() && arrived_before_s_.empty();
  }
  /// Returns the time of this phase that is known in this phase.
  double time_s(std::size_t slot) const { return at(now_s_, slot); }
  /// Returns the load that is expected in the next phase: the time of this phase. If times of the phase
  /// before were late, or the object has come with late times, those of this phase may be late too, and the
  /// longest time that is known counts.
  double load_s(std::size_t slot) const {
    const double here_s = late_s_ == 0 ? at(now_s_, slot) : std::max(at(now_s_, slot), at(before_s_, slot));
    return std::max({here_s, at(arrived_s_, slot), at(arrived_before_s_, slot)});
  }
  /// Returns load_s() if the times of the last phase may be late, otherwise 0.
  double late_load_s(std::size_t slot) const {
    const bool is_late =
        late_s_ > 0 || late_before_s_ > 0 || at(arrived_s_, slot) > 0 || at(arrived_before_s_, slot) > 0;
    return is_late ? std::max(load_s(slot), at(before_s_, slot)) : 0;
  }
  /// Returns the sum of the late times that were added in this phase.
  double late_s() const { return late_s_; }

  /// Begins the next phase. `is_used` returns whether a slot still has the same object.
  template <class IsUsed>
  void end_phase(const IsUsed& is_used) {
    before_s_ = std::exchange(now_s_, {});
    late_before_s_ = std::exchange(late_s_, 0);
    // Objects may arrive before or after the end of a phase; their first phase here is a full one.
    arrived_before_s_ = std::exchange(arrived_s_, {});
    for (std::size_t slot = 0; slot < before_s_.size(); ++slot)
      if (!is_used(slot)) before_s_[slot] = 0;
    std::erase_if(arrived_before_s_, [&](const auto& arrived) { return !is_used(arrived.first); });
  }

 private:
  using SlotTimes = std::unordered_map<std::size_t, double>;

  static void add(std::vector<double>& times_s, std::size_t slot, double time_s) {
    if (slot >= times_s.size()) times_s.resize(slot + 1);
    times_s[slot] += time_s;
  }
  static double at(const std::vector<double>& times_s, std::size_t slot) {
    return slot < times_s.size() ? times_s[slot] : 0;
  }
  static double at(const SlotTimes& times_s, std::size_t slot) {
    const auto found = times_s.find(slot);
    return found == times_s.end() ? 0 : found->second;
  }

  std::vector<double> now_s_;
  std::vector<double> before_s_;  // of the phase before, including late times
  double late_s_ = 0;
  double late_before_s_ = 0;    // in the phase before
  SlotTimes arrived_s_;         // expected times of objects that came in this phase or at its end
  SlotTimes arrived_before_s_;  // the same of the phase before
};

}  // namespace plimsoll::runtime
