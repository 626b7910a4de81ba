#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <plimsoll/collectives/summary.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/format.hpp>
#include <plimsoll/support/table.hpp>

#include "cli/collectives/summary_json.hpp"
#include "cli/collectives_input.hpp"
#include "cli/commands.hpp"
#include "cli/input_options.hpp"
#include "cli/integer_option.hpp"
#include "cli/text.hpp"

namespace plimsoll::cli {

namespace {

using collectives::RankSummary;
using collectives::Summary;
using support::format_bytes;
using support::format_percentage;
using support::format_seconds;
using Align = support::TextTable::Align;

struct SummaryCommandOptions {
  CollectivesInput input;
  collectives::SummaryOptions summary;
  bool json = false;
};

constexpr const char* examples =
    R"(  plimsoll collectives summary                        of the profile in this folder
  plimsoll collectives summary run1 --operation Alltoallv
  plimsoll collectives summary run1 --bins 64,1024,65536 --threshold 1024
  plimsoll collectives summary run1 --json | jq .sent.imbalance)";

// What the tables show at most; --json has all.
constexpr std::size_t max_rows = 20;
constexpr std::size_t max_late_ranks = 10;

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

std::string what_moved(const Summary& summary) {
  if (summary.calls == 0) return "This profile has no counts.\n";
  std::vector<std::string> operations;
  for (const auto& operation : summary.operations)
    operations.push_back(fmt::format("{} {}", count(operation.calls), operation.operation.name()));
  std::string text =
      summary.operations.size() == 1
          ? fmt::format("{} of {}", count(summary.calls, "call"), summary.operations[0].operation.name())
          : fmt::format("{} ({})", count(summary.calls, "call"), fmt::join(operations, ", "));
  if (summary.world_size > 0) text += fmt::format(" on {}", count(summary.world_size, "rank"));
  const auto& messages = summary.sent.message_bytes;
  text += fmt::format(" sent {} in {}", format_bytes(summary.sent.bytes()),
                      count(messages.nonzero.values, "message"));
  return text +
         (messages.zeros() > 0 ? fmt::format(" and {} empty ones.\n", count(messages.zeros())) : ".\n");
}

std::string how_evenly(const Summary& summary, const char* verb, std::uint64_t RankSummary::*bytes,
                       const Terminal& terminal) {
  const collectives::TrafficBalance balance = balance_of(summary, bytes);
  if (balance.ranks == 0) return "";
  std::string text = fmt::format("Bytes {}: imbalance ", verb) +
                     terminal.paint(Colour::bold, imbalance_text(balance.imbalance()));
  if (balance.max == balance.min)
    return text +
           fmt::format(" ({} on each of {}).\n", format_bytes(balance.max), count(balance.ranks, "rank"));
  return text + fmt::format(" (most on rank {}: {}, least on rank {}: {}, mean {}).\n", balance.max_rank,
                            format_bytes(balance.max), balance.min_rank, format_bytes(balance.min),
                            bytes_text(balance.mean()));
}

std::string time_in_calls(const Summary& summary) {
  if (summary.timed_calls == 0) return "";
  return fmt::format("Time in {}: {} of all ranks together, {} at most of one in one call.\n",
                     count(summary.timed_calls, "call"), format_seconds(summary.time_s),
                     format_seconds(summary.max_time_s));
}

std::string what_waiting_cost(const Summary& summary) {
  if (summary.arrival_calls == 0) return "Waiting: not known, since arrivals were not recorded.\n";
  std::string text = fmt::format("Waiting for the latest rank: {} in {}", format_seconds(summary.waited_s),
                                 count(summary.arrival_calls, "call"));
  const std::vector<std::uint32_t> late = late_ranks(summary);
  for (std::size_t k = 0; k < std::min<std::size_t>(late.size(), 3); ++k)
    text += fmt::format("{} rank {} ({})", k == 0 ? ", because of" : ",", late[k],
                        format_percentage(share(summary.ranks[late[k]].made_wait_s, summary.waited_s)));
  if (summary.clock_error_s)
    text += fmt::format("; clocks are known to {}", format_seconds(*summary.clock_error_s));
  return text + ".\n";
}

std::string what_is_missing(const Summary& summary) {
  std::string text;
  if (!summary.cut_short.empty())
    text += fmt::format("Cut short: the logs of {} {} end before MPI_Finalize or are missing.\n",
                        summary.cut_short.size() == 1 ? "rank" : "ranks", summary.cut_short.to_string());
  if (summary.incomplete_calls > 0)
    text += fmt::format("Left out: {} that not all of their ranks recorded.\n",
                        count(summary.incomplete_calls, "call"));
  if (summary.unplaced_calls > 0)
    text += fmt::format("The ranks of {} are not known: they are in no figure of a rank.\n",
                        count(summary.unplaced_calls, "call"));
  return text;
}

std::string consistency(const Summary& summary, const Terminal& terminal) {
  if (summary.calls == 0) return "";
  if (summary.inconsistencies.empty()) return "What is sent is received, in all calls.\n";
  const std::uint64_t calls =
      std::accumulate(summary.inconsistencies.begin(), summary.inconsistencies.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const auto& wrong) { return sum + wrong.calls; });
  return terminal.paint(Colour::red, "Inconsistent") +
         fmt::format(": in {} ranks receive other bytes than are sent to them.\n", count(calls, "call"));
}

std::string more(std::size_t shown, std::size_t all) {
  return all > shown ? fmt::format("... and {} more (--json has all)\n", count(all - shown)) : "";
}

std::string inconsistency_table(const Summary& summary) {
  if (summary.inconsistencies.empty()) return "";
  support::TextTable table({{"lead", Align::right},
                            {"operation"},
                            {"first call", Align::right},
                            {"calls", Align::right},
                            {"first pair (ranks of the communicator)"}});
  const std::size_t shown = std::min(summary.inconsistencies.size(), max_rows);
  for (std::size_t k = 0; k < shown; ++k) {
    const collectives::Inconsistency& wrong = summary.inconsistencies[k];
    table.add_row(
        {std::to_string(wrong.lead), wrong.operation.name(), std::to_string(wrong.first_call),
         count(wrong.calls),
         fmt::format("{} sends {} B to {}, which receives {} B", wrong.pair.sender,
                     count(wrong.pair.sent_bytes), wrong.pair.receiver, count(wrong.pair.received_bytes))});
  }
  return "\nInconsistent calls\n" + table.to_string() + more(shown, summary.inconsistencies.size());
}

std::string operation_table(const Summary& summary) {
  support::TextTable table({{"operation"},
                            {"calls", Align::right},
                            {"different", Align::right},
                            {"sent", Align::right},
                            {"received", Align::right}});
  for (const auto& operation : summary.operations)
    table.add_row({operation.operation.name(), count(operation.calls), count(operation.signatures),
                   format_bytes(operation.bytes_sent), format_bytes(operation.bytes_received)});
  return "\nOperations\n" + table.to_string();
}

std::string communicator_table(const Summary& summary) {
  support::TextTable table({{"lead", Align::right},
                            {"communicator", Align::right},
                            {"ranks", Align::right},
                            {"calls", Align::right},
                            {"sent", Align::right}});
  std::vector<collectives::CommunicatorSummary> communicators = summary.communicators;
  std::ranges::stable_sort(communicators, std::greater(), &collectives::CommunicatorSummary::bytes_sent);
  const std::size_t shown = std::min(communicators.size(), max_rows);
  for (std::size_t k = 0; k < shown; ++k) {
    const collectives::CommunicatorSummary& communicator = communicators[k];
    table.add_row({std::to_string(communicator.lead),
                   communicator.id ? std::to_string(*communicator.id) : "not known",
                   communicator.remote_size > 0
                       ? fmt::format("{} to {}", count(communicator.size), count(communicator.remote_size))
                       : count(communicator.size),
                   count(communicator.calls), format_bytes(communicator.bytes_sent)});
  }
  return "\nCommunicators\n" + table.to_string() + more(shown, communicators.size());
}

std::string message_table(const Summary& summary) {
  support::TextTable table({{"bytes"},
                            {"sent", Align::right},
                            {"", Align::right},
                            {"received", Align::right},
                            {"", Align::right}});
  const auto add_row = [&](std::string label, std::uint64_t sent, std::uint64_t received) {
    const auto part = [](std::uint64_t number, const collectives::SideSummary& side) {
      return format_percentage(share(static_cast<double>(number), static_cast<double>(side.messages())));
    };
    table.add_row({std::move(label), count(sent), part(sent, summary.sent), count(received),
                   part(received, summary.received)});
  };
  const std::vector<std::uint64_t>& bins = summary.options.bins;
  for (std::size_t k = 0; k <= bins.size(); ++k) {
    const std::string from = count(k == 0 ? 0 : bins[k - 1]);
    add_row(k == bins.size() ? fmt::format("{} and more", from)
                             : fmt::format("{} to below {}", from, count(bins[k])),
            summary.sent.histogram[k], summary.received.histogram[k]);
  }
  table.add_rule();
  const std::string threshold = count(summary.options.threshold_bytes);
  add_row("0", summary.sent.message_bytes.zeros(), summary.received.message_bytes.zeros());
  add_row(fmt::format("small (1 to {})", threshold), summary.sent.small, summary.received.small);
  add_row(fmt::format("large (above {})", threshold), summary.sent.large, summary.received.large);
  return "\nMessages\n" + table.to_string();
}

std::string spread_table(const Summary& summary) {
  support::TextTable table({{""},
                            {"min", Align::right},
                            {"mean", Align::right},
                            {"max", Align::right},
                            {"min but 0", Align::right},
                            {"mean but 0", Align::right}});
  const auto add_row = [&](const char* label, const collectives::SpreadWithZeros& spread) {
    table.add_row({label, count(spread.all.min), fmt::format("{:.1f}", spread.all.mean()),
                   count(spread.all.max), spread.nonzero.values == 0 ? "-" : count(spread.nonzero.min),
                   spread.nonzero.values == 0 ? "-" : fmt::format("{:.1f}", spread.nonzero.mean())});
  };
  add_row("elements sent in a message", summary.sent.message_count);
  add_row("bytes sent in a message", summary.sent.message_bytes);
  add_row("elements sent by a rank in a call", summary.sent.rank_count);
  add_row("bytes sent by a rank in a call", summary.sent.rank_bytes);
  table.add_rule();
  add_row("elements received in a message", summary.received.message_count);
  add_row("bytes received in a message", summary.received.message_bytes);
  add_row("elements received by a rank in a call", summary.received.rank_count);
  add_row("bytes received by a rank in a call", summary.received.rank_bytes);
  return "\nSizes\n" + table.to_string();
}

/// "3/4 calls with 8", for each size.
template <class Map>
std::string fractions(const char* label, const Map& calls_by, std::uint64_t all) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sorted(calls_by.begin(), calls_by.end());
  std::ranges::stable_sort(sorted, std::greater(), [](const auto& entry) { return entry.second; });
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < std::min(sorted.size(), max_rows); ++k)
    parts.push_back(
        fmt::format("{} in {}/{} calls", count(sorted[k].first), count(sorted[k].second), count(all)));
  if (sorted.size() > max_rows) parts.push_back(fmt::format("{} others", count(sorted.size() - max_rows)));
  return fmt::format("{}: {}\n", label, fmt::join(parts, ", "));
}

std::string call_properties(const Summary& summary) {
  return "\n" + fractions("Ranks of the communicator", summary.comm_sizes, summary.calls) +
         fractions("Type size of what is sent", summary.sent.type_sizes, summary.calls) +
         fractions("Type size of what is received", summary.received.type_sizes, summary.calls) +
         fractions("Send counts that are 0", summary.sent.zero_counts, summary.calls) +
         fractions("Receive counts that are 0", summary.received.zero_counts, summary.calls);
}

/// The ranks that matter most: all if they are few.
std::vector<std::uint32_t> ranks_to_show(const Summary& summary) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < summary.ranks.size(); ++rank)
    if (summary.ranks[rank].calls > 0 || summary.ranks[rank].timed_calls > 0 ||
        summary.ranks[rank].latest_in_calls > 0)
      ranks.push_back(rank);
  if (ranks.size() <= max_rows) return ranks;
  std::vector<std::uint32_t> late = late_ranks(summary);
  if (!late.empty()) {
    late.resize(std::min(late.size(), max_late_ranks));
    return late;
  }
  std::ranges::stable_sort(ranks, std::greater(),
                           [&](std::uint32_t rank) { return summary.ranks[rank].bytes_sent; });
  ranks.resize(max_late_ranks);
  return ranks;
}

std::string rank_table(const Summary& summary) {
  const std::vector<std::uint32_t> ranks = ranks_to_show(summary);
  if (ranks.empty()) return "";
  std::vector<support::TextTable::Column> columns = {
      {"rank", Align::right}, {"calls", Align::right}, {"sent", Align::right}, {"received", Align::right}};
  if (summary.timed_calls > 0)
    for (const char* heading : {"time in calls", "mean", "longest"})
      columns.push_back({heading, Align::right});
  if (summary.arrival_calls > 0)
    for (const char* heading : {"waited", "latest in", "made others wait"})
      columns.push_back({heading, Align::right});
  support::TextTable table(columns);
  for (const std::uint32_t rank : ranks) {
    const RankSummary& of_rank = summary.ranks[rank];
    std::vector<std::string> row = {std::to_string(rank), count(of_rank.calls),
                                    format_bytes(of_rank.bytes_sent), format_bytes(of_rank.bytes_received)};
    if (summary.timed_calls > 0) {
      row.push_back(format_seconds(of_rank.time_s));
      row.push_back(format_seconds(share(of_rank.time_s, static_cast<double>(of_rank.timed_calls))));
      row.push_back(format_seconds(of_rank.max_time_s));
    }
    if (summary.arrival_calls > 0) {
      row.push_back(format_seconds(of_rank.waited_s));
      row.push_back(count(of_rank.latest_in_calls, "call"));
      row.push_back(format_seconds(of_rank.made_wait_s));
    }
    table.add_row(std::move(row));
  }
  const bool all = summary.ranks.size() <= max_rows;
  const char* title = all                           ? "\nRanks\n"
                      : late_ranks(summary).empty() ? "\nRanks that send most\n"
                                                    : "\nRanks that others wait for most\n";
  return title + table.to_string();
}

std::string text(const Summary& summary, const Terminal& terminal) {
  std::string output = what_moved(summary);
  output += how_evenly(summary, "sent", &RankSummary::bytes_sent, terminal);
  output += how_evenly(summary, "received", &RankSummary::bytes_received, terminal);
  output += time_in_calls(summary) + what_waiting_cost(summary);
  output += consistency(summary, terminal);
  output += what_is_missing(summary);
  if (summary.calls > 0) {
    output += inconsistency_table(summary);
    output += operation_table(summary);
    output += communicator_table(summary);
  }
  output += rank_table(summary);
  if (summary.calls > 0) output += message_table(summary) + spread_table(summary) + call_properties(summary);
  return output;
}

std::string json_text(const Summary& summary) {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object();
  write_summary(json, summary);
  json.end_object();
  return text + '\n';
}

}  // namespace

Command define_collectives_summary(CLI::App& app) {
  auto options = std::make_shared<SummaryCommandOptions>();
  app.footer(examples);
  add_collectives_input(app, options->input);
  add_collectives_selection(app, options->input);
  add_bins_option(app, options->summary);
  add_json_option(app, options->json);
  return [options](Terminal& terminal) {
    const collectives::Profile profile = read_profile(options->input, terminal);
    const Summary summary = summarize(profile, options->summary);
    terminal.print(options->json ? json_text(summary) : text(summary, terminal));
    return 0;
  };
}

}  // namespace plimsoll::cli
