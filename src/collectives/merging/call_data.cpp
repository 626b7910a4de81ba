#include <algorithm>

#include "collectives/merging/merge_steps.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Returns the seconds from the origin (rank 0 leaves MPI_Init) to a rank's `local_ns`. The offset of its
/// clock is interpolated linearly from the first comparison with that of rank 0 to the last.
double seconds_since_origin(std::span<const rank_log::ClockRecord> comparisons, std::uint64_t local_ns) {
  // Clocks may start far in the past: long double keeps the nanoseconds, and sums cannot overflow.
  const rank_log::ClockRecord& last = comparisons.back();
  const auto local = static_cast<long double>(local_ns);
  const auto first = static_cast<long double>(comparisons.front().local_ns);
  const auto first_offset = static_cast<long double>(comparisons.front().offset_ns);
  const long double between = static_cast<long double>(last.local_ns) - first;
  const long double part = between > 0 ? std::clamp((local - first) / between, 0.0L, 1.0L) : 0;
  const long double offset = first_offset + part * (static_cast<long double>(last.offset_ns) - first_offset);
  const auto origin = static_cast<long double>(comparisons.front().origin_ns);
  return static_cast<double>((local + offset - origin) * 1e-9L);
}

// Values of the lead's calls, filled rank by rank.
struct TimeTable {
  std::vector<std::uint64_t> indices;  // indices of the calls of the lead, ascending
  std::vector<std::uint32_t> known;    // number of ranks with known times, per call
  RankValues execution_s;
  RankValues begin_s;  // empty if clocks cannot be compared

  void add_calls(const MemberCalls& lead) {
    CallFinder calls(*lead.log, *lead.calls);
    for (const LogTime& time : *lead.times) {
      const LogRun* run = calls.find(time.index);
      if (run == nullptr || (!indices.empty() && indices.back() == time.index)) continue;
      indices.push_back(time.index);
      execution_s.calls.push_back(run->id_of(time.index));
    }
    known.resize(indices.size());
    execution_s.values.resize(indices.size() * execution_s.comm_size);
  }

  void add_rank(std::size_t comm_rank, const MemberCalls& member) {
    std::size_t call = 0;
    for (const LogTime& time : *member.times) {
      while (call < indices.size() && indices[call] < time.index) ++call;
      if (call == indices.size()) return;
      if (indices[call] != time.index || known[call] > comm_rank) continue;
      ++known[call];
      const std::size_t place = call * execution_s.comm_size + comm_rank;
      execution_s.values[place] = static_cast<double>(time.duration_ns) * 1e-9;
      if (!begin_s.values.empty())
        begin_s.values[place] = seconds_since_origin(member.log->clocks, time.begin_ns);
    }
  }
};

/// Returns the ranks whose data a rank needs, or that need its data; nothing if they are unknown.
std::optional<std::vector<std::uint32_t>> neighbors_of(const MemberCalls& member) {
  const LogCommunicator& communicator = *member.communicator;
  if (!communicator.has_neighbors) return std::nullopt;
  std::vector<std::uint32_t> neighbors = communicator.sources;
  neighbors.insert(neighbors.end(), communicator.destinations.begin(), communicator.destinations.end());
  return neighbors;
}

/// Returns when the last of the ranks entered on which each rank depends, for each call and rank; nothing if
/// these ranks are unknown.
std::vector<double> last_arrivals(const RankValues& begin_s, std::span<const MemberCalls> members) {
  std::vector<double> last_s = begin_s.values;
  if (!begin_s.operation.neighborhood) {
    for (std::size_t first = 0; first < last_s.size(); first += members.size()) {
      const auto call = std::span(last_s).subspan(first, members.size());
      std::ranges::fill(call, std::ranges::max(call));
    }
    return last_s;
  }
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    const auto neighbors = neighbors_of(members[rank]);
    if (!neighbors) return {};
    for (std::size_t first = 0; first < last_s.size(); first += members.size())
      for (const std::uint32_t neighbor : *neighbors)
        last_s[first + rank] = std::max(last_s[first + rank], begin_s.values[first + neighbor]);
  }
  return last_s;
}

/// Returns the time that each rank waited in each call: never more than the time that it spent there.
RankValues waits(const TimeTable& table, std::span<const MemberCalls> members) {
  RankValues waits_s = table.begin_s;
  // The other group's times are unknown here.
  const bool one_group = members.front().communicator->remote_size == 0;
  waits_s.values = one_group ? last_arrivals(table.begin_s, members) : std::vector<double>();
  for (std::size_t k = 0; k < waits_s.values.size(); ++k)
    waits_s.values[k] = std::min(waits_s.values[k] - table.begin_s.values[k], table.execution_s.values[k]);
  return waits_s;
}

template <class Value>
void append(std::vector<PerRank<Value>>& list, PerRank<Value> values) {
  if (!values.values.empty()) list.push_back(std::move(values));
}

/// Returns the indices of the lead's calls for which any rank has a hash, ascending.
std::vector<std::uint64_t> hashed_calls(std::span<const MemberCalls> members) {
  std::vector<std::uint64_t> indices;
  for (const MemberCalls& member : members) {
    if (!member.hashes) continue;
    const std::size_t known = indices.size();
    for (const rank_log::CallHash& hash : *member.hashes)
      if (indices.size() == known || indices.back() != hash.index) indices.push_back(hash.index);
    const auto own = indices.begin() + static_cast<std::ptrdiff_t>(known);
    std::inplace_merge(indices.begin(), own, indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  }
  CallFinder calls_of_lead(*members.front().log, *members.front().calls);
  std::erase_if(indices, [&](std::uint64_t index) { return !calls_of_lead.find(index); });
  return indices;
}

}  // namespace

void merge_times(std::span<const MemberCalls> members, Operation operation, std::uint32_t id, Lead& lead) {
  if (std::ranges::any_of(members, [](const MemberCalls& member) { return member.times == nullptr; })) return;
  TimeTable table;
  table.execution_s = {
      .operation = operation, .communicator = id, .comm_size = static_cast<std::uint32_t>(members.size())};
  table.add_calls(members.front());
  if (std::ranges::none_of(members, [](const MemberCalls& member) { return member.log->clocks.empty(); }))
    table.begin_s = table.execution_s;
  for (std::size_t rank = 0; rank < members.size(); ++rank) table.add_rank(rank, members[rank]);
  for (RankValues* values : {&table.execution_s, &table.begin_s})
    values->keep_calls([&](std::size_t call) { return table.known[call] == members.size(); });
  append(lead.late_arrival_s, waits(table, members));
  append(lead.execution_s, std::move(table.execution_s));
  append(lead.begin_s, std::move(table.begin_s));
}

void merge_hashes(std::span<const MemberCalls> members, Operation operation, std::uint32_t id, Lead& lead) {
  const std::vector<std::uint64_t> indices = hashed_calls(members);
  RankHashes merged = {.operation = operation,
                       .communicator = id,
                       .comm_size = static_cast<std::uint32_t>(members.size()),
                       .calls = {},
                       .values = std::vector<DataHashes>(indices.size() * members.size())};
  CallFinder calls_of_lead(*members.front().log, *members.front().calls);
  for (const std::uint64_t index : indices) merged.calls.push_back(calls_of_lead.find(index)->id_of(index));
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    if (!members[rank].hashes) continue;
    std::size_t call = 0;
    for (const rank_log::CallHash& hash : *members[rank].hashes) {
      while (call < indices.size() && indices[call] < hash.index) ++call;
      if (call == indices.size()) break;
      if (indices[call] != hash.index) continue;
      DataHashes& of_rank = merged.values[call * members.size() + rank];
      (hash.received == 1 ? of_rank.received : of_rank.sent) = hash.hash;
    }
  }
  append(lead.hashes, std::move(merged));
}

std::vector<Backtrace> merge_backtraces(const RankLog& lead, const CommunicatorIds& ids, FrameNames& names) {
  using Place = std::pair<std::uint8_t, std::uint32_t>;        // operation, number of the backtrace
  std::map<Place, std::map<std::uint32_t, NumberList>> calls;  // keyed by communicator
  for (const auto& [key, runs] : lead.calls) {
    if (key.subject != rank_log::Subject::backtrace) continue;
    if (!ids.contains(&lead.communicators[key.communicator])) continue;
    for (RunCursor cursor(lead, runs); cursor.run(); cursor.next()) {
      const LogRun& run = *cursor.run();
      NumberList first;
      first.push_back(run.first_id);
      calls[{key.operation, run.item}][key.communicator].append(first, run.count, run.id_step);
    }
  }
  std::vector<Backtrace> backtraces;
  for (const auto& [place, by_communicator] : calls) {
    Backtrace& backtrace = backtraces.emplace_back();
    backtrace.operation = Operation::at(place.first);
    backtrace.program = lead.program;
    backtrace.pid = lead.pid;
    for (const rank_log::Frame& frame : lead.backtraces[place.second])
      backtrace.frames.push_back(names.describe(
          frame.module < lead.modules.size() ? lead.modules[frame.module] : "?", frame.offset));
    for (const auto& [number, of_communicator] : by_communicator)
      backtrace.contexts.push_back({.communicator = ids.at(&lead.communicators[number]),
                                    .comm_rank = 0,
                                    .world_rank = lead.world_rank,
                                    .calls = of_communicator.ascending()});
  }
  return backtraces;
}

}  // namespace plimsoll::collectives
