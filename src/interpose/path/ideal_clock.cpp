#include "interpose/path/ideal_clock.hpp"

#include <algorithm>

namespace plimsoll::PLIMSOLL_ABI::interpose {

void IdealClock::start(std::int64_t now_ns, std::int64_t run_begin_ns) {
  left_ns_ = now_ns;
  run_begin_ns_ = run_begin_ns;
}

void IdealClock::run_until(std::int64_t now_ns, Region region) {
  if (!is_paused_) {
    time_ns_ += now_ns - left_ns_;
    parts_.add(since_run_began(left_ns_), since_run_began(now_ns), region);
  }
  left_ns_ = now_ns;
}

void IdealClock::pause(bool paused, std::int64_t now_ns, Region region) {
  run_until(now_ns, region);
  is_paused_ = paused;
}

void IdealClock::begin_call(std::int64_t now_ns, Region region) {
  run_until(now_ns, region);
  begin_ns_ = now_ns;
  begin_time_ns_ = time_ns_;
}

void IdealClock::join(std::int64_t time_ns) {
  time_ns_ = std::max(time_ns_, time_ns);
}

void IdealClock::end_call(std::int64_t now_ns, std::int64_t awaited_ns, Region region) {
  left_ns_ = now_ns;
  const std::int64_t joined_ns = time_ns_ - begin_time_ns_;
  if (joined_ns == 0 || is_paused_) return;
  const std::int64_t until_ns = std::clamp(awaited_ns, std::min(begin_ns_ + joined_ns, now_ns), now_ns);
  parts_.spread(static_cast<std::uint64_t>(joined_ns), since_run_began(begin_ns_), since_run_began(until_ns),
                region);
}

std::uint64_t IdealClock::since_run_began(std::int64_t now_ns) const {
  return static_cast<std::uint64_t>(std::max(std::int64_t{0}, now_ns - run_begin_ns_));
}

}  // namespace plimsoll::interpose
