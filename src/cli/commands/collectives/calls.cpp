#include <fmt/ranges.h>

#include <numeric>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/documents/collectives.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/commands.hpp"
#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace collectives;
using support::format_bytes;
using support::format_seconds;

constexpr support::Named<CallOrder> call_orders[] = {
    {"bytes", CallOrder::by_bytes}, {"time", CallOrder::by_time}, {"late", CallOrder::by_wait}};

struct CallsOptions {
  ProfileInput input;
  std::string call;
  std::string sort;
  std::optional<std::size_t> top;
  bool json = false;

  CallOrder order() const {
    return sort.empty() ? CallOrder::by_id : support::value_of(call_orders, sort, "order");
  }
};

constexpr const char* calls_examples =
    R"(  plimsoll collectives calls                    all calls, one line per run of equal calls
  plimsoll collectives calls run1 --sort late --top 5
  plimsoll collectives calls run1 --call 0:17   all details of call 17 led by rank 0
  plimsoll collectives calls run1 --json | jq '.calls[] | select(.pattern == 2)')";

// Limits of the text output; --json contains everything.
constexpr std::size_t max_ranks_shown = 32;
constexpr std::size_t max_numbers = 64;
constexpr std::size_t max_ranks = 20;

std::string indented_more(std::size_t shown, std::size_t all) {
  return all > shown ? "  " + more(shown, all) : "";
}

std::string rank_list(const NumberList& ranks) {
  const std::string list = ranks.to_string();
  return list.size() <= 60
             ? list
             : fmt::format("{}, ... ({} ranks)", list.substr(0, list.rfind(',', 50)), count(ranks.size()));
}

std::string side_text(const char* title, const Signature& signature, Direction direction) {
  const Side& side = side_of(signature, direction);
  std::string text =
      fmt::format("\n{} (elements of {}{} B)\n", title, side.type_size,
                  side.type_sizes.empty() ? "" : " B on the lead rank, other sizes on some ranks");
  const std::size_t shown = std::min(side.matrix.rows(), max_ranks_shown);
  for (std::size_t k = 0; k < shown; ++k) {
    const auto row = side.matrix.row(k);
    text += fmt::format("  {} {}: {}{}{}\n", side.matrix.ranks[k].size() == 1 ? "rank" : "ranks",
                        rank_list(side.matrix.ranks[k]),
                        fmt::join(row.first(std::min(row.size(), max_numbers)), " "),
                        has_one_count(signature, direction) ? " per peer" : "",
                        row.size() > max_numbers ? fmt::format(" ... ({} numbers)", count(row.size())) : "");
  }
  return text + indented_more(shown, side.matrix.rows());
}

/// Returns the ranks of the communicator: the latest first if arrivals are known, otherwise in order.
std::vector<std::size_t> ranks_in_order(const CallDetail& detail) {
  std::vector<std::size_t> ranks(detail.call.signature->comm_size);
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  if (detail.begin_s.size() == ranks.size())
    std::ranges::stable_sort(ranks, std::greater(), [&](std::size_t rank) { return detail.begin_s[rank]; });
  else if (detail.late_arrival_s.size() == ranks.size())
    std::ranges::stable_sort(ranks, {}, [&](std::size_t rank) { return detail.late_arrival_s[rank]; });
  return ranks;
}

std::string rank_table(const CallDetail& detail) {
  static const std::vector<std::string> no_hosts;
  const auto& hosts = detail.call.communicator != nullptr ? detail.call.communicator->hosts : no_hosts;
  const bool with_times = !detail.times_s.empty();
  const bool in_order = detail.late_arrival_s.empty() && detail.begin_s.empty();
  if (hosts.empty() && !with_times && in_order && detail.members.empty()) return "";
  const auto value = [](const auto& values, const auto& format) {
    return [&values, format](std::size_t rank) { return rank < values.size() ? format(values[rank]) : "-"; };
  };
  const auto host = [&](std::size_t rank) { return rank < hosts.size() ? hosts[rank] : ""; };
  const auto number = [](std::size_t rank) { return std::to_string(rank); };
  const std::vector<std::size_t> ranks = ranks_in_order(detail);
  return (in_order ? "\nRanks\n" : "\nRanks, latest first\n") +
         table_of<std::size_t>(
             first(ranks, max_ranks),
             {{"rank", Align::right, number},
              {"world rank", Align::right, value(detail.members, number)},
              {"host", Align::left, host, !hosts.empty()},
              {"entered at", Align::right, value(detail.begin_s, format_seconds), !detail.begin_s.empty()},
              {"time in call", Align::right, value(detail.times_s, format_seconds), with_times},
              {"waited", Align::right, value(detail.late_arrival_s, format_seconds),
               !detail.late_arrival_s.empty()}}) +
         indented_more(max_ranks, ranks.size());
}

std::string communicator_text(const CallDetail& detail) {
  const Communicator* communicator = detail.call.communicator;
  std::string text =
      communicator != nullptr ? fmt::format("communicator {}", communicator->id) : "an unknown communicator";
  text += fmt::format(" of {}", count(detail.call.signature->comm_size, "rank"));
  if (communicator != nullptr && !communicator->remote_members.empty())
    text += fmt::format(" to {}", count(communicator->remote_members.size(), "rank"));
  return text;
}

std::string backtrace_text(const CallDetail& detail) {
  std::string text;
  for (const Backtrace* backtrace : detail.backtraces) {
    text += fmt::format("\nCalled from {}\n", support::printable(backtrace->program));
    for (const std::string& frame : backtrace->frames) text += "  " + support::printable(frame) + "\n";
  }
  return text;
}

std::string call_text(const CallDetail& detail, const std::vector<collectives::LeadPatterns>& patterns) {
  const CallRun& call = detail.call;
  std::string text = fmt::format("Call {} of {} led by rank {}, on {}: {} sent, pattern #{}\n", call.first,
                                 call.signature->operation.name(), call.lead->rank, communicator_text(detail),
                                 support::format_bytes(call.bytes_per_call), call.pattern);
  for (const LeadPatterns& lead : patterns)
    if (lead.job == call.lead->job && lead.lead == call.lead->rank &&
        lead.operation == call.signature->operation)
      for (const std::string& sentence : sentences(lead.patterns[call.pattern].shape))
        text += "  " + sentence + "\n";
  text += fmt::format("Imbalance of bytes sent: {}, of bytes received: {}.\n",
                      imbalance_text(call.imbalance_sent), imbalance_text(call.imbalance_received));
  if (call.time_s)
    text += fmt::format("The slowest rank spent {} in this call.\n", format_seconds(*call.time_s));
  if (call.waited_s)
    text += fmt::format("Total time waiting for the last rank: {}.\n", format_seconds(*call.waited_s));
  text += rank_table(detail);
  text += side_text("Send counts", *call.signature, Direction::send) +
          side_text("Receive counts", *call.signature, Direction::recv);
  if (detail.displacements != nullptr)
    text += side_text("Send displacements", *detail.displacements, Direction::send) +
            side_text("Receive displacements", *detail.displacements, Direction::recv);
  return text + backtrace_text(detail);
}

constexpr std::size_t max_lines = 50;

std::string ids(const CallRun& run) {
  return run.first == run.last ? std::to_string(run.first) : fmt::format("{}-{}", run.first, run.last);
}

std::string per_call(const std::optional<double>& time_s, const CallRun& run) {
  return time_s ? format_seconds(*time_s / static_cast<double>(run.calls)) : "-";
}

bool has_times(const std::vector<CallRun>& calls, std::optional<double> CallRun::*time) {
  return std::ranges::any_of(calls, [&](const CallRun& run) { return (run.*time).has_value(); });
}

std::vector<CallRun> list(const Profile& profile, const std::vector<collectives::LeadPatterns>& patterns,
                          CallOrder order) {
  std::vector<CallRun> calls = list_calls(profile, patterns, order);
  if (calls.empty() && order == CallOrder::by_time)
    throw support::bad_input("the profile contains no times of calls", {},
                             "use plimsoll profile --record counts,times to record them");
  if (calls.empty() && order == CallOrder::by_wait)
    throw support::bad_input("the profile contains no wait times", {},
                             "use plimsoll profile --record counts,late-arrival to record them");
  return calls;
}

std::string text(const std::vector<CallRun>& calls, std::size_t top) {
  const auto communicator = [](const CallRun& run) {
    return run.communicator != nullptr ? std::to_string(run.communicator->id) : "-";
  };
  std::string output = table_of<CallRun>(
      first(calls, top),
      {{"lead", Align::right, [](const auto& run) { return std::to_string(run.lead->rank); }},
       {"operation", Align::left, [](const auto& run) { return run.signature->operation.name(); }},
       {"ids", Align::right, ids},
       {"calls", Align::right, [](const auto& run) { return count(run.calls); }},
       {"comm", Align::right, communicator},
       {"ranks", Align::right, [](const auto& run) { return count(run.signature->comm_size); }},
       {"pattern", Align::right, [](const auto& run) { return fmt::format("#{}", run.pattern); }},
       {"bytes per call", Align::right, [](const auto& run) { return format_bytes(run.bytes_per_call); }},
       {"imbalance sent", Align::right, [](const auto& run) { return imbalance_text(run.imbalance_sent); }},
       {"received", Align::right, [](const auto& run) { return imbalance_text(run.imbalance_received); }},
       {"time per call", Align::right, [](const auto& run) { return per_call(run.time_s, run); },
        has_times(calls, &CallRun::time_s)},
       {"wait per call", Align::right, [](const auto& run) { return per_call(run.waited_s, run); },
        has_times(calls, &CallRun::waited_s)}});
  if (calls.size() > top)
    output += fmt::format("... and {} (--top {} shows all)\n", count(calls.size() - top, "more line"),
                          calls.size());
  return output;
}

std::string show_one(const CallsOptions& options, const Profile& profile,
                     const std::vector<collectives::LeadPatterns>& patterns) {
  const LeadNumber name = read_lead_number("--call", options.call);
  const std::vector<collectives::CallDetail> found = find_call(profile, patterns, name.lead, name.number);
  const auto description = [](const CallDetail& detail) {
    return fmt::format("{} of job {}", detail.call.signature->operation.name(), detail.call.lead->job);
  };
  if (found.size() > 1)
    throw support::usage_error(
        fmt::format("ambiguous call {}: matches {}", options.call, joined(found, ", ", description)),
        "use --operation, or specify the files of one job");
  return options.json ? documents::to_json(found.front()) : fitted(call_text(found.front(), patterns));
}

}  // namespace

Command define_collectives_calls(OptionParser& parser) {
  auto options = begin_command<CallsOptions>(parser, calls_examples);
  add_profile_input(parser, options->input);
  Option call =
      parser.add_option("--call LEAD:ID", options->call, "Show all details of this call, e.g. 0:17");
  add_profile_selection(parser, options->input);
  parser
      .add_option("--sort bytes|time|late", options->sort,
                  "Sort in descending order by bytes per call, time on the slowest rank, or wait time for "
                  "late ranks [default: by ID]")
      .one_of(support::names_of(call_orders))
      .excludes(call);
  parser.add_option("--top K", options->top, "Show the first K lines [default: 50; with --json: all]")
      .excludes(call);
  add_json_option(parser, options->json);
  return [options](Terminal& terminal) {
    const Profile profile = read_counts(options->input, terminal);
    const std::vector<collectives::LeadPatterns> patterns = find_patterns(profile);
    if (!options->call.empty()) {
      terminal.print(show_one(*options, profile, patterns));
      return 0;
    }
    const std::vector<CallRun> calls = list(profile, patterns, options->order());
    if (options->json)
      documents::write_json(documents::CallList{first(calls, options->top)}, terminal.printer());
    else
      terminal.print(fitted(text(calls, options->top.value_or(max_lines))));
    return 0;
  };
}

}  // namespace plimsoll::cli
