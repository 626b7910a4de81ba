#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <plimsoll/collectives/calls.hpp>

#include "collectives/analysis/typed_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Returns the ranks' values in one call; empty if unknown.
std::span<const double> values_of(const std::vector<RankValues>& recorded, Operation operation,
                                  std::uint64_t call) {
  for (const RankValues& values : recorded) {
    if (!(values.operation == operation)) continue;
    if (const auto found = values.find(call); !found.empty()) return found;
  }
  return {};
}

std::optional<double> longest(std::span<const double> times_s) {
  if (times_s.empty()) return std::nullopt;
  double longest_s = 0;
  for (const double time_s : times_s)
    if (std::isfinite(time_s)) longest_s = std::max(longest_s, time_s);
  return longest_s;
}

std::optional<double> waiting(std::span<const double> late_arrival_s) {
  if (late_arrival_s.empty()) return std::nullopt;
  double waited_s = 0;
  for (const double wait_s : late_arrival_s)
    if (std::isfinite(wait_s)) waited_s += std::max(0.0, wait_s);
  return waited_s;
}

void accumulate(std::optional<double>& total, std::optional<double> part) {
  if (part) total = total.value_or(0) + *part;
}

class CallLister {
 public:
  CallLister(const Lead& lead, const LeadPatterns* patterns, const CallPlaces& places)
      : lead_(lead), places_(places) {
    if (patterns == nullptr) return;
    for (const Pattern& pattern : patterns->patterns) number_of_.emplace(pattern.shape, number_of_.size());
  }

  void add(const Signature& signature) {
    for (const CallPlace& place : places_.of(signature))
      if (!place.counted_elsewhere) add(signature, place);
  }

  void add(const Signature& signature, const CallPlace& place) {
    const Spread sent = bytes_per_rank(signature, Direction::send, place.remote_size());
    const Spread received = bytes_per_rank(signature, Direction::recv, place.remote_size());
    const std::size_t pattern = pattern_of(signature, place.remote_size());
    for (const NumberList::Run& run : place.calls.runs())
      runs_.push_back({.lead = &lead_,
                       .signature = &signature,
                       .communicator = place.communicator,
                       .first = run.first,
                       .last = run.last,
                       .calls = run.size(),
                       .bytes_per_call = sent.sum,
                       .imbalance_sent = sent.imbalance(),
                       .imbalance_received = received.imbalance(),
                       .pattern = pattern});
  }

  /// Returns calls in order of IDs, with equal consecutive calls joined.
  std::vector<CallRun> joined(bool with_times) {
    std::ranges::stable_sort(runs_, {}, &CallRun::first);
    std::vector<CallRun> joined;
    for (const CallRun& run : runs_) {
      if (!joined.empty() && joined.back().signature == run.signature &&
          joined.back().communicator == run.communicator) {
        joined.back().last = run.last;
        joined.back().calls += run.calls;
      } else {
        joined.push_back(run);
      }
    }
    if (with_times) add_times(joined);
    return joined;
  }

  /// Returns single calls that have values in `recorded`.
  std::vector<CallRun> apart(const std::vector<RankValues>& recorded) const {
    std::vector<CallRun> calls;
    for (const CallRun& run : runs_) {
      for (const RankValues& values : recorded) {
        if (!(values.operation == run.signature->operation)) continue;
        for (auto id = std::ranges::lower_bound(values.calls, run.first);
             id != values.calls.end() && *id <= run.last; ++id) {
          CallRun call = run;
          call.first = call.last = *id;
          call.calls = 1;
          call.time_s = longest(values_of(lead_.execution_s, values.operation, *id));
          call.waited_s = waiting(values_of(lead_.late_arrival_s, values.operation, *id));
          calls.push_back(call);
        }
      }
    }
    return calls;
  }

 private:
  std::size_t pattern_of(const Signature& signature, std::uint32_t remote_size) const {
    const auto found = number_of_.find(shape_of(signature, remote_size));
    return found == number_of_.end() ? 0 : found->second;
  }

  void add_times(std::vector<CallRun>& joined) const {
    const auto add_all = [&](const std::vector<RankValues>& recorded, auto value,
                             std::optional<double> CallRun::*total) {
      for (const RankValues& values : recorded) {
        if (joined.empty() || !(values.operation == joined.front().signature->operation)) continue;
        for (const std::uint64_t id : values.calls) {
          auto run = std::ranges::upper_bound(joined, id, {}, &CallRun::first);
          if (run == joined.begin()) continue;
          --run;
          if (id <= run->last) accumulate((*run).*total, value(values_of(recorded, values.operation, id)));
        }
      }
    };
    add_all(lead_.execution_s, longest, &CallRun::time_s);
    add_all(lead_.late_arrival_s, waiting, &CallRun::waited_s);
  }

  const Lead& lead_;
  const CallPlaces& places_;
  std::map<Shape, std::size_t> number_of_;  // number of each pattern
  std::vector<CallRun> runs_;
};

const LeadPatterns* patterns_of(const std::vector<LeadPatterns>& patterns, const Lead& lead,
                                Operation operation) {
  const auto found = std::ranges::find_if(patterns, [&](const LeadPatterns& candidate) {
    return candidate.job == lead.job && candidate.lead == lead.rank && candidate.operation == operation;
  });
  return found == patterns.end() ? nullptr : &*found;
}

std::vector<double> copy(std::span<const double> values) {
  return {values.begin(), values.end()};
}

const Signature* having(const std::vector<Signature>& signatures, Operation operation, std::uint64_t call) {
  const auto found = std::ranges::find_if(signatures, [&](const Signature& signature) {
    return signature.operation == operation && signature.calls.contains(call);
  });
  return found == signatures.end() ? nullptr : &*found;
}

CallDetail detail(const Lead& lead, const Signature& signature, const CallPlaces& places, std::uint64_t id,
                  const LeadPatterns* patterns) {
  CallLister lister(lead, patterns, places);
  CallPlace place = places.of_call(signature, id);
  place.calls = {};
  place.calls.push_back(id);
  lister.add(signature, place);
  CallDetail result{.call = lister.joined(false).front()};
  result.displacements = having(lead.displacements, signature.operation, id);
  result.members = *place.members;
  result.times_s = copy(values_of(lead.execution_s, signature.operation, id));
  result.late_arrival_s = copy(values_of(lead.late_arrival_s, signature.operation, id));
  result.begin_s = copy(values_of(lead.begin_s, signature.operation, id));
  result.call.time_s = longest(result.times_s);
  result.call.waited_s = waiting(result.late_arrival_s);
  for (const Backtrace& backtrace : lead.backtraces)
    if (backtrace.operation == signature.operation &&
        std::ranges::any_of(backtrace.contexts,
                            [&](const Backtrace::Context& context) { return context.calls.contains(id); }))
      result.backtraces.push_back(&backtrace);
  return result;
}

// Maximum number of ranks for which member lists are built, because larger numbers in a file are not
// credible.
constexpr std::uint64_t max_listed_ranks = std::uint64_t{1} << 20;
// Limit on the members of all communicators of a lead together: 128 MiB.
constexpr std::uint64_t max_listed_members = std::uint64_t{1} << 25;

const std::vector<std::uint32_t> no_members;

constexpr auto first_call = [](const auto& part) { return part.calls.first; };

void check(const RankValues& values, const Lead& lead) {
  if (values.values.size() != values.calls.size() * values.comm_size)
    throw support::bad_input(fmt::format(
        "invalid times of lead rank {}: {} values for {} calls on {} ranks, expected one per call and rank",
        lead.rank, values.values.size(), values.calls.size(), values.comm_size));
}

void visit_calls(const Lead& lead, const RankValues& begin, const RankValues& execution,
                 const std::vector<std::uint32_t>& ranks,
                 const std::function<void(const TimedCall&)>& visit) {
  for (std::size_t call = 0; call < begin.calls.size(); ++call) {
    const std::span<const double> durations_s = execution.find(begin.calls[call]);
    if (durations_s.empty()) continue;
    for (std::size_t k = 0; k < ranks.size(); ++k) {
      const TimedCall timed = {.lead = &lead,
                               .operation = begin.operation,
                               .communicator = begin.communicator,
                               .call = begin.calls[call],
                               .rank = ranks[k],
                               .comm_rank = static_cast<std::uint32_t>(k),
                               .begin_s = begin.of_call(call)[k],
                               .duration_s = durations_s[k]};
      if (std::isfinite(timed.begin_s + timed.duration_s)) visit(timed);
    }
  }
}

}  // namespace

std::vector<CallRun> list_calls(const Profile& profile, const std::vector<LeadPatterns>& patterns,
                                CallOrder order) {
  std::vector<CallRun> calls;
  for (const Lead& lead : profile.leads) {
    const CallPlaces places(profile, lead);
    for (std::size_t k = 0; k < Operation::count; ++k) {
      CallLister lister(lead, patterns_of(patterns, lead, Operation::at(k)), places);
      bool any = false;
      for (const Signature& signature : lead.signatures)
        if (signature.operation == Operation::at(k)) {
          lister.add(signature);
          any = true;
        }
      if (!any) continue;
      const std::vector<CallRun> listed = order == CallOrder::by_time   ? lister.apart(lead.execution_s)
                                          : order == CallOrder::by_wait ? lister.apart(lead.late_arrival_s)
                                                                        : lister.joined(true);
      calls.insert(calls.end(), listed.begin(), listed.end());
    }
  }
  if (order == CallOrder::by_bytes)
    std::ranges::stable_sort(calls, std::greater(), &CallRun::bytes_per_call);
  else if (order == CallOrder::by_time)
    std::ranges::stable_sort(calls, std::greater(),
                             [](const CallRun& call) { return call.time_s.value_or(0); });
  else if (order == CallOrder::by_wait)
    std::ranges::stable_sort(calls, std::greater(),
                             [](const CallRun& call) { return call.waited_s.value_or(0); });
  return calls;
}

std::vector<CallDetail> find_call(const Profile& profile, const std::vector<LeadPatterns>& patterns,
                                  std::uint32_t lead_rank, std::uint64_t call) {
  std::vector<CallDetail> found;
  bool leads = false;
  for (const Lead& lead : profile.leads) {
    if (lead.rank != lead_rank) continue;
    leads = true;
    const CallPlaces places(profile, lead);
    for (const Signature& signature : lead.signatures)
      if (signature.calls.contains(call))
        found.push_back(
            detail(lead, signature, places, call, patterns_of(patterns, lead, signature.operation)));
  }
  if (!found.empty()) return found;
  throw support::usage_error(
      leads ? fmt::format("call {} of lead rank {} is not in this profile", call, lead_rank)
            : fmt::format("rank {} is not a lead rank in this profile", lead_rank),
      "use plimsoll collectives calls to list all calls");
}

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
  list = numbers.numbers<std::uint32_t>();
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

void for_each_timed_call(const Profile& profile, const std::function<void(const TimedCall&)>& visit) {
  const Profile sized{.world_size = known_world_size(profile)};
  for (const Lead& lead : profile.leads) {
    const CallPlaces places(sized, lead);
    for (const RankValues& begin : lead.begin_s) {
      const RankValues* execution = find_values(lead.execution_s, begin.operation, begin.communicator);
      if (execution == nullptr || execution->comm_size != begin.comm_size) continue;
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
