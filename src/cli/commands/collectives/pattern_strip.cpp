#include "cli/commands/collectives/pattern_strip.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace plimsoll::cli {

namespace {

char letter(std::size_t pattern) {
  constexpr const char* letters = "0123456789abcdefghijklmnopqrstuvwxyz";
  return pattern < 36 ? letters[pattern] : '+';
}

/// Takes so many calls off the front of the timeline.
class Cursor {
 public:
  explicit Cursor(const std::vector<collectives::Stretch>& timeline) : timeline_(timeline) {}

  /// Adds the next calls to those of each pattern.
  void take(std::uint64_t calls, std::map<std::size_t, std::uint64_t>& calls_of) {
    while (calls > 0 && stretch_ < timeline_.size()) {
      const auto& [pattern, length] = timeline_[stretch_].cycle[place_];
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
    if (++place_ < timeline_[stretch_].cycle.size()) return;
    place_ = 0;
    if (++repeat_ < timeline_[stretch_].repeats) return;
    repeat_ = 0;
    ++stretch_;
  }

  const std::vector<collectives::Stretch>& timeline_;
  std::size_t stretch_ = 0;
  std::uint64_t repeat_ = 0;
  std::size_t place_ = 0;
  std::uint64_t used_ = 0;
};

}  // namespace

std::string pattern_strip(const collectives::LeadPatterns& lead, std::size_t width) {
  std::string strip;
  Cursor cursor(lead.timeline);
  const std::uint64_t columns = std::min<std::uint64_t>(width, lead.calls);
  const std::uint64_t base = columns == 0 ? 0 : lead.calls / columns;
  const std::uint64_t rest = columns == 0 ? 0 : lead.calls % columns;
  for (std::uint64_t column = 0; column < columns; ++column) {
    std::map<std::size_t, std::uint64_t> calls_of;
    cursor.take(base + (column < rest ? 1 : 0), calls_of);
    if (calls_of.empty()) break;
    strip +=
        letter(std::ranges::max_element(calls_of, {}, [](const auto& entry) { return entry.second; })->first);
  }
  return strip;
}

}  // namespace plimsoll::cli
