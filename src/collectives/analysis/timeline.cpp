#include "collectives/analysis/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <plimsoll/collectives/calls.hpp>

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
  for (const TypedRow& row : rows_of(signature, side, remote_size)) {
    std::uint64_t elements = 0;
    row.for_each_count(
        [&](std::uint64_t count, std::uint32_t peers) { elements = add(elements, multiply(count, peers)); });
    row.ranks.for_each([&](std::uint64_t rank) { bytes.at(rank) = multiply(elements, row.type_size); });
  }
  return bytes;
}

/// Finds the bytes of calls of one operation on one lead.
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

/// A call with its begin relative to MPI_Init, which may be later than the call.
struct TimedTraceCall {
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  TraceCall call;
};

class TimelineBuilder {
 public:
  explicit TimelineBuilder(std::uint32_t ranks) : by_rank_(ranks) {}

  void add(const TimedCall& timed) {
    TimedTraceCall& call = by_rank_.at(timed.rank).emplace_back();
    call.begin_ns = to_ns(timed.begin_s);
    call.duration_ns = std::max<std::int64_t>(to_ns(timed.duration_s), 0);
    call.call.operation = timed.operation;
    call.call.communicator = communicator_of(timed);
    call.call.call = timed.call;
    bytes_.try_emplace({timed.lead, timed.operation.index()}, *timed.lead, timed.operation)
        .first->second.add_to(call.call, timed.call, timed.comm_rank, remote_size(call.call.communicator));
    origin_ns_ = std::min(origin_ns_, call.begin_ns);
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
        known.members.for_each([&](std::uint64_t rank) { communicator.members.push_back(rank); });
        known.remote_members.for_each(
            [&](std::uint64_t rank) { communicator.remote_members.push_back(rank); });
      }
      // Without members, only calls on MPI_COMM_WORLD have known ranks.
      if (communicator.members.empty())
        for (std::size_t rank = 0; rank < by_rank_.size(); ++rank) communicator.members.push_back(rank);
      timeline_.communicators.push_back(std::move(communicator));
    }
    return found->second;
  }

  /// Places each call on the first track whose last call has ended.
  void add_tracks(std::uint32_t rank) {
    std::vector<TimedTraceCall>& calls = by_rank_[rank];
    std::ranges::stable_sort(calls, {}, &TimedTraceCall::begin_ns);
    const std::size_t first_track = timeline_.tracks.size();
    timeline_.tracks.push_back({rank, 0, {}});
    for (TimedTraceCall& timed : calls) {
      timed.call.begin_ns = static_cast<std::uint64_t>(timed.begin_ns - origin_ns_);
      timed.call.end_ns = timed.call.begin_ns + static_cast<std::uint64_t>(timed.duration_ns);
      timeline_.end_ns = std::max(timeline_.end_ns, timed.call.end_ns);
      std::size_t track = first_track;
      while (track < timeline_.tracks.size() && !ends_before(timeline_.tracks[track], timed.call)) ++track;
      if (track == timeline_.tracks.size())
        timeline_.tracks.push_back({rank, static_cast<std::uint32_t>(track - first_track), {}});
      timeline_.tracks[track].calls.push_back(timed.call);
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

  std::vector<std::vector<TimedTraceCall>> by_rank_;
  std::map<std::pair<const Lead*, std::uint32_t>, std::uint32_t> communicators_;
  std::map<std::pair<const Lead*, std::size_t>, CallBytes> bytes_;
  std::int64_t origin_ns_ = 0;
  Timeline timeline_;
};

}  // namespace

Timeline timeline_of(const Profile& profile, std::uint32_t ranks) {
  TimelineBuilder builder(ranks);
  for_each_timed_call(profile, [&](const TimedCall& call) { builder.add(call); });
  return builder.take();
}

}  // namespace plimsoll::collectives
