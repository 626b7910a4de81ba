#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/documents/collectives.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/commands.hpp"
#include "cli/commands/collectives/call_detail.hpp"
#include "cli/commands/collectives/documents.hpp"
#include "cli/commands/collectives/profile_input.hpp"
#include "cli/commands/collectives/text_pieces.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/named_option.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using collectives::CallOrder;
using collectives::CallRun;
using support::format_bytes;
using support::format_seconds;
using Align = support::TextTable::Align;

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

constexpr std::size_t max_lines = 50;

std::string ids(const CallRun& run) {
  return run.first == run.last ? std::to_string(run.first) : fmt::format("{}-{}", run.first, run.last);
}

/// Formats the time per call: the average of several calls.
std::string per_call(const std::optional<double>& time_s, const CallRun& run) {
  return time_s ? format_seconds(*time_s / static_cast<double>(run.calls)) : "-";
}

bool has_times(const std::vector<CallRun>& calls, std::optional<double> CallRun::*time) {
  return std::ranges::any_of(calls, [&](const CallRun& run) { return (run.*time).has_value(); });
}

std::vector<CallRun> list(const collectives::Profile& profile,
                          const std::vector<collectives::LeadPatterns>& patterns, CallOrder order) {
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
  const bool with_time = has_times(calls, &CallRun::time_s);
  const bool with_wait = has_times(calls, &CallRun::waited_s);
  std::vector<support::TextTable::Column> columns = {{"lead", Align::right},
                                                     {"operation"},
                                                     {"ids", Align::right},
                                                     {"calls", Align::right},
                                                     {"comm", Align::right},
                                                     {"ranks", Align::right},
                                                     {"pattern", Align::right},
                                                     {"bytes per call", Align::right},
                                                     {"imbalance sent", Align::right},
                                                     {"received", Align::right}};
  if (with_time) columns.push_back({"time per call", Align::right});
  if (with_wait) columns.push_back({"wait per call", Align::right});
  support::TextTable table(columns);
  const std::size_t shown = std::min(calls.size(), top);
  for (std::size_t k = 0; k < shown; ++k) {
    const CallRun& run = calls[k];
    std::vector<std::string> row = {std::to_string(run.lead->rank),
                                    run.signature->operation.name(),
                                    ids(run),
                                    count(run.calls),
                                    run.communicator != nullptr ? std::to_string(run.communicator->id) : "-",
                                    count(run.signature->comm_size),
                                    fmt::format("#{}", run.pattern),
                                    format_bytes(run.bytes_per_call),
                                    imbalance_text(run.imbalance_sent),
                                    imbalance_text(run.imbalance_received)};
    if (with_time) row.push_back(per_call(run.time_s, run));
    if (with_wait) row.push_back(per_call(run.waited_s, run));
    table.add_row(std::move(row));
  }
  std::string output = table.to_string();
  if (calls.size() > shown)
    output += fmt::format("... and {} (--top {} shows all)\n", count(calls.size() - shown, "more line"),
                          calls.size());
  return output;
}

std::string show_one(const CallsOptions& options, const collectives::Profile& profile,
                     const std::vector<collectives::LeadPatterns>& patterns) {
  const LeadNumber name = read_lead_number("--call", options.call);
  const std::vector<collectives::CallDetail> found = find_call(profile, patterns, name.lead, name.number);
  if (found.size() > 1) {
    std::vector<std::string> candidates;
    candidates.reserve(found.size());
    for (const collectives::CallDetail& detail : found)
      candidates.push_back(
          fmt::format("{} of job {}", detail.call.signature->operation.name(), detail.call.lead->job));
    throw support::usage_error(
        fmt::format("ambiguous call {}: matches {}", options.call, fmt::join(candidates, ", ")),
        "use --operation, or specify the files of one job");
  }
  return options.json ? documents::to_json(found.front()) : call_text(found.front(), patterns);
}

}  // namespace

std::string calls_document(const std::vector<CallRun>& calls) {
  return documents::to_json(documents::CallList{calls});
}

Command define_collectives_calls(OptionParser& parser) {
  auto options = std::make_shared<CallsOptions>();
  parser.set_examples(calls_examples);
  add_profile_input(parser, options->input);
  Option call =
      parser.add_option("--call LEAD:ID", options->call, "Show all details of this call, e.g. 0:17");
  add_profile_selection(parser, options->input);
  parser
      .add_option("--sort bytes|time|late", options->sort,
                  "Sort in descending order by bytes per call, time on the\nslowest rank, or wait time for "
                  "late ranks\n[default: by ID]")
      .check(one_of(support::names_of(call_orders)))
      .excludes(call);
  parser.add_option("--top K", options->top, "Show the first K lines\n[default: 50; with --json: all]")
      .excludes(call);
  add_json_option(parser, options->json);
  return [options](Terminal& terminal) {
    const collectives::Profile profile = read_counts(options->input, terminal);
    const std::vector<collectives::LeadPatterns> patterns = find_patterns(profile);
    if (!options->call.empty()) {
      terminal.print(show_one(*options, profile, patterns));
      return 0;
    }
    const std::vector<CallRun> calls = list(profile, patterns, options->order());
    terminal.print(options->json ? documents::to_json(documents::CallList{first(calls, options->top)})
                                 : text(calls, options->top.value_or(max_lines)));
    return 0;
  };
}

}  // namespace plimsoll::cli
