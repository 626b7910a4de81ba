#include <map>
#include <set>
#include <tuple>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/patterns.hpp>
#include <plimsoll/documents/collectives.hpp>

#include "cli/commands/collectives/profile.hpp"
#include "cli/commands/report/report_document.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace collectives;

/// Sums over the calls of an operation on a communicator; empty if unknown.
struct RankSums {
  std::optional<double> time_s, max_time_s, waited_s;
};
struct GroupSums {
  std::size_t calls = 0;
  std::vector<RankSums> ranks;
};

/// Operation, empty if unknown, and number of the communicator.
using Group = std::pair<std::string, std::uint32_t>;

void add(std::optional<double>& sum, double part) {
  sum = sum.value_or(0) + part;
}

void add_calls(const RankValues& values, GroupSums& sums, const auto& use) {
  sums.calls = std::max(sums.calls, values.calls.size());
  sums.ranks.resize(std::max<std::size_t>(sums.ranks.size(), values.comm_size));
  for (std::size_t k = 0; (k + 1) * values.comm_size <= values.values.size(); ++k) use(values.of_call(k));
}

void add_times(const RankValues& times, GroupSums& sums) {
  add_calls(times, sums, [&](std::span<const double> of_ranks) {
    for (std::uint32_t rank = 0; rank < times.comm_size; ++rank) {
      const double time_s = of_ranks[rank];
      if (!std::isfinite(time_s)) continue;
      add(sums.ranks[rank].time_s, std::max(0.0, time_s));
      sums.ranks[rank].max_time_s = std::max(sums.ranks[rank].max_time_s.value_or(0), time_s);
    }
  });
}

/// Adds wait times as the summary of a profile does: the last rank of a call waits for nobody.
void add_waits(const RankValues& waits, GroupSums& sums) {
  add_calls(waits, sums, [&](std::span<const double> of_ranks) {
    if (std::ranges::any_of(of_ranks, [](double wait_s) { return !std::isfinite(wait_s); })) return;
    const auto last = std::ranges::min_element(of_ranks) - of_ranks.begin();
    for (std::uint32_t rank = 0; rank < waits.comm_size; ++rank) {
      const bool waits_for_nobody = rank == last && !waits.operation.neighborhood;
      add(sums.ranks[rank].waited_s, waits_for_nobody ? 0.0 : std::max(0.0, of_ranks[rank]));
    }
  });
}

std::map<Group, GroupSums> sums_of(const Lead& lead) {
  std::map<Group, GroupSums> sums;
  for (const RankValues& values : lead.execution_s)
    add_times(values, sums[{values.operation.name(), values.communicator}]);
  for (const RankValues& values : lead.late_arrival_s)
    add_waits(values, sums[{values.operation.name(), values.communicator}]);
  for (const Communicator& communicator : lead.communicators)
    if (std::ranges::none_of(sums, [&](const auto& each) { return each.first.second == communicator.id; }))
      sums.try_emplace({"", communicator.id});
  return sums;
}

auto at(const auto& values, std::size_t k) {
  return k < values.size() ? std::optional(values[k]) : std::nullopt;
}

void write_group(support::JsonWriter& json, const Lead& lead, const Group& group, const GroupSums& sums) {
  const auto communicator = std::ranges::find(lead.communicators, group.second, &Communicator::id);
  const bool is_known = communicator != lead.communicators.end();
  std::vector<std::uint64_t> members;
  if (is_known) communicator->members.for_each([&](std::uint64_t rank) { members.push_back(rank); });
  const std::vector<std::string> hosts = is_known ? communicator->hosts : std::vector<std::string>();
  const std::size_t n_ranks = std::max({sums.ranks.size(), members.size(), hosts.size()});
  for (std::size_t rank = 0; rank < n_ranks; ++rank) {
    const RankSums of_rank = at(sums.ranks, rank).value_or(RankSums());
    json.begin_object()
        .member("job", lead.job)
        .member("lead", lead.rank)
        .member("communicator", group.second)
        .member("operation", group.first.empty() ? std::nullopt : std::optional(group.first))
        .member("rank", rank)
        .member("world_rank", at(members, rank))
        .member("host", at(hosts, rank))
        .member("calls", sums.calls)
        .member("time_s", of_rank.time_s)
        .member("max_time_s", of_rank.max_time_s)
        .member("waited_s", of_rank.waited_s)
        .end_object();
  }
}

/// Writes what a profile without counts knows of the ranks of each communicator: a list with one object per
/// operation, communicator and rank, with their times, wait times and hosts. viewer/src/data/report.ts
/// declares it.
void write_communicator_ranks(support::JsonWriter& json, const Profile& profile) {
  json.begin_array();
  for (const Lead& lead : profile.leads)
    for (const auto& [group, sums] : sums_of(lead)) write_group(json, lead, group, sums);
  json.end_array();
}

// Limits of a page, which browsers open in less than two seconds.
constexpr std::size_t max_details = 500;
constexpr std::size_t max_detail_bytes = std::size_t{4} << 20;
constexpr std::size_t max_timed_calls = 50'000;

/// Job, lead, operation and number of a call.
using CallName = std::tuple<std::uint64_t, std::uint32_t, std::string, std::uint64_t>;

CallName name_of(const CallRun& run) {
  return {run.lead->job, run.lead->rank, run.signature->operation.name(), run.first};
}

struct TimelineCall {
  std::uint64_t job = 0;
  std::uint32_t lead = 0;
  Operation operation;
  std::uint64_t call = 0;
  double begin_s = 0;  ///< when the first rank began it
  double time_s = 0;   ///< time on the slowest rank

  CallName name() const { return {job, lead, operation.name(), call}; }
};

std::vector<TimelineCall> timeline_of(const Profile& profile) {
  std::vector<TimelineCall> calls;
  for_each_timed_call(profile, [&](const TimedCall& part) {
    const bool same = !calls.empty() && calls.back().job == part.lead->job &&
                      calls.back().lead == part.lead->rank && calls.back().call == part.call &&
                      calls.back().operation == part.operation;
    if (!same)
      calls.push_back({.job = part.lead->job,
                       .lead = part.lead->rank,
                       .operation = part.operation,
                       .call = part.call,
                       .begin_s = part.begin_s});
    calls.back().begin_s = std::min(calls.back().begin_s, part.begin_s);
    calls.back().time_s = std::max(calls.back().time_s, part.duration_s);
  });
  return calls;
}

std::map<CallName, double> wait_times(const Profile& profile, const std::vector<LeadPatterns>& patterns) {
  std::map<CallName, double> waited_s;
  for (const CallRun& call : list_calls(profile, patterns, CallOrder::by_wait))
    if (call.waited_s) waited_s[name_of(call)] = *call.waited_s;
  return waited_s;
}

/// Returns the bytes of single calls. Runs of calls on other communicators may interleave, so a run is found
/// by the calls that it contains.
class CallBytes {
 public:
  explicit CallBytes(const std::vector<CallRun>& runs) {
    for (const CallRun& run : runs) runs_[name_of(run)] = &run;
  }
  std::optional<std::uint64_t> of(const CallName& name) const {
    auto run = runs_.upper_bound(name);
    if (run == runs_.begin()) return std::nullopt;
    --run;
    const auto& [job, lead, operation, first] = run->first;
    const bool contains = job == std::get<0>(name) && lead == std::get<1>(name) &&
                          operation == std::get<2>(name) && std::get<3>(name) <= run->second->last;
    return contains ? std::optional(run->second->bytes_per_call) : std::nullopt;
  }

 private:
  std::map<CallName, const CallRun*> runs_;
};

/// Writes the calls over time, or null if times were not recorded. Returns whether calls were omitted.
bool write_timeline(support::JsonWriter& json, const Profile& profile,
                    const std::vector<LeadPatterns>& patterns, const std::vector<CallRun>& runs) {
  std::vector<TimelineCall> calls = timeline_of(profile);
  json.key("timeline");
  if (calls.empty()) {
    json.null();
    return false;
  }
  const bool shortened = calls.size() > max_timed_calls;
  if (shortened) {
    std::ranges::stable_sort(calls, std::ranges::greater{}, &TimelineCall::time_s);
    calls.resize(max_timed_calls);
  }
  std::ranges::stable_sort(calls, {}, &TimelineCall::begin_s);
  const std::map<CallName, double> waited_s = wait_times(profile, patterns);
  const CallBytes bytes(runs);
  std::set<std::string> names;
  for (const TimelineCall& call : calls) names.insert(call.operation.name());
  const std::vector<std::string> operations(names.begin(), names.end());

  const auto column = [&](const char* name, const auto& value) {
    json.key(name).begin_array();
    for (const TimelineCall& call : calls) json.value(std::invoke(value, call));
    json.end_array();
  };
  json.begin_object().key("operation").values(operations);
  column("job", &TimelineCall::job);
  column("lead", &TimelineCall::lead);
  column("operation_of", [&](const TimelineCall& call) {
    return std::ranges::lower_bound(operations, call.operation.name()) - operations.begin();
  });
  column("call", &TimelineCall::call);
  column("begin_s", &TimelineCall::begin_s);
  column("time_s", &TimelineCall::time_s);
  column("waited_s", [&](const TimelineCall& call) {
    const auto found = waited_s.find(call.name());
    return found == waited_s.end() ? std::optional<double>() : found->second;
  });
  column("bytes", [&](const TimelineCall& call) { return bytes.of(call.name()); });
  json.end_object();
  return shortened;
}

/// Returns the calls to show in detail, most important first: the first of each count set, the first of each
/// run of equal calls, and then the others, longest first.
std::vector<CallRun> calls_in_detail(const Profile& profile, const std::vector<LeadPatterns>& patterns,
                                     const std::vector<CallRun>& runs) {
  std::vector<CallRun> calls;
  std::set<CallName> names;
  // One call more than a page shows tells that calls are omitted.
  const auto add = [&](const CallRun& call) {
    if (calls.size() <= max_details && names.insert(name_of(call)).second) calls.push_back(call);
  };
  std::set<const Signature*> seen;
  for (const CallRun& run : runs)
    if (seen.insert(run.signature).second) add(run);
  std::ranges::for_each(runs, add);
  std::ranges::for_each(list_calls(profile, patterns, CallOrder::by_time), add);
  return calls;
}

/// Writes all details of calls, and for each run the position of details with its counts. Returns whether
/// calls were omitted.
bool write_details(support::JsonWriter& json, const Profile& profile,
                   const std::vector<LeadPatterns>& patterns, const std::vector<CallRun>& runs) {
  std::map<const Signature*, std::size_t> positions;
  std::size_t n_written = 0;
  std::size_t n_bytes = 0;
  bool complete = true;
  json.key("details").begin_array();
  for (const CallRun& call : calls_in_detail(profile, patterns, runs)) {
    for (const CallDetail& detail : find_call(profile, patterns, call.lead->rank, call.first)) {
      if (detail.call.signature != call.signature || detail.call.lead != call.lead) continue;
      const std::string text = documents::to_json(detail);
      complete = complete && n_written < max_details && n_bytes + text.size() <= max_detail_bytes;
      if (!complete) break;
      n_bytes += text.size();
      json.raw(text);
      positions.try_emplace(call.signature, n_written++);
    }
    if (!complete) break;
  }
  json.end_array().key("details_of_runs").begin_array();
  for (const CallRun& run : runs) {
    const auto found = positions.find(run.signature);
    json.value(found == positions.end() ? std::optional<std::size_t>() : found->second);
  }
  json.end_array();
  return !complete;
}

void write_if(support::JsonWriter& json, const char* name, bool known, const auto& document) {
  json.key(name);
  if (known)
    json.raw(document());
  else
    json.null();
}

}  // namespace

void write_collectives_section(support::JsonWriter& json, const std::string& path, Terminal& terminal) {
  const RecordedRun run = read_run({path}, terminal);
  const Profile& profile = run.profile();
  const std::vector<LeadPatterns> patterns = find_patterns(profile);
  const std::vector<CallRun> calls = list_calls(profile, patterns);
  json.begin_object().member("kind", "collectives").member("name", path);
  json.key("summary").raw(summary_document({path}, terminal));
  write_if(json, "patterns", run.has_counts(),
           [&] { return documents::to_json(documents::PatternList{&patterns}); });
  write_if(json, "calls", !calls.empty(), [&] { return documents::to_json(documents::CallList{calls}); });
  write_if(json, "matrix", run.has_traffic(), [&] { return documents::to_json(view_traffic(run)); });
  write_if(json, "sites", run.mpi_calls().has_value(), [&] {
    const std::vector<collectives::CallSite> sites = list_call_sites(*run.mpi_calls());
    return documents::to_json(documents::SiteList{sites});
  });
  json.key("communicator_ranks");
  if (run.has_counts())
    json.null();
  else
    write_communicator_ranks(json, profile);
  const bool left_out_details = write_details(json, profile, patterns, calls);
  const bool left_out_times = write_timeline(json, profile, patterns, calls);
  json.key("notes").begin_array();
  if (left_out_details) json.value("Details of some calls are omitted to keep the page small.");
  if (left_out_times)
    json.value(fmt::format("The timeline shows the {} calls that took longest.", max_timed_calls));
  json.end_array().end_object();
}

}  // namespace plimsoll::cli
