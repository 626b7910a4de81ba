#include <fmt/format.h>

#include <string>

#include <plimsoll/collectives/chrome_trace.hpp>
#include <plimsoll/collectives/timed_calls.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::inline v0_1::collectives {

namespace {

using support::JsonWriter;

/// Formats a time in microseconds, to the nanosecond.
std::string microseconds(double seconds) {
  return fmt::format("{:.3f}", seconds * 1e6);
}

std::string call_event(const TimedCall& call) {
  std::string text;
  JsonWriter(text)
      .begin_object()
      .member("name", call.operation.name())
      .member("cat", "collective")
      .member("ph", "X")
      .key("ts")
      .raw(microseconds(call.begin_s))
      .key("dur")
      .raw(microseconds(call.duration_s))
      .member("pid", call.rank)
      .member("tid", 0)
      .key("args")
      .begin_object()
      .member("lead", call.lead->rank)
      .member("communicator", call.communicator)
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
  std::uint64_t calls = 0;
  const char* separator = "[\n";
  const auto write = [&](const std::string& event) {
    sink(separator + event);
    separator = ",\n";
  };
  const std::vector<std::string> hosts = rank_hosts(run);
  for (std::uint32_t rank = 0; rank < hosts.size(); ++rank) {
    const std::string host = hosts[rank].empty() ? "" : fmt::format(" ({})", hosts[rank]);
    write(rank_event(rank, "process_name", "name", fmt::format("rank {}{}", rank, host)));
    write(rank_event(rank, "process_sort_index", "sort_index", rank));
  }
  for_each_timed_call(run.profile(), [&](const TimedCall& call) {
    write(call_event(call));
    ++calls;
  });
  if (calls == 0) throw no_timed_calls();
  sink("\n]\n");
  return calls;
}

}  // namespace plimsoll::collectives
