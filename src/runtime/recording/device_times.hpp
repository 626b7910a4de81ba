#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Times that the device of this rank, such as a GPU, has worked for the objects, in seconds by slot. The
/// program adds them when it knows them. That may be after the end of the phase in which the work began: such
/// times are late.
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
  }

  /// Returns whether the program has added no time in this phase.
  bool empty() const { return now_s_.empty() && late_s_ == 0; }
  /// Returns the time of this phase that is known in this phase.
  double time_s(std::size_t slot) const { return at(now_s_, slot); }
  /// Returns the load that is expected in the next phase: the time of this phase. If times of the phase
  /// before were late, those of this phase may be late too, and the longer time of both phases counts.
  double load_s(std::size_t slot) const {
    return late_s_ == 0 ? at(now_s_, slot) : std::max(at(now_s_, slot), at(before_s_, slot));
  }
  /// Returns the sum of the late times that were added in this phase.
  double late_s() const { return late_s_; }

  /// Begins the next phase. `is_used` returns whether a slot still has the same object.
  template <class IsUsed>
  void end_phase(const IsUsed& is_used) {
    before_s_ = std::exchange(now_s_, {});
    late_s_ = 0;
    for (std::size_t slot = 0; slot < before_s_.size(); ++slot)
      if (!is_used(slot)) before_s_[slot] = 0;
  }

 private:
  static void add(std::vector<double>& times_s, std::size_t slot, double time_s) {
    if (slot >= times_s.size()) times_s.resize(slot + 1);
    times_s[slot] += time_s;
  }
  static double at(const std::vector<double>& times_s, std::size_t slot) {
    return slot < times_s.size() ? times_s[slot] : 0;
  }

  std::vector<double> now_s_;
  std::vector<double> before_s_;  // of the phase before, including late times
  double late_s_ = 0;
};

}  // namespace plimsoll::runtime
