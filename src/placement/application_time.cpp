#include "placement/application_time.hpp"

#include <algorithm>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/traffic.hpp>

namespace plimsoll::PLIMSOLL_ABI::placement {

namespace {

/// Time that one rank spent in one collective.
struct Interval {
  double begin_s = 0;
  double end_s = 0;
};

double time_between(std::vector<Interval>& intervals) {
  std::ranges::sort(intervals, {}, &Interval::begin_s);
  double between_s = 0;
  double end_s = intervals.empty() ? 0 : intervals.front().end_s;
  for (const Interval& interval : intervals) {
    between_s += std::max(0.0, interval.begin_s - end_s);
    end_s = std::max(end_s, interval.end_s);
  }
  return between_s;
}

}  // namespace

std::vector<double> application_times(const collectives::Profile& profile) {
  std::vector<std::vector<Interval>> of_rank(collectives::known_world_size(profile));
  collectives::for_each_timed_call(profile, [&](const collectives::TimedCall& call) {
    of_rank[call.rank].push_back({call.begin_s, call.begin_s + call.duration_s});
  });
  if (std::ranges::none_of(of_rank, [](const auto& intervals) { return intervals.size() > 1; })) return {};
  std::vector<double> times_s;
  times_s.reserve(of_rank.size());
  for (std::vector<Interval>& intervals : of_rank) times_s.push_back(time_between(intervals));
  return times_s;
}

}  // namespace plimsoll::placement
