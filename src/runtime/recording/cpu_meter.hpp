#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/runtime/clock.hpp>

namespace plimsoll::inline v0_1::runtime {

/// CPU time of the thread per slot, measured alongside a WorkTimer. Before the timer's current slot changes,
/// charge() adds the CPU time so far to that slot.
class CpuMeter {
 public:
  CpuMeter() : since_(Clock::cpu_nanoseconds()) {}

  void charge(std::uint32_t slot) {
    const std::int64_t now = Clock::cpu_nanoseconds();
    if (slot >= nanoseconds_.size()) nanoseconds_.resize(slot + std::size_t{1});
    nanoseconds_[slot] += now - since_;
    since_ = now;
  }
  double seconds(std::size_t slot) const {
    return slot < nanoseconds_.size() ? 1e-9 * static_cast<double>(nanoseconds_[slot]) : 0;
  }
  std::size_t size() const { return nanoseconds_.size(); }
  /// Discards the time since the last charge().
  void start() { since_ = Clock::cpu_nanoseconds(); }
  void clear() { nanoseconds_.assign(nanoseconds_.size(), 0); }

 private:
  std::int64_t since_;
  std::vector<std::int64_t> nanoseconds_;
};

}  // namespace plimsoll::runtime
