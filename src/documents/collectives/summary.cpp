#include "documents/collectives/summary.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

namespace {

std::vector<MessageBin> histogram_of(const Summary& summary, const SideSummary& side) {
  const std::vector<std::uint64_t>& bounds = summary.options.bins;
  std::vector<MessageBin> bins;
  for (std::size_t k = 0; k < side.histogram.size(); ++k)
    bins.push_back({.min_bytes = k == 0 ? 0 : bounds[k - 1],
                    .below_bytes = k < bounds.size() ? std::optional(bounds[k]) : std::nullopt,
                    .messages = side.histogram[k]});
  return bins;
}

std::optional<Traffic> traffic_of(const Summary& summary, const SideSummary& side,
                                  std::uint64_t RankSummary::*bytes) {
  if (summary.calls == 0) return std::nullopt;
  Traffic traffic = {.side = &side, .histogram = histogram_of(summary, side), .balance = {}};
  if (const TrafficBalance balance = balance_of(summary, bytes); balance.ranks > 0) traffic.balance = balance;
  return traffic;
}

}  // namespace

std::optional<Traffic> sent(const Summary& summary) {
  return traffic_of(summary, summary.sent, &RankSummary::bytes_sent);
}

std::optional<Traffic> received(const Summary& summary) {
  return traffic_of(summary, summary.received, &RankSummary::bytes_received);
}

std::vector<ActiveRank> active_ranks(const Summary& summary) {
  std::vector<ActiveRank> ranks;
  for (std::size_t rank = 0; rank < summary.ranks.size(); ++rank)
    if (summary.ranks[rank].is_active()) ranks.push_back({rank, &summary.ranks[rank], &summary});
  return ranks;
}

std::optional<TimeInCalls> time_in_calls(const Summary& summary) {
  return summary.timed_calls > 0 ? std::optional(TimeInCalls{&summary}) : std::nullopt;
}

std::optional<Waiting> waiting(const Summary& summary) {
  return summary.arrival_calls > 0 ? std::optional(Waiting{&summary}) : std::nullopt;
}

std::optional<bool> is_consistent(const Summary& summary) {
  return summary.calls > 0 ? std::optional(summary.inconsistencies.empty()) : std::nullopt;
}

}  // namespace plimsoll::documents
