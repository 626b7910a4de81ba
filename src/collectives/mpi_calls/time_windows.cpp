#include <algorithm>

#include <plimsoll/collectives/internal/time_windows.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

void TimeWindows::add(TimeWindows other) {
  lengthen_to(other);
  other.lengthen_to(*this);
  for (std::size_t window = 0; window < max_windows; ++window) times_ns_[window] += other.times_ns_[window];
}

void TimeWindows::lengthen_to(const TimeWindows& other) {
  while (length_bits_ < other.length_bits_) double_length();
}

void TimeWindows::make_room(std::uint64_t end_ns) {
  while ((end_ns - 1) >> length_bits_ >= max_windows) double_length();
}

void TimeWindows::spread(std::uint64_t time_ns, std::uint64_t begin_ns, std::uint64_t end_ns) {
  end_ns = std::max(end_ns, begin_ns + 1);
  make_room(end_ns);
  while (begin_ns < end_ns) {
    const std::uint64_t window = begin_ns >> length_bits_;
    const std::uint64_t window_end_ns = std::min((window + 1) << length_bits_, end_ns);
    const double part =
        static_cast<double>(window_end_ns - begin_ns) / static_cast<double>(end_ns - begin_ns);
    const auto part_ns = std::min(time_ns, static_cast<std::uint64_t>(part * static_cast<double>(time_ns)));
    times_ns_[window] += part_ns;
    time_ns -= part_ns;
    begin_ns = window_end_ns;
  }
}

void TimeWindows::divide(std::uint64_t begin_ns, std::uint64_t end_ns) {
  if (end_ns <= begin_ns) return;
  make_room(end_ns);
  while (begin_ns < end_ns) {
    const std::uint64_t window = begin_ns >> length_bits_;
    const std::uint64_t window_end_ns = std::min((window + 1) << length_bits_, end_ns);
    times_ns_[window] += window_end_ns - begin_ns;
    begin_ns = window_end_ns;
  }
}

bool TimeWindows::are_possible() const {
  constexpr std::uint32_t max_length_bits = 52;  // 52 days
  return length_bits_ >= min_length_bits && length_bits_ <= max_length_bits &&
         std::ranges::all_of(times_ns_, [](std::uint64_t time_ns) { return time_ns >> 58 == 0; });
}

void TimeWindows::double_length() {
  ++length_bits_;
  for (std::size_t window = 0; window < max_windows / 2; ++window)
    times_ns_[window] = times_ns_[2 * window] + times_ns_[2 * window + 1];
  std::fill(times_ns_.begin() + max_windows / 2, times_ns_.end(), 0);
}

}  // namespace plimsoll::collectives
