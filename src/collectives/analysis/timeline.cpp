#include "collectives/analysis/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/traces.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "collectives/analysis/typed_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

std::int64_t to_ns(double seconds) {
  return std::llround(seconds * 1e9);
}

/// Bytes that each rank of a communicator sends or receives in one call of a count set.
std::vector<std::uint64_t> bytes_by_rank(const Signature& signature, const Side& side,
                                         std::uint32_t remote_size) {
  std::vector<std::uint64_t> bytes(signature.comm_size);
  for (const TypedRow& row : rows_of(signature, side, remote_size))
    row.ranks.for_each([&, of_row = row.bytes()](std::uint64_t rank) { bytes.at(rank) = of_row; });
  return bytes;
}

class CallBytes {
 public:
  CallBytes(const Lead& lead, Operation operation) {
    for (const Signature& signature : lead.signatures)
      if (signature.operation == operation)
        for (const NumberList::Run& run : signature.calls.runs()) runs_.push_back({run, &signature});
    std::ranges::sort(runs_, {}, first_call);
  }

  void add_to(TraceCall& call, std::uint64_t id, std::uint32_t comm_rank, std::uint32_t remote_size) {
    const auto after = std::ranges::upper_bound(runs_, id, {}, first_call);
    if (after == runs_.begin() || std::prev(after)->calls.last < id) return;
    const Signature* const signature = std::prev(after)->signature;
    if (comm_rank >= signature->comm_size) return;
    const auto [found, is_new] = bytes_.try_emplace({signature, remote_size});
    if (is_new)
      found->second = {bytes_by_rank(*signature, signature->send, remote_size),
                       bytes_by_rank(*signature, signature->recv, remote_size)};
    call.sent_bytes = found->second.sent[comm_rank];
    call.received_bytes = found->second.received[comm_rank];
  }

 private:
  struct Run {
    NumberList::Run calls;
    const Signature* signature;
  };
  static std::uint64_t first_call(const Run& run) { return run.calls.first; }
  struct Bytes {
    std::vector<std::uint64_t> sent;
    std::vector<std::uint64_t> received;
  };

  std::vector<Run> runs_;
  std::map<std::pair<const Signature*, std::uint32_t>, Bytes> bytes_;  // by remote size, too
};

class TimelineBuilder {
 public:
  explicit TimelineBuilder(std::uint32_t ranks) : by_rank_(ranks) {}

  void add(const TimedCall& timed) {
    TraceCall& call = by_rank_.at(timed.rank).emplace_back();
    const std::int64_t begin_ns = to_ns(timed.begin_s);
    origin_ns_ = std::min(origin_ns_, begin_ns);
    call.operation = timed.operation;
    call.communicator = communicator_of(timed);
    call.call = timed.call;
    // Relative to MPI_Init, which may be later: add_tracks() subtracts the origin.
    call.begin_ns = static_cast<std::uint64_t>(begin_ns);
    call.end_ns =
        call.begin_ns + static_cast<std::uint64_t>(std::max<std::int64_t>(to_ns(timed.duration_s), 0));
    bytes_.try_emplace({timed.lead, timed.operation.index()}, *timed.lead, timed.operation)
        .first->second.add_to(call, timed.call, timed.comm_rank, remote_size(call.communicator));
    ++timeline_.calls;
  }

  Timeline take() {
    for (std::uint32_t rank = 0; rank < by_rank_.size(); ++rank) add_tracks(rank);
    return std::move(timeline_);
  }

 private:
  std::uint32_t remote_size(std::uint32_t communicator) const {
    return static_cast<std::uint32_t>(timeline_.communicators[communicator].remote_members.size());
  }

  std::uint32_t communicator_of(const TimedCall& timed) {
    const auto [found, is_new] = communicators_.try_emplace(
        {timed.lead, timed.communicator}, static_cast<std::uint32_t>(timeline_.communicators.size()));
    if (is_new) {
      TraceCommunicator communicator = {timed.lead->rank, timed.communicator, {}, {}};
      for (const Communicator& known : timed.lead->communicators) {
        if (known.id != timed.communicator) continue;
        communicator.members = known.members.numbers();
        communicator.remote_members = known.remote_members.numbers();
      }
      // Without members, only calls on MPI_COMM_WORLD have known ranks.
      if (communicator.members.empty()) communicator.members = NumberList::up_to(by_rank_.size()).numbers();
      timeline_.communicators.push_back(std::move(communicator));
    }
    return found->second;
  }

  /// Places each call on the first track whose last call has ended.
  void add_tracks(std::uint32_t rank) {
    std::vector<TraceCall>& calls = by_rank_[rank];
    for (TraceCall& call : calls)
      for (std::uint64_t* time_ns : {&call.begin_ns, &call.end_ns})
        *time_ns -= static_cast<std::uint64_t>(origin_ns_);
    std::ranges::stable_sort(calls, {}, &TraceCall::begin_ns);
    const std::size_t first_track = timeline_.tracks.size();
    timeline_.tracks.push_back({rank, 0, {}});
    for (const TraceCall& call : calls) {
      timeline_.end_ns = std::max(timeline_.end_ns, call.end_ns);
      std::size_t track = first_track;
      while (track < timeline_.tracks.size() && !ends_before(timeline_.tracks[track], call)) ++track;
      if (track == timeline_.tracks.size())
        timeline_.tracks.push_back({rank, static_cast<std::uint32_t>(track - first_track), {}});
      timeline_.tracks[track].calls.push_back(call);
    }
    calls = {};
  }

  /// Returns whether a call can follow the last call of a track. The conversion to the clock of rank 0 may
  /// shift a call before the end of its predecessor by a small part of its length: then that ends earlier.
  static bool ends_before(Track& track, const TraceCall& call) {
    if (track.calls.empty()) return true;
    TraceCall& last = track.calls.back();
    const std::uint64_t tolerance_ns = 1000 + (last.end_ns - last.begin_ns) / 1000;
    if (call.begin_ns < last.begin_ns || call.begin_ns + tolerance_ns < last.end_ns) return false;
    last.end_ns = std::min(last.end_ns, call.begin_ns);
    return true;
  }

  std::vector<std::vector<TraceCall>> by_rank_;
  std::map<std::pair<const Lead*, std::uint32_t>, std::uint32_t> communicators_;
  std::map<std::pair<const Lead*, std::size_t>, CallBytes> bytes_;
  std::int64_t origin_ns_ = 0;
  Timeline timeline_;
};

using support::JsonWriter;

std::string microseconds(std::uint64_t ns) {
  return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

std::string call_event(const Track& track, const TraceCall& call, const TraceCommunicator& communicator) {
  std::string text;
  JsonWriter(text)
      .begin_object()
      .member("name", call.operation.name())
      .member("cat", "collective")
      .member("ph", "X")
      .key("ts")
      .raw(microseconds(call.begin_ns))
      .key("dur")
      .raw(microseconds(call.end_ns - call.begin_ns))
      .member("pid", track.rank)
      .member("tid", track.thread)
      .key("args")
      .begin_object()
      .member("lead", communicator.lead)
      .member("communicator", communicator.id)
      .member("call", call.call)
      .end_object()
      .end_object();
  return text;
}

template <class Value>
std::string rank_event(std::uint32_t rank, const char* name, const char* key, const Value& value) {
  std::string text;
  JsonWriter(text)
      .begin_object()
      .member("name", name)
      .member("ph", "M")
      .member("pid", rank)
      .key("args")
      .begin_object()
      .member(key, value)
      .end_object()
      .end_object();
  return text;
}

}  // namespace

Timeline timeline_of(const RecordedRun& run) {
  std::vector<std::string> hosts = rank_hosts(run);
  TimelineBuilder builder(static_cast<std::uint32_t>(hosts.size()));
  for_each_timed_call(run.profile(), [&](const TimedCall& call) { builder.add(call); });
  Timeline timeline = builder.take();
  if (timeline.calls == 0) throw no_timed_calls();
  timeline.hosts = std::move(hosts);
  return timeline;
}

std::uint64_t write_chrome_trace(const RecordedRun& run, const std::function<void(std::string_view)>& sink) {
  const Timeline timeline = timeline_of(run);
  const char* separator = "[\n";
  const auto write = [&](const std::string& event) {
    sink(separator + event);
    separator = ",\n";
  };
  for (std::uint32_t rank = 0; rank < timeline.hosts.size(); ++rank) {
    const std::string host = timeline.hosts[rank].empty() ? "" : fmt::format(" ({})", timeline.hosts[rank]);
    write(rank_event(rank, "process_name", "name", fmt::format("rank {}{}", rank, host)));
    write(rank_event(rank, "process_sort_index", "sort_index", rank));
  }
  for (const Track& track : timeline.tracks)
    for (const TraceCall& call : track.calls)
      write(call_event(track, call, timeline.communicators[call.communicator]));
  sink("\n]\n");
  return timeline.calls;
}

}  // namespace plimsoll::collectives
