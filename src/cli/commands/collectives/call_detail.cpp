#include "cli/commands/collectives/call_detail.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands/collectives/text_pieces.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using collectives::CallDetail;
using collectives::Direction;
using collectives::Side;
using collectives::Signature;
using support::format_seconds;
using Align = support::TextTable::Align;

// Limits of the text output; --json contains everything.
constexpr std::size_t max_ranks_shown = 32;
constexpr std::size_t max_numbers = 64;
constexpr std::size_t max_ranks = 20;

std::string indented_more(std::size_t shown, std::size_t all) {
  return all > shown ? "  " + more(shown, all) : "";
}

std::string rank_list(const collectives::NumberList& ranks) {
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

std::string host_of(const CallDetail& detail, std::size_t rank) {
  if (detail.call.communicator == nullptr) return "";
  const auto& hosts = detail.call.communicator->hosts;
  return rank < hosts.size() ? hosts[rank] : "";
}

std::optional<double> value_of(const std::vector<double>& values, std::size_t rank) {
  return rank < values.size() ? std::optional(values[rank]) : std::nullopt;
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
  std::vector<support::TextTable::Column> columns = {{"rank", Align::right}, {"world rank", Align::right}};
  const bool with_hosts = detail.call.communicator != nullptr && !detail.call.communicator->hosts.empty();
  if (with_hosts) columns.push_back({"host"});
  const auto add_column = [&](const std::vector<double>& values, const char* heading) {
    if (!values.empty()) columns.push_back({heading, Align::right});
  };
  add_column(detail.begin_s, "entered at");
  add_column(detail.times_s, "time in call");
  add_column(detail.late_arrival_s, "waited");
  if (columns.size() == 2 && detail.members.empty()) return "";
  support::TextTable table(columns);
  const std::vector<std::size_t> ranks = ranks_in_order(detail);
  const std::size_t shown = std::min(ranks.size(), max_ranks);
  for (std::size_t k = 0; k < shown; ++k) {
    const std::size_t rank = ranks[k];
    std::vector<std::string> row = {
        std::to_string(rank), rank < detail.members.size() ? std::to_string(detail.members[rank]) : "-"};
    if (with_hosts) row.push_back(host_of(detail, rank));
    for (const auto* values : {&detail.begin_s, &detail.times_s, &detail.late_arrival_s})
      if (!values->empty()) {
        const std::optional<double> value = value_of(*values, rank);
        row.push_back(value ? format_seconds(*value) : "-");
      }
    table.add_row(std::move(row));
  }
  const bool in_order = detail.late_arrival_s.empty() && detail.begin_s.empty();
  const char* title = in_order ? "\nRanks\n" : "\nRanks, latest first\n";
  return title + table.to_string() + indented_more(shown, ranks.size());
}

std::string communicator_text(const CallDetail& detail) {
  const collectives::Communicator* communicator = detail.call.communicator;
  std::string text =
      communicator != nullptr ? fmt::format("communicator {}", communicator->id) : "an unknown communicator";
  text += fmt::format(" of {}", count(detail.call.signature->comm_size, "rank"));
  if (communicator != nullptr && !communicator->remote_members.empty())
    text += fmt::format(" to {}", count(communicator->remote_members.size(), "rank"));
  return text;
}

std::string backtrace_text(const CallDetail& detail) {
  std::string text;
  for (const collectives::Backtrace* backtrace : detail.backtraces) {
    text += fmt::format("\nCalled from {}\n", support::printable(backtrace->program));
    for (const std::string& frame : backtrace->frames) text += "  " + support::printable(frame) + "\n";
  }
  return text;
}

}  // namespace

std::string call_text(const CallDetail& detail, const std::vector<collectives::LeadPatterns>& patterns) {
  const collectives::CallRun& call = detail.call;
  std::string text = fmt::format("Call {} of {} led by rank {}, on {}: {} sent, pattern #{}\n", call.first,
                                 call.signature->operation.name(), call.lead->rank, communicator_text(detail),
                                 support::format_bytes(call.bytes_per_call), call.pattern);
  for (const collectives::LeadPatterns& lead : patterns)
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

}  // namespace plimsoll::cli
