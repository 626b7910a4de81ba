#include <algorithm>
#include <map>
#include <numeric>

#include <plimsoll/collectives/call_places.hpp>
#include <plimsoll/collectives/traffic_matrix.hpp>

namespace plimsoll::collectives {

namespace {

// Beyond that many ranks a file is not believed so far as to make lists of them.
constexpr std::uint64_t max_listed_ranks = std::uint64_t{1} << 22;

std::vector<std::uint32_t> expanded(const NumberList& numbers) {
  std::vector<std::uint32_t> list;
  if (numbers.size() > max_listed_ranks) return list;
  list.reserve(numbers.size());
  numbers.for_each([&](std::uint64_t number) { list.push_back(static_cast<std::uint32_t>(number)); });
  if (!numbers.empty() && numbers.max() >= max_listed_ranks) list.clear();
  return list;
}

const std::vector<std::uint32_t> no_members;

}  // namespace

CallPlaces::CallPlaces(const Profile& profile, const Lead& lead) : lead_(lead) {
  for (std::size_t k = 0; k < lead.communicators.size(); ++k) {
    members_.push_back(expanded(lead.communicators[k].members));
    for (const Communicator::Calls& calls : lead.communicators[k].calls)
      for (const NumberList::Run& run : calls.ids.runs())
        stretches_[calls.operation.index()].push_back({run, k});
  }
  for (auto& stretches : stretches_)
    std::ranges::sort(stretches, {}, [](const Stretch& stretch) { return stretch.calls.first; });
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
  CallPlace place{.communicator = &lead_.communicators[communicator], .members = &members_[communicator]};
  if (place.members->size() != comm_size) place.members = unknown_place(comm_size).members;
  return place;
}

CallPlace CallPlaces::of_communicator(std::uint32_t id, std::uint32_t comm_size) const {
  const auto found = std::ranges::find(lead_.communicators, id, &Communicator::id);
  if (found == lead_.communicators.end()) return unknown_place(comm_size);
  return place(static_cast<std::size_t>(found - lead_.communicators.begin()), comm_size);
}

std::vector<CallPlace> CallPlaces::of(const Signature& signature) const {
  const std::vector<Stretch>& stretches = stretches_[signature.operation.index()];
  std::map<std::size_t, NumberList> calls_on;
  NumberList elsewhere;
  for (const NumberList::Run& run : signature.calls.runs()) {
    std::uint64_t next = run.first;
    bool done = false;
    auto stretch =
        std::ranges::upper_bound(stretches, run.first, {}, [](const Stretch& s) { return s.calls.first; });
    if (stretch != stretches.begin()) --stretch;
    for (; !done && stretch != stretches.end() && stretch->calls.first <= run.last; ++stretch) {
      if (stretch->calls.last < next) continue;
      const std::uint64_t first = std::max(next, stretch->calls.first);
      const std::uint64_t last = std::min(run.last, stretch->calls.last);
      if (first > last) continue;
      if (first > next) elsewhere.append({next, first - 1});
      calls_on[stretch->communicator].append({first, last});
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

CallPlace CallPlaces::of_call(const Signature& signature, std::uint64_t call) const {
  for (CallPlace& place : of(signature))
    if (place.calls.contains(call)) return place;
  return unknown_place(signature.comm_size);
}

}  // namespace plimsoll::collectives
