#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include <plimsoll/collectives/patterns.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Removes calls from the front of the timeline.
class Cursor {
 public:
  explicit Cursor(const std::vector<RepeatedCycle>& timeline) : timeline_(timeline) {}

  /// Adds the next `calls` calls to the totals of their patterns.
  void take(std::uint64_t calls, std::map<std::size_t, std::uint64_t>& calls_of) {
    while (calls > 0 && cycle_ < timeline_.size()) {
      const auto& [pattern, length] = timeline_[cycle_].cycle[place_];
      const std::uint64_t taken = std::min(calls, length - used_);
      calls_of[pattern] += taken;
      calls -= taken;
      used_ += taken;
      if (used_ == length) next();
    }
  }

 private:
  void next() {
    used_ = 0;
    if (++place_ < timeline_[cycle_].cycle.size()) return;
    place_ = 0;
    if (++repeat_ < timeline_[cycle_].repeats) return;
    repeat_ = 0;
    ++cycle_;
  }

  const std::vector<RepeatedCycle>& timeline_;
  std::size_t cycle_ = 0;
  std::uint64_t repeat_ = 0;
  std::size_t place_ = 0;
  std::uint64_t used_ = 0;
};

}  // namespace

std::vector<std::size_t> dominant_patterns(const LeadPatterns& lead, std::size_t columns) {
  std::vector<std::size_t> patterns;
  Cursor cursor(lead.timeline);
  columns = std::min<std::uint64_t>(columns, lead.calls);
  for (std::uint64_t column = 0; column < columns; ++column) {
    std::map<std::size_t, std::uint64_t> calls_of;
    cursor.take(lead.calls / columns + (column < lead.calls % columns ? 1 : 0), calls_of);
    if (calls_of.empty()) break;
    patterns.push_back(
        std::ranges::max_element(calls_of, {}, [](const auto& entry) { return entry.second; })->first);
  }
  return patterns;
}

}  // namespace plimsoll::collectives
