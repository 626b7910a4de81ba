#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/traffic.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

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

/// Visits the calls of one operation on one communicator, whose members have these ranks.
void visit_calls(const Lead& lead, const RankValues& begin, const RankValues& execution,
                 const std::vector<std::uint32_t>& ranks,
                 const std::function<void(const TimedCall&)>& visit) {
  std::unordered_map<std::uint64_t, std::size_t> place_of_call;
  for (std::size_t k = 0; k < execution.calls.size(); ++k) place_of_call.emplace(execution.calls[k], k);
  for (std::size_t call = 0; call < begin.calls.size(); ++call) {
    const auto place = place_of_call.find(begin.calls[call]);
    if (place == place_of_call.end()) continue;
    for (std::size_t k = 0; k < ranks.size(); ++k) {
      const TimedCall timed = {.lead = &lead,
                               .operation = begin.operation,
                               .communicator = begin.communicator,
                               .call = begin.calls[call],
                               .rank = ranks[k],
                               .comm_rank = static_cast<std::uint32_t>(k),
                               .begin_s = begin.values[call * ranks.size() + k],
                               .duration_s = execution.values[place->second * ranks.size() + k]};
      if (std::isfinite(timed.begin_s + timed.duration_s)) visit(timed);
    }
  }
}

}  // namespace

void for_each_timed_call(const Profile& profile, const std::function<void(const TimedCall&)>& visit) {
  const Profile sized{.world_size = known_world_size(profile)};
  for (const Lead& lead : profile.leads) {
    const CallPlaces places(sized, lead);
    for (const RankValues& begin : lead.begin_s) {
      const RankValues* execution = execution_of(lead, begin);
      if (execution == nullptr) continue;
      check(begin, lead);
      check(*execution, lead);
      const std::vector<std::uint32_t>& ranks =
          *places.of_communicator(begin.communicator, begin.comm_size).members;
      if (ranks.size() == begin.comm_size && std::ranges::max(ranks) < sized.world_size)
        visit_calls(lead, begin, *execution, ranks, visit);
    }
  }
}

Error no_timed_calls() {
  return support::bad_input("the profile does not contain times of collective calls", {},
                            "use plimsoll profile --record times to record them");
}

}  // namespace plimsoll::collectives
