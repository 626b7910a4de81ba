#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <plimsoll/support/internal/text.hpp>

#include "collectives/time_files/time_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

Communicator& communicator_of(Lead& lead, std::uint32_t id) {
  auto place = std::ranges::lower_bound(lead.communicators, id, {}, &Communicator::id);
  if (place == lead.communicators.end() || place->id != id) {
    place = lead.communicators.emplace(place);
    place->id = id;
  }
  return *place;
}

NumberList& calls_of(Communicator& communicator, Operation operation) {
  const auto index = [](const Communicator::Calls& calls) { return calls.operation.index(); };
  auto place = std::ranges::lower_bound(communicator.calls, operation.index(), {}, index);
  if (place == communicator.calls.end() || place->operation != operation) {
    place = communicator.calls.emplace(place);
    place->operation = operation;
  }
  return place->ids;
}

namespace {

/// The well-formed content of a file.
struct Locations {
  std::optional<NumberList> calls;
  std::optional<NumberList> members;
  std::optional<NumberList> pids;
  std::uint64_t pids_line = 0;
  std::vector<std::string> hosts;
  std::uint64_t hosts_line = 0;
};

void read_list(TimeFileText& text, std::string_view what, std::string_view value, const ReadLimits& limits,
               std::optional<NumberList>& list, std::uint64_t largest = UINT64_MAX) {
  if (value.empty()) return;
  list = NumberList::parse(value, limits.max_numbers);
  if (list && list->max() > largest) list.reset();
  if (!list)
    text.malformed(fmt::format("invalid list of {}: expected a list such as \"0-3, 7\"; skipped", what));
}

/// Reads the line "Rank <k>: <host>" of the next rank.
bool read_host(std::string_view line, std::vector<std::string>& hosts) {
  if (!take_field(line, fmt::format("Rank {}:", hosts.size()))) return false;
  if (line.empty()) return false;
  hosts.emplace_back(line);
  return true;
}

std::optional<Locations> read_lines(const FileName& name, TimeFileText& text, const ReadLimits& limits) {
  Locations read;
  bool in_hosts = false;
  while (text.next_filled()) {
    if (const auto id = text.value_of("Communicator ID:")) {
      if (support::parse_number<std::uint32_t>(*id) != name.communicator) {
        text.malformed(
            fmt::format("communicator {} does not match communicator {} in the file name; file skipped",
                        shown(*id), name.communicator));
        return std::nullopt;
      }
    } else if (const auto calls = text.value_of("Calls:")) {
      read_list(text, "calls", *calls, limits, read.calls);
    } else if (const auto members = text.value_of("COMM_WORLD ranks:")) {
      read_list(text, "ranks", *members, limits, read.members, UINT32_MAX);
    } else if (const auto pids = text.value_of("PIDs:")) {
      read.pids_line = text.line_number();
      read_list(text, "process IDs", *pids, limits, read.pids);
    } else if (text.value_of("Hostnames:")) {
      read.hosts_line = text.line_number();
      in_hosts = true;
    } else if (!in_hosts || !read_host(text.line(), read.hosts)) {
      text.malformed(in_hosts
                         ? fmt::format("missing host of rank {}: expected \"Rank {}: HOST\"; line skipped",
                                       read.hosts.size(), read.hosts.size())
                         : "unknown line; skipped");
    }
  }
  return read;
}

/// Sets a part if it is empty. Returns false if it already has a different value.
template <class Part>
bool agree(Part& part, Part read) {
  if (!part.empty()) return read.empty() || part == read;
  part = std::move(read);
  return true;
}

std::vector<std::uint64_t> numbers_of(const NumberList& list) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(list.size());
  list.for_each([&](std::uint64_t number) { numbers.push_back(number); });
  return numbers;
}

}  // namespace

std::string locations_text(const Communicator& communicator, const NumberList& calls) {
  NumberList pids;
  for (const std::uint64_t pid : communicator.pids) pids.push_back(pid);
  std::string text = fmt::format(
      "{}\nCommunicator ID: {}\nCalls: {}\nCOMM_WORLD ranks: {}\nPIDs: {}\nHostnames:\n", version_line,
      communicator.id, calls.to_string(), communicator.members.to_string(), pids.to_string());
  for (std::size_t rank = 0; rank < communicator.hosts.size(); ++rank)
    text += fmt::format("\tRank {}: {}\n", rank, support::printable(communicator.hosts[rank]));
  return text;
}

void read_locations(const FileName& name, TimeFileText& text, Lead& lead, const ReadLimits& limits) {
  text.skip_version();
  std::optional<Locations> read = read_lines(name, text, limits);
  if (!read) return;
  const std::size_t n_hosts = read->hosts.size();
  const std::uint64_t n_ranks = read->members ? read->members->size() : 0;
  if (n_hosts != n_ranks || n_hosts == 0) {
    text.malformed(
        std::max<std::uint64_t>(read->hosts_line, 1),
        fmt::format("hosts of {} ranks, but the communicator has {} ranks; hosts and processes are skipped",
                    n_hosts, n_ranks));
    read->pids.reset();
    read->hosts.clear();
  } else if (read->pids && read->pids->size() != n_ranks) {
    text.malformed(read->pids_line,
                   fmt::format("{} process IDs for {} ranks; skipped", read->pids->size(), n_ranks));
    read->pids.reset();
  }

  Communicator& communicator = communicator_of(lead, name.communicator);
  bool agreed = true;
  if (read->calls) agreed = agree(calls_of(communicator, *name.operation), std::move(*read->calls));
  if (agree(communicator.members, std::move(read->members).value_or(NumberList()))) {
    agreed &= agree(communicator.pids, read->pids ? numbers_of(*read->pids) : std::vector<std::uint64_t>());
    agreed &= agree(communicator.hosts, std::move(read->hosts));
  } else {
    agreed = false;
  }
  if (!agreed)
    text.malformed(1, "another file contains different values for this communicator, which are kept");
}

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
    const auto id = support::parse_number<std::uint32_t>(value.substr(0, end));
    if (!id || end == std::string_view::npos ||
        support::parse_number<std::uint32_t>(value.substr(end + separator.size())) != lead.rank) {
      text.malformed(
          fmt::format("invalid line: expected \"ID: <number>; world rank: {}\"; skipped", lead.rank));
    } else {
      communicator_of(lead, *id);
    }
  }
}

}  // namespace plimsoll::collectives
