#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <plimsoll/support/internal/format.hpp>

#include "cli/commands/collectives/summary_text.hpp"
#include "cli/commands/collectives/text_pieces.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

std::vector<MessageBin> bins_to_show(const std::vector<std::uint64_t>& bins,
                                     std::initializer_list<const std::vector<std::uint64_t>*> histograms) {
  const bool has_zero_bin = !bins.empty() && bins.front() == 1;
  std::vector<MessageBin> shown;
  std::size_t used = 0;
  for (std::size_t k = has_zero_bin ? 1 : 0; k <= bins.size(); ++k) {
    const bool is_used =
        std::ranges::any_of(histograms, [&](const auto* messages) { return (*messages)[k] > 0; });
    if (!is_used && used == 0) continue;
    const std::string from = count(k == 0 ? 0 : bins[k - 1]);
    shown.push_back({k, k == bins.size() ? fmt::format("{} and more", from)
                                         : fmt::format("{} to below {}", from, count(bins[k]))});
    if (is_used) used = shown.size();
  }
  shown.resize(used);
  return shown;
}

void add_bins_option(OptionParser& parser, collectives::SummaryOptions& options) {
  parser
      .add_option("--bins LIST", options.bins,
                  "Boundaries of the message size bins in bytes, ascending\n[default: powers of two]")
      .separated_by(',')
      .not_negative();
  parser.add_option("--threshold BYTES", options.threshold_bytes,
                    "Maximum size of small messages in bytes [default: 200]");
}

namespace {

using collectives::RankSummary;
using collectives::Summary;
using support::format_bytes;
using support::format_percentage;
using support::format_seconds;
using Align = support::TextTable::Align;

// Limits of the tables; --json contains everything.
constexpr std::size_t max_rows = 20;
constexpr std::size_t max_late_ranks = 10;
constexpr std::size_t max_ranks_text = 40;

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

std::string world_ranks(const collectives::NumberList& members) {
  if (members.empty()) return "unknown";
  const std::string list = members.to_string();
  return list.size() <= max_ranks_text ? list : list.substr(0, list.rfind(',', max_ranks_text)) + ", ...";
}

std::string communicator_table(const Summary& summary) {
  support::TextTable table({{"lead", Align::right},
                            {"communicator", Align::right},
                            {"ranks", Align::right},
                            {"in MPI_COMM_WORLD"},
                            {"calls", Align::right},
                            {"sent", Align::right}});
  std::vector<collectives::CommunicatorSummary> communicators = summary.communicators;
  std::ranges::stable_sort(communicators, std::greater(), &collectives::CommunicatorSummary::bytes_sent);
  const std::size_t shown = std::min(communicators.size(), max_rows);
  for (std::size_t k = 0; k < shown; ++k) {
    const collectives::CommunicatorSummary& communicator = communicators[k];
    table.add_row({std::to_string(communicator.lead),
                   communicator.id ? std::to_string(*communicator.id) : "unknown",
                   communicator.remote_size > 0
                       ? fmt::format("{} to {}", count(communicator.size), count(communicator.remote_size))
                       : count(communicator.size),
                   world_ranks(communicator.members), count(communicator.calls),
                   format_bytes(communicator.bytes_sent)});
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
  for (const MessageBin& bin :
       bins_to_show(summary.options.bins, {&summary.sent.histogram, &summary.received.histogram}))
    add_row(bin.label, summary.sent.histogram[bin.number], summary.received.histogram[bin.number]);
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
                            {"min > 0", Align::right},
                            {"mean > 0", Align::right}});
  const auto add_row = [&](const char* label, const collectives::SpreadWithZeros& spread) {
    table.add_row({label, count(spread.all.min), fmt::format("{:.1f}", spread.all.mean()),
                   count(spread.all.max), spread.nonzero.values == 0 ? "-" : count(spread.nonzero.min),
                   spread.nonzero.values == 0 ? "-" : fmt::format("{:.1f}", spread.nonzero.mean())});
  };
  add_row("elements sent per message", summary.sent.message_count);
  add_row("bytes sent per message", summary.sent.message_bytes);
  add_row("elements sent per rank and call", summary.sent.rank_count);
  add_row("bytes sent per rank and call", summary.sent.rank_bytes);
  table.add_rule();
  add_row("elements received per message", summary.received.message_count);
  add_row("bytes received per message", summary.received.message_bytes);
  add_row("elements received per rank and call", summary.received.rank_count);
  add_row("bytes received per rank and call", summary.received.rank_bytes);
  return "\nSizes\n" + table.to_string();
}

/// Formats the number of calls per size: "8 in 3/4 calls".
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
  return "\n" + fractions("Ranks per communicator", summary.comm_sizes, summary.calls) +
         fractions("Type size of sent elements", summary.sent.type_sizes, summary.calls) +
         fractions("Type size of received elements", summary.received.type_sizes, summary.calls) +
         fractions("Send counts equal to 0", summary.sent.zero_counts, summary.calls) +
         fractions("Receive counts equal to 0", summary.received.zero_counts, summary.calls);
}

/// Selects the most important ranks, or all ranks of a small run.
std::vector<std::uint32_t> ranks_to_show(const Summary& summary) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < summary.ranks.size(); ++rank)
    if (summary.ranks[rank].is_active()) ranks.push_back(rank);
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
  std::vector<support::TextTable::Column> columns = {{"rank", Align::right}};
  if (summary.calls > 0)
    for (const char* heading : {"calls", "sent", "received"}) columns.push_back({heading, Align::right});
  if (summary.timed_calls > 0)
    for (const char* heading : {"time in calls", "mean", "longest"})
      columns.push_back({heading, Align::right});
  if (summary.arrival_calls > 0)
    for (const char* heading : {"waited", "latest in", "wait time caused"})
      columns.push_back({heading, Align::right});
  support::TextTable table(columns);
  for (const std::uint32_t rank : ranks) {
    const RankSummary& of_rank = summary.ranks[rank];
    std::vector<std::string> row = {std::to_string(rank)};
    if (summary.calls > 0) {
      row.push_back(count(of_rank.calls));
      row.push_back(format_bytes(of_rank.bytes_sent));
      row.push_back(format_bytes(of_rank.bytes_received));
    }
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
                      : late_ranks(summary).empty() ? "\nRanks that send the most bytes\n"
                                                    : "\nRanks that cause the most wait time\n";
  return title + table.to_string();
}

}  // namespace

std::string summary_tables(const Summary& summary) {
  if (summary.calls == 0) return rank_table(summary);
  return inconsistency_table(summary) + operation_table(summary) + communicator_table(summary) +
         rank_table(summary) + message_table(summary) + spread_table(summary) + call_properties(summary);
}

}  // namespace plimsoll::cli
