#include "collectives/mpi_calls/site_callers.hpp"

#include <fmt/format.h>

#include <limits>

#include "collectives/mpi_calls/json_values.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using support::JsonView;

// Above the depth that the profiler records, so that other writers may record more.
constexpr std::size_t max_locations = 256;

MpiCalls::Stack read_stack(const JsonView& from) {
  MpiCalls::Stack stack;
  const JsonView locations = from.at("locations");
  locations.for_each_element(
      [&](const JsonView& location) { stack.locations.emplace_back(location.text()); });
  if (stack.locations.empty() || stack.locations.size() > max_locations)
    throw locations.error(
        fmt::format("{} locations: expected 1 to {}", stack.locations.size(), max_locations));
  stack.calls =
      static_cast<std::uint64_t>(from.at("calls").whole_number(1, std::numeric_limits<std::int64_t>::max()));
  stack.time_s = seconds_of(from.at("time_s"));
  stack.sent_bytes = if_known(from, "sent_bytes", count_of);
  stack.received_bytes = if_known(from, "received_bytes", count_of);
  stack.waited_s = if_known(from, "waited_s", seconds_of);
  return stack;
}

}  // namespace

std::vector<MpiCalls::Stack> read_callers(const JsonView& from, const MpiCalls::Site& site) {
  std::vector<MpiCalls::Stack> stacks;
  const auto callers = from.find("callers");
  if (!callers || callers->is_null()) return stacks;
  std::uint64_t calls_left = site.calls;
  callers->for_each_element([&](const JsonView& element) {
    MpiCalls::Stack& stack = stacks.emplace_back(read_stack(element));
    if (stack.calls > calls_left)
      throw callers->error(fmt::format("more calls than the {} of the site", site.calls));
    calls_left -= stack.calls;
    if (stacks.size() > MpiCalls::max_stacks)
      throw callers->error(fmt::format("more than {} stacks", MpiCalls::max_stacks));
  });
  return stacks;
}

void write_callers(support::JsonWriter& json, const MpiCalls::Site& site) {
  if (site.callers.empty()) return;
  json.key("callers").begin_array();
  for (const MpiCalls::Stack& stack : site.callers)
    json.begin_object()
        .key("locations")
        .values(stack.locations)
        .member("calls", stack.calls)
        .member("time_s", stack.time_s)
        .member("sent_bytes", stack.sent_bytes)
        .member("received_bytes", stack.received_bytes)
        .member("waited_s", stack.waited_s)
        .end_object();
  json.end_array();
}

}  // namespace plimsoll::collectives
