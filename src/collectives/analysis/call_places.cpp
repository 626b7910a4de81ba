#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/traffic.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

// Maximum number of ranks for which member lists are built, because larger numbers in a file are not
// credible.
constexpr std::uint64_t max_listed_ranks = std::uint64_t{1} << 20;
// Limit on the members of all communicators of a lead together: 128 MiB.
constexpr std::uint64_t max_listed_members = std::uint64_t{1} << 25;

const std::vector<std::uint32_t> no_members;

constexpr auto first_call = [](const auto& part) { return part.calls.first; };

}  // namespace

CallPlaces::CallPlaces(const Profile& profile, const Lead& lead)
    : lead_(lead), members_(lead.communicators.size()) {
  for (std::size_t k = 0; k < lead.communicators.size(); ++k) {
    counted_elsewhere_.push_back(is_counted_elsewhere(profile, lead, lead.communicators[k]));
    for (const Communicator::Calls& calls : lead.communicators[k].calls)
      for (const NumberList::Run& run : calls.ids.runs())
        communicator_calls_[calls.operation.index()].push_back({run, k});
  }
  for (auto& on_communicators : communicator_calls_) std::ranges::sort(on_communicators, {}, first_call);
  if (lead.rank == 0) {
    const std::uint32_t world_size = known_world_size(profile);
    world_.resize(world_size <= max_listed_ranks ? world_size : 0);
    std::iota(world_.begin(), world_.end(), 0U);
  }
}

CallPlace CallPlaces::unknown_place(std::uint32_t comm_size) const {
  return {.members = comm_size == world_.size() ? &world_ : &no_members};
}

CallPlace CallPlaces::place(std::size_t communicator, std::uint32_t comm_size) const {
  CallPlace place{.communicator = &lead_.communicators[communicator],
                  .members = nullptr,
                  .calls = {},
                  .counted_elsewhere = counted_elsewhere_[communicator]};
  const bool fits = place.communicator->members.size() == comm_size && expand_members(communicator);
  place.members = fits ? &members_[communicator] : unknown_place(comm_size).members;
  return place;
}

// Lists members only when calls on the communicator are found: a short file can contain many large
// communicators without calls.
bool CallPlaces::expand_members(std::size_t communicator) const {
  std::vector<std::uint32_t>& list = members_[communicator];
  const NumberList& numbers = lead_.communicators[communicator].members;
  if (list.size() == numbers.size()) return true;
  if (numbers.max() >= max_listed_ranks || numbers.size() > max_listed_ranks ||
      numbers.size() > max_listed_members - listed_members_)
    return false;
  list.reserve(numbers.size());
  numbers.for_each([&](std::uint64_t number) { list.push_back(static_cast<std::uint32_t>(number)); });
  listed_members_ += numbers.size();
  return true;
}

CallPlace CallPlaces::of_communicator(std::uint32_t id, std::uint32_t comm_size) const {
  const auto found = std::ranges::find(lead_.communicators, id, &Communicator::id);
  if (found == lead_.communicators.end()) return unknown_place(comm_size);
  return place(static_cast<std::size_t>(found - lead_.communicators.begin()), comm_size);
}

std::vector<CallPlace> CallPlaces::of(const Signature& signature) const {
  const std::vector<CommunicatorCalls>& on_communicators = communicator_calls_[signature.operation.index()];
  std::map<std::size_t, NumberList> calls_on;
  NumberList elsewhere;
  for (const NumberList::Run& run : signature.calls.runs()) {
    std::uint64_t next = run.first;
    bool done = false;
    auto part = std::ranges::upper_bound(on_communicators, run.first, {}, first_call);
    if (part != on_communicators.begin()) --part;
    for (; !done && part != on_communicators.end() && part->calls.first <= run.last; ++part) {
      if (part->calls.last < next) continue;
      const std::uint64_t first = std::max(next, part->calls.first);
      const std::uint64_t last = std::min(run.last, part->calls.last);
      if (first > last) continue;
      if (first > next) elsewhere.append({next, first - 1});
      calls_on[part->communicator].append({first, last});
      done = last == run.last;
      next = last + 1;
    }
    if (!done) elsewhere.append({next, run.last});
  }
  std::vector<CallPlace> places;
  for (auto& [communicator, calls] : calls_on) {
    places.push_back(place(communicator, signature.comm_size));
    places.back().calls = std::move(calls);
  }
  if (!elsewhere.empty()) {
    places.push_back(unknown_place(signature.comm_size));
    places.back().calls = std::move(elsewhere);
  }
  return places;
}

std::map<std::uint32_t, std::vector<CallPlace>> CallPlaces::by_remote_size(const Signature& signature) const {
  std::map<std::uint32_t, std::vector<CallPlace>> groups;
  for (CallPlace& place : of(signature)) groups[place.remote_size()].push_back(std::move(place));
  return groups;
}

CallPlace CallPlaces::of_call(const Signature& signature, std::uint64_t call) const {
  for (CallPlace& place : of(signature))
    if (place.calls.contains(call)) return place;
  return unknown_place(signature.comm_size);
}

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
