#include "collectives/merging/merged_times.hpp"

#include <algorithm>
#include <map>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

// Values of the lead's calls, filled rank by rank.
struct TimeTable {
  std::size_t ranks = 0;
  std::vector<std::uint64_t> indices;  // indices of the calls of the lead, ascending
  std::vector<std::uint64_t> ids;
  std::vector<std::uint32_t> known;  // number of ranks with known times, per call
  std::vector<double> execution_s;   // calls x ranks
  std::vector<double> begin_s;       // calls x ranks; empty if clocks cannot be compared

  void add_calls(const MemberCalls& lead) {
    for (const LogTime& time : *lead.times) {
      const LogRun* run = lead.calls->find(time.index);
      if (run == nullptr || (!indices.empty() && indices.back() == time.index)) continue;
      indices.push_back(time.index);
      ids.push_back(run->id_of(time.index));
    }
  }

  void add_rank(std::size_t comm_rank, const MemberCalls& member, const RankClock* clock) {
    std::size_t call = 0;
    for (const LogTime& time : *member.times) {
      while (call < indices.size() && indices[call] < time.index) ++call;
      if (call == indices.size()) return;
      if (indices[call] != time.index || known[call] > comm_rank) continue;
      ++known[call];
      execution_s[call * ranks + comm_rank] = static_cast<double>(time.duration_ns) * 1e-9;
      if (clock) begin_s[call * ranks + comm_rank] = clock->seconds_since_origin(time.begin_ns);
    }
  }

  void drop_incomplete_calls() {
    std::size_t kept = 0;
    for (std::size_t call = 0; call < ids.size(); ++call) {
      if (known[call] != ranks) continue;
      ids[kept] = ids[call];
      for (std::vector<double>* values : {&execution_s, &begin_s})
        if (!values->empty())
          std::copy_n(values->begin() + static_cast<std::ptrdiff_t>(call * ranks), ranks,
                      values->begin() + static_cast<std::ptrdiff_t>(kept * ranks));
      ++kept;
    }
    ids.resize(kept);
    execution_s.resize(kept * ranks);
    begin_s.resize(begin_s.empty() ? 0 : kept * ranks);
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
std::vector<double> last_arrivals(const TimeTable& table, std::span<const MemberCalls> members,
                                  Operation operation) {
  std::vector<double> last_s = table.begin_s;
  if (!operation.neighborhood) {
    for (std::size_t first = 0; first < last_s.size(); first += table.ranks) {
      const auto call = std::span(last_s).subspan(first, table.ranks);
      std::ranges::fill(call, std::ranges::max(call));
    }
    return last_s;
  }
  for (std::size_t rank = 0; rank < table.ranks; ++rank) {
    const auto neighbors = neighbors_of(members[rank]);
    if (!neighbors) return {};
    for (std::size_t first = 0; first < last_s.size(); first += table.ranks)
      for (const std::uint32_t neighbor : *neighbors)
        last_s[first + rank] = std::max(last_s[first + rank], table.begin_s[first + neighbor]);
  }
  return last_s;
}

/// Returns the time that each rank waited in each call: never more than the time that it spent there.
std::vector<double> waits(const TimeTable& table, std::span<const MemberCalls> members, Operation operation) {
  // The other group's times are unknown here.
  if (members.front().communicator->remote_size > 0) return {};
  std::vector<double> waits_s = last_arrivals(table, members, operation);
  for (std::size_t k = 0; k < waits_s.size(); ++k)
    waits_s[k] = std::min(waits_s[k] - table.begin_s[k], table.execution_s[k]);
  return waits_s;
}

}  // namespace

std::optional<RankClock> RankClock::of(std::span<const rank_log::ClockRecord> comparisons) {
  return comparisons.empty() ? std::nullopt : std::optional(RankClock(comparisons));
}

double RankClock::seconds_since_origin(std::uint64_t local_ns) const {
  // Clocks may start far in the past: long double keeps the nanoseconds, and sums cannot overflow.
  const auto local = static_cast<long double>(local_ns);
  const auto first = static_cast<long double>(first_.local_ns);
  const auto first_offset = static_cast<long double>(first_.offset_ns);
  const long double between = static_cast<long double>(last_.local_ns) - first;
  const long double part = between > 0 ? std::clamp((local - first) / between, 0.0L, 1.0L) : 0;
  const long double offset = first_offset + part * (static_cast<long double>(last_.offset_ns) - first_offset);
  return static_cast<double>((local + offset - static_cast<long double>(first_.origin_ns)) * 1e-9L);
}

MergedTimes merge_times(std::span<const MemberCalls> members, Operation operation, std::uint32_t id) {
  if (std::ranges::any_of(members, [](const MemberCalls& member) { return member.times == nullptr; }))
    return {};
  TimeTable table;
  table.ranks = members.size();
  table.add_calls(members.front());
  std::vector<std::optional<RankClock>> clocks;
  for (const MemberCalls& member : members) clocks.push_back(RankClock::of(member.log->clocks));
  const bool comparable = std::ranges::all_of(clocks, [](const auto& clock) { return clock.has_value(); });
  table.known.resize(table.ids.size());
  table.execution_s.resize(table.ids.size() * table.ranks);
  if (comparable) table.begin_s.resize(table.ids.size() * table.ranks);
  for (std::size_t rank = 0; rank < members.size(); ++rank)
    table.add_rank(rank, members[rank], comparable ? &*clocks[rank] : nullptr);
  table.drop_incomplete_calls();

  const auto values = [&](std::vector<double> numbers) {
    return RankValues{.operation = operation,
                      .communicator = id,
                      .comm_size = static_cast<std::uint32_t>(table.ranks),
                      .calls = numbers.empty() ? std::vector<std::uint64_t>() : table.ids,
                      .values = std::move(numbers)};
  };
  std::vector<double> waits_s = waits(table, members, operation);
  return {values(std::move(table.execution_s)), values(std::move(table.begin_s)), values(std::move(waits_s))};
}

namespace {

/// Returns the indices of the lead's calls for which any rank has a hash, ascending.
std::vector<std::uint64_t> hashed_calls(std::span<const MemberCalls> members) {
  std::vector<std::uint64_t> indices;
  for (const MemberCalls& member : members) {
    if (!member.hashes) continue;
    const std::size_t known = indices.size();
    for (const LogHash& hash : *member.hashes)
      if (indices.size() == known || indices.back() != hash.index) indices.push_back(hash.index);
    const auto own = indices.begin() + static_cast<std::ptrdiff_t>(known);
    std::inplace_merge(indices.begin(), own, indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  }
  const CallRuns& calls_of_lead = *members.front().calls;
  std::erase_if(indices, [&](std::uint64_t index) { return !calls_of_lead.find(index); });
  return indices;
}

}  // namespace

RankHashes merge_hashes(std::span<const MemberCalls> members, Operation operation, std::uint32_t id) {
  const std::vector<std::uint64_t> indices = hashed_calls(members);
  RankHashes merged = {.operation = operation,
                       .communicator = id,
                       .comm_size = static_cast<std::uint32_t>(members.size()),
                       .calls = {},
                       .values = std::vector<DataHashes>(indices.size() * members.size())};
  for (const std::uint64_t index : indices)
    merged.calls.push_back(members.front().calls->find(index)->id_of(index));
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    if (!members[rank].hashes) continue;
    std::size_t call = 0;
    for (const LogHash& hash : *members[rank].hashes) {
      while (call < indices.size() && indices[call] < hash.index) ++call;
      if (call == indices.size()) break;
      if (indices[call] != hash.index) continue;
      DataHashes& of_rank = merged.values[call * members.size() + rank];
      (hash.direction == Direction::send ? of_rank.sent : of_rank.received) = hash.hash;
    }
  }
  return merged;
}

namespace {

void add_ids(const LogRun& run, NumberList& ids) {
  if (run.id_step == 1) {
    ids.append({run.first_id, run.last_id()});
  } else {
    for (std::uint64_t id = run.first_id; id <= run.last_id(); id += run.id_step) ids.push_back(id);
  }
}

}  // namespace

std::vector<Backtrace> merge_backtraces(const RankLog& lead, const CommunicatorIds& ids, FrameNames& names) {
  using Place = std::pair<std::uint8_t, std::uint32_t>;        // operation, number of the backtrace
  std::map<Place, std::map<std::uint32_t, NumberList>> calls;  // keyed by communicator
  for (const auto& [key, runs] : lead.calls) {
    if (key.subject != rank_log::Subject::backtrace) continue;
    if (!ids.contains(&lead.communicators[key.communicator])) continue;
    for (const LogRun& run : runs.runs()) add_ids(run, calls[{key.operation, run.item}][key.communicator]);
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
