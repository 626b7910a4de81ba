#include "collectives/time_files/communicator_data.hpp"

#include <fmt/format.h>

#include <set>

#include "collectives/time_files/lead_communicators.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

std::set<std::uint32_t> communicators_with_data(const Lead& lead, Operation operation) {
  std::set<std::uint32_t> ids;
  for (const auto* all : {&lead.execution_s, &lead.late_arrival_s, &lead.begin_s})
    for (const RankValues& values : *all)
      if (values.operation == operation) ids.insert(values.communicator);
  for (const RankHashes& hashes : lead.hashes)
    if (hashes.operation == operation) ids.insert(hashes.communicator);
  for (const Backtrace& trace : lead.backtraces)
    if (trace.operation == operation)
      for (const Backtrace::Context& context : trace.contexts) ids.insert(context.communicator);
  for (const Communicator& communicator : lead.communicators)
    for (const Communicator::Calls& calls : communicator.calls)
      if (calls.operation == operation && !communicator.hosts.empty()) ids.insert(communicator.id);
  return ids;
}

}  // namespace

std::string communicator_data_text(const Lead& lead, Operation operation) {
  const std::set<std::uint32_t> ids = communicators_with_data(lead, operation);
  if (ids.empty()) return {};
  std::string text = fmt::format("{}\n", version_line);
  for (const std::uint32_t id : ids) text += fmt::format("ID: {}; world rank: {}\n", id, lead.rank);
  return text;
}

void read_communicator_data(TimeFileText& text, Lead& lead) {
  constexpr std::string_view separator = "; world rank: ";
  text.skip_version();
  while (text.next_filled()) {
    const std::string_view value = text.value_of("ID:").value_or(std::string_view());
    const std::size_t end = value.find(separator);
    const auto id = small_number(value.substr(0, end));
    if (!id || end == std::string_view::npos ||
        small_number(value.substr(end + separator.size())) != lead.rank) {
      text.malformed(
          fmt::format("invalid line: expected \"ID: <number>; world rank: {}\"; skipped", lead.rank));
    } else {
      communicator_of(lead, *id);
    }
  }
}

}  // namespace plimsoll::collectives
