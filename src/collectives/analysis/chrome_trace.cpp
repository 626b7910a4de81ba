#include <fmt/format.h>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/traces.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "collectives/analysis/timeline.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using support::JsonWriter;

/// Formats a time in microseconds, to the nanosecond.
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

/// Names the process of a rank, or sets its position on the screen.
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

std::uint64_t write_chrome_trace(const RecordedRun& run, const std::function<void(std::string_view)>& sink) {
  const std::vector<std::string> hosts = rank_hosts(run);
  const Timeline timeline = timeline_of(run.profile(), static_cast<std::uint32_t>(hosts.size()));
  if (timeline.calls == 0) throw no_timed_calls();
  const char* separator = "[\n";
  const auto write = [&](const std::string& event) {
    sink(separator + event);
    separator = ",\n";
  };
  for (std::uint32_t rank = 0; rank < hosts.size(); ++rank) {
    const std::string host = hosts[rank].empty() ? "" : fmt::format(" ({})", hosts[rank]);
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
