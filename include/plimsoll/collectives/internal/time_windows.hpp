#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Sums of a time, by windows of the run: all windows have the same length, which doubles when the run
/// outgrows them. Then pairs of windows become one. The memory is constant; adding an interval costs a few
/// ns, or O(windows) if it spans several. Times are in ns since the run began.
class TimeWindows {
 public:
  static constexpr std::size_t max_windows = 64;
  /// Times in ns, by window.
  using Times = std::array<std::uint64_t, max_windows>;

  /// Adds the interval [begin_ns, end_ns), divided among its windows.
  void add(std::uint64_t begin_ns, std::uint64_t end_ns) {
    const std::uint64_t window = begin_ns >> length_bits_;
    if (end_ns >> length_bits_ == window && window < max_windows) [[likely]]
      times_ns_[window] += end_ns - begin_ns;
    else
      divide(begin_ns, end_ns);
  }
  /// Adds a time, distributed evenly over the interval [begin_ns, end_ns), or to one window if it is empty.
  void spread(std::uint64_t time_ns, std::uint64_t begin_ns, std::uint64_t end_ns);
  /// Adds times of the same run.
  void add(TimeWindows other);

  /// Makes the windows as long as those of another one if they are shorter.
  void lengthen_to(const TimeWindows& other);
  void double_length();

  std::uint64_t length_ns() const { return std::uint64_t{1} << length_bits_; }
  const Times& times_ns() const { return times_ns_; }

  /// Returns whether a run can have these windows, which come from a file.
  bool are_possible() const;
  friend bool operator==(const TimeWindows&, const TimeWindows&) = default;

 private:
  void divide(std::uint64_t begin_ns, std::uint64_t end_ns);
  void make_room(std::uint64_t end_ns);

  static constexpr std::uint32_t min_length_bits = 20;  ///< about 1 ms

  std::uint32_t length_bits_ = min_length_bits;  ///< binary logarithm of the length
  Times times_ns_ = {};
};

}  // namespace plimsoll::collectives
