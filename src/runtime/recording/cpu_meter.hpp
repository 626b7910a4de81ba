#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/runtime/clock.hpp>

namespace plimsoll::runtime {

/// CPU time of the thread by slot, beside a WorkTimer: whoever changes the timer's current slot charges the
/// CPU time until then to it.
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
  /// Time that went by is nobody's.
  void start() { since_ = Clock::cpu_nanoseconds(); }
  void clear() { nanoseconds_.assign(nanoseconds_.size(), 0); }

 private:
  std::int64_t since_;
  std::vector<std::int64_t> nanoseconds_;
};

}  // namespace plimsoll::runtime
