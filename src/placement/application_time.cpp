#include "placement/application_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <plimsoll/collectives/call_places.hpp>
#include <plimsoll/collectives/traffic_matrix.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::placement {

namespace {

using collectives::Lead;
using collectives::Profile;
using collectives::RankValues;

/// Time that one rank spent in one collective.
struct Interval {
  double begin_s = 0;
  double end_s = 0;
};

void check(const RankValues& values, const Lead& lead) {
  if (values.values.size() != values.calls.size() * values.comm_size)
    throw support::bad_input(fmt::format(
        "invalid times of lead rank {}: {} values for {} calls on {} ranks, expected one per call and rank",
        lead.rank, values.values.size(), values.calls.size(), values.comm_size));
}

const RankValues* execution_of(const Lead& lead, const RankValues& begin) {
  const auto found = std::ranges::find_if(lead.execution_s, [&](const RankValues& values) {
    return values.operation == begin.operation && values.communicator == begin.communicator &&
           values.comm_size == begin.comm_size;
  });
  return found == lead.execution_s.end() ? nullptr : &*found;
}

void add_intervals(const collectives::CallPlaces& places, const RankValues& begin,
                   const RankValues& execution, std::vector<std::vector<Interval>>& of_rank) {
  const std::vector<std::uint32_t>& ranks =
      *places.of_communicator(begin.communicator, begin.comm_size).members;
  if (ranks.size() != begin.comm_size || std::ranges::max(ranks) >= of_rank.size()) return;
  std::unordered_map<std::uint64_t, std::size_t> place_of_call;
  for (std::size_t k = 0; k < execution.calls.size(); ++k) place_of_call.emplace(execution.calls[k], k);
  for (std::size_t call = 0; call < begin.calls.size(); ++call) {
    const auto place = place_of_call.find(begin.calls[call]);
    if (place == place_of_call.end()) continue;
    for (std::size_t k = 0; k < ranks.size(); ++k) {
      const double begin_s = begin.values[call * ranks.size() + k];
      const double end_s = begin_s + execution.values[place->second * ranks.size() + k];
      if (std::isfinite(end_s)) of_rank[ranks[k]].push_back({begin_s, end_s});
    }
  }
}

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
  const Profile sized{.world_size = static_cast<std::uint32_t>(of_rank.size())};
  for (const Lead& lead : profile.leads) {
    const collectives::CallPlaces places(sized, lead);
    for (const RankValues& begin : lead.begin_s) {
      const RankValues* execution = execution_of(lead, begin);
      if (execution == nullptr) continue;
      check(begin, lead);
      check(*execution, lead);
      add_intervals(places, begin, *execution, of_rank);
    }
  }
  if (std::ranges::none_of(of_rank, [](const auto& intervals) { return intervals.size() > 1; })) return {};
  std::vector<double> times_s;
  times_s.reserve(of_rank.size());
  for (std::vector<Interval>& intervals : of_rank) times_s.push_back(time_between(intervals));
  return times_s;
}

}  // namespace plimsoll::placement
