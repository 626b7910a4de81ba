#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "collectives/files/call_lists.hpp"
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

struct Locations {
  NumberList calls;
  NumberList members;
  NumberList pids;
  std::uint64_t pids_line = 0;
  std::vector<std::string> hosts;
  std::uint64_t hosts_line = 0;
};

void read_list(TimeFileText& text, std::string_view what, std::string_view value, const ReadLimits& limits,
               NumberList& list, std::uint64_t largest = UINT64_MAX) {
  if (value.empty()) return;
  list = NumberList::parse(value, limits.max_numbers).value_or(NumberList());
  if (!list.empty() && list.max() <= largest) return;
  list = {};
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

/// Returns whether a frame is in a library of the collective profiler, such as liballtoallv_backtrace.so.
bool is_of_the_profiler(std::string_view frame) {
  const std::string_view module = frame.substr(0, frame.find_first_of("( "));
  const std::size_t slash = module.rfind('/');
  const std::string_view file = slash == std::string_view::npos ? module : module.substr(slash + 1);
  return file.starts_with("liballtoall") || file.starts_with("liballgatherv");
}

class BacktraceReader {
 public:
  BacktraceReader(Operation operation, TimeFileText& text, const ReadLimits& limits)
      : text_(text), limits_(limits) {
    trace_.operation = operation;
  }

  Backtrace read() {
    text_.skip_version();
    while (text_.next_filled()) {
      if (const auto program = text_.value_of("stack trace for")) {
        read_program(*program);
      } else if (text_.value_of("# Trace")) {
        in_frames_ = true;
      } else if (text_.value_of("# Context")) {
        end_context();
        in_frames_ = false;
        context_ = Context{text_.line_number(), {}, {}, {}, {}};
      } else if (in_frames_) {
        if (!trace_.frames.empty() || !is_of_the_profiler(text_.line()))
          trace_.frames.emplace_back(text_.line());
      } else if (context_) {
        read_context_line();
      } else {
        text_.malformed("unknown line; skipped");
      }
    }
    end_context();
    return std::move(trace_);
  }

 private:
  struct Context {
    std::uint64_t line = 0;
    std::optional<std::uint32_t> communicator;
    std::optional<std::uint32_t> comm_rank;
    std::optional<std::uint32_t> world_rank;
    std::optional<NumberList> calls;
  };

  void read_program(std::string_view program) {
    constexpr std::string_view key = "pid=";
    const std::size_t end = std::min(program.rfind(key), program.size());
    const auto pid =
        support::parse_number<std::uint64_t>(program.substr(std::min(end + key.size(), program.size())));
    if (!pid) text_.malformed("missing process (\"pid=<number>\") at the end of the line");
    trace_.program = support::without_trailing_spaces(program.substr(0, end));
    trace_.pid = pid.value_or(0);
  }

  void read_context_line() {
    if (const auto communicator = text_.value_of("Communicator:")) {
      context_->communicator = support::parse_number<std::uint32_t>(*communicator);
    } else if (const auto comm_rank = text_.value_of("Communicator rank:")) {
      context_->comm_rank = support::parse_number<std::uint32_t>(*comm_rank);
    } else if (const auto world_rank = text_.value_of("COMM_WORLD rank:")) {
      context_->world_rank = support::parse_number<std::uint32_t>(*world_rank);
    } else if (const auto calls = text_.value_of("Calls:")) {
      context_->calls = NumberList::parse(*calls, limits_.max_numbers);
    } else {
      text_.malformed("unknown line; skipped");
    }
  }

  void end_context() {
    if (!context_) return;
    const Context& read = *context_;
    if (read.communicator && read.comm_rank && read.world_rank && read.calls) {
      trace_.contexts.push_back({*read.communicator, *read.comm_rank, *read.world_rank, *read.calls});
    } else {
      text_.malformed(
          read.line,
          "incomplete context: expected communicator, its rank, rank in COMM_WORLD and calls; skipped");
    }
    context_.reset();
  }

  TimeFileText& text_;
  const ReadLimits& limits_;
  Backtrace trace_;
  std::optional<Context> context_;
  bool in_frames_ = false;
};

/// Returns the sort key of a backtrace: backtraces are numbered by operation and first call.
std::pair<std::size_t, std::uint64_t> order_of(const Backtrace& trace) {
  std::uint64_t first = UINT64_MAX;
  for (const Backtrace::Context& context : trace.contexts) first = std::min(first, context.calls.min());
  return {trace.operation.index(), first};
}

}  // namespace

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

std::string locations_text(const Communicator& communicator, const NumberList& calls) {
  NumberList pids;
  for (const std::uint64_t pid : communicator.pids) pids.push_back(pid);
  std::string text = fmt::format(
      "{}\nCommunicator ID: {}\nCalls: {}\nCOMM_WORLD ranks: {}\nPIDs: {}\nHostnames:\n", version_line,
      communicator.id, list_of_calls(calls), communicator.members.to_string(), pids.to_string());
  for (std::size_t rank = 0; rank < communicator.hosts.size(); ++rank)
    text += fmt::format("\tRank {}: {}\n", rank, support::printable(communicator.hosts[rank]));
  return text;
}

void read_locations(const FileName& name, TimeFileText& text, Lead& lead, const ReadLimits& limits) {
  text.skip_version();
  std::optional<Locations> read = read_lines(name, text, limits);
  if (!read) return;
  const std::size_t n_hosts = read->hosts.size();
  const std::uint64_t n_ranks = read->members.size();
  if (n_hosts != n_ranks || n_hosts == 0) {
    text.malformed(
        std::max<std::uint64_t>(read->hosts_line, 1),
        fmt::format("hosts of {} ranks, but the communicator has {} ranks; hosts and processes are skipped",
                    n_hosts, n_ranks));
    read->pids = {};
    read->hosts.clear();
  } else if (!read->pids.empty() && read->pids.size() != n_ranks) {
    text.malformed(read->pids_line,
                   fmt::format("{} process IDs for {} ranks; skipped", read->pids.size(), n_ranks));
    read->pids = {};
  }

  Communicator& communicator = communicator_of(lead, name.communicator);
  bool agreed = read->calls.empty() || agree(calls_of(communicator, *name.operation), std::move(read->calls));
  const bool same_members = agree(communicator.members, std::move(read->members));
  agreed &= same_members && agree(communicator.pids, read->pids.numbers());
  agreed &= same_members && agree(communicator.hosts, std::move(read->hosts));
  if (!agreed)
    text.malformed(1, "another file contains different values for this communicator, which are kept");
}

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

std::string backtrace_text(const Backtrace& trace) {
  std::string text = fmt::format("{}\nstack trace for {} pid={}\n\n# Trace\n\n", version_line,
                                 support::printable(trace.program), trace.pid);
  for (const std::string& frame : trace.frames) text += support::printable(frame) + '\n';
  text += '\n';
  for (std::size_t k = 0; k < trace.contexts.size(); ++k) {
    const Backtrace::Context& context = trace.contexts[k];
    text += fmt::format(
        "# Context {}\n\nCommunicator: {}\nCommunicator rank: {}\nCOMM_WORLD rank: {}\nCalls: {}\n\n", k,
        context.communicator, context.comm_rank, context.world_rank, list_of_calls(context.calls));
  }
  return text;
}

void read_backtrace(const FileName& name, TimeFileText& text, Lead& lead, const ReadLimits& limits) {
  Backtrace trace = BacktraceReader(*name.operation, text, limits).read();
  if (trace.frames.empty()) {
    text.malformed(1, "call stack without frames; file skipped");
    return;
  }
  const auto place = std::ranges::upper_bound(lead.backtraces, order_of(trace), {}, order_of);
  lead.backtraces.insert(place, std::move(trace));
}

}  // namespace plimsoll::collectives
