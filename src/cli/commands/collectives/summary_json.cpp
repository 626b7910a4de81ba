#include "cli/commands/collectives/summary_json.hpp"

#include <string>

#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using collectives::RankSummary;
using collectives::SideSummary;
using collectives::Summary;

void write_spread(support::JsonWriter& json, const char* name, const collectives::SpreadWithZeros& spread) {
  json.key(name)
      .begin_object()
      .member("values", spread.all.values)
      .member("zeros", spread.zeros())
      .member("sum", spread.all.sum)
      .member("min", spread.all.min)
      .member("max", spread.all.max)
      .member("mean", spread.all.mean())
      .member("nonzero_min", spread.nonzero.min)
      .member("nonzero_mean", spread.nonzero.mean())
      .end_object();
}

template <class Map>
void write_calls_by(support::JsonWriter& json, const char* name, const char* key, const Map& calls_by) {
  json.key(name).begin_array();
  for (const auto& [number, calls] : calls_by)
    json.begin_object().member(key, number).member("calls", calls).end_object();
  json.end_array();
}

void write_call_imbalance(support::JsonWriter& json, const collectives::CallImbalance& imbalance) {
  json.key("call_imbalance");
  if (imbalance.calls == 0) {
    json.null();
    return;
  }
  json.begin_object()
      .member("calls", imbalance.calls)
      .member("mean", imbalance.mean)
      .member("max", imbalance.max)
      .member("job", imbalance.job)
      .member("lead", imbalance.lead)
      .member("operation", imbalance.operation.name())
      .member("call", imbalance.call)
      .end_object();
}

void write_side(support::JsonWriter& json, const char* name, const Summary& summary, const SideSummary& side,
                std::uint64_t RankSummary::*bytes) {
  json.key(name);
  if (summary.calls == 0) {
    json.null();
    return;
  }
  const collectives::TrafficBalance balance = balance_of(summary, bytes);
  json.begin_object().member("bytes", side.bytes()).member("messages", side.messages());
  json.key("imbalance");
  if (balance.ranks > 0) {
    json.value(balance.imbalance())
        .member("max_rank", balance.max_rank)
        .member("min_rank", balance.min_rank)
        .member("max_rank_bytes", balance.max)
        .member("min_rank_bytes", balance.min)
        .member("mean_rank_bytes", balance.mean());
  } else {
    json.null();
  }
  write_call_imbalance(json, side.call_imbalance);
  json.key("histogram").begin_array();
  const std::vector<std::uint64_t>& bins = summary.options.bins;
  for (std::size_t k = 0; k < side.histogram.size(); ++k) {
    json.begin_object()
        .member("min_bytes", k == 0 ? std::uint64_t{0} : bins[k - 1])
        .member("below_bytes", k < bins.size() ? std::optional(bins[k]) : std::nullopt)
        .member("messages", side.histogram[k])
        .end_object();
  }
  json.end_array()
      .member("empty_messages", side.message_bytes.zeros())
      .member("small_messages", side.small)
      .member("large_messages", side.large);
  write_spread(json, "message_count", side.message_count);
  write_spread(json, "message_bytes", side.message_bytes);
  write_spread(json, "rank_count", side.rank_count);
  write_spread(json, "rank_bytes", side.rank_bytes);
  write_calls_by(json, "zero_counts", "zeros", side.zero_counts);
  write_calls_by(json, "type_sizes", "bytes", side.type_sizes);
  json.end_object();
}

void write_operations(support::JsonWriter& json, const Summary& summary) {
  json.key("operations").begin_array();
  for (const auto& operation : summary.operations)
    json.begin_object()
        .member("operation", operation.operation.name())
        .member("calls", operation.calls)
        .member("signatures", operation.signatures)
        .member("bytes_sent", operation.bytes_sent)
        .member("bytes_received", operation.bytes_received)
        .end_object();
  json.end_array();
}

void write_communicators(support::JsonWriter& json, const Summary& summary) {
  json.key("communicators").begin_array();
  for (const auto& communicator : summary.communicators) {
    json.begin_object()
        .member("job", communicator.job)
        .member("lead", communicator.lead)
        .member("id", communicator.id)
        .member("ranks", communicator.size)
        .member("world_ranks", if_any(communicator.members.to_string()))
        .member("remote_ranks", communicator.remote_size)
        .member("calls", communicator.calls)
        .member("bytes_sent", communicator.bytes_sent)
        .end_object();
  }
  json.end_array();
}

void write_ranks(support::JsonWriter& json, const Summary& summary) {
  json.key("ranks").begin_array();
  for (std::size_t rank = 0; rank < summary.ranks.size(); ++rank) {
    const RankSummary& of_rank = summary.ranks[rank];
    if (!of_rank.is_active()) continue;
    json.begin_object().member("rank", rank);
    if (summary.calls > 0)
      json.member("calls", of_rank.calls)
          .member("bytes_sent", of_rank.bytes_sent)
          .member("bytes_received", of_rank.bytes_received);
    if (summary.timed_calls > 0)
      json.member("timed_calls", of_rank.timed_calls)
          .member("time_s", of_rank.time_s)
          .member("max_time_s", of_rank.max_time_s);
    if (summary.arrival_calls > 0)
      json.member("waited_s", of_rank.waited_s)
          .member("latest_in_calls", of_rank.latest_in_calls)
          .member("made_wait_s", of_rank.made_wait_s);
    json.end_object();
  }
  json.end_array();
}

void write_inconsistencies(support::JsonWriter& json, const Summary& summary) {
  json.key("inconsistencies").begin_array();
  for (const collectives::Inconsistency& wrong : summary.inconsistencies)
    json.begin_object()
        .member("job", wrong.job)
        .member("lead", wrong.lead)
        .member("operation", wrong.operation.name())
        .member("first_call", wrong.first_call)
        .member("calls", wrong.calls)
        .member("sender", wrong.pair.sender)
        .member("receiver", wrong.pair.receiver)
        .member("sent_bytes", wrong.pair.sent_bytes)
        .member("received_bytes", wrong.pair.received_bytes)
        .end_object();
  json.end_array();
}

}  // namespace

void add_bins_option(OptionParser& parser, collectives::SummaryOptions& options) {
  parser
      .add_option("--bins LIST", options.bins,
                  "Boundaries of the message size bins in bytes, ascending\n[default: powers of two]")
      .separated_by(',')
      .not_negative();
  parser.add_option("--threshold BYTES", options.threshold_bytes,
                    "Maximum size of small messages in bytes [default: 200]");
}

void write_summary(support::JsonWriter& json, const Summary& summary) {
  json.member("world_size", summary.world_size)
      .member("leads", summary.leads)
      .member("calls", summary.calls)
      .member("threshold_bytes", summary.options.threshold_bytes);
  write_operations(json, summary);
  write_communicators(json, summary);
  write_calls_by(json, "communicator_sizes", "ranks", summary.comm_sizes);
  write_side(json, "sent", summary, summary.sent, &RankSummary::bytes_sent);
  write_side(json, "received", summary, summary.received, &RankSummary::bytes_received);
  write_ranks(json, summary);
  json.member("unplaced_calls", summary.unplaced_calls);
  json.key("time_in_calls");
  if (summary.timed_calls > 0) {
    json.begin_object()
        .member("calls", summary.timed_calls)
        .member("time_s", summary.time_s)
        .member("max_time_s", summary.max_time_s)
        .end_object();
  } else {
    json.null();
  }
  json.key("waiting");
  if (summary.arrival_calls > 0) {
    json.begin_object()
        .member("calls", summary.arrival_calls)
        .member("waited_s", summary.waited_s)
        .key("late_ranks")
        .values(late_ranks(summary))
        .end_object();
  } else {
    json.null();
  }
  json.member("clock_error_s", summary.clock_error_s)
      .member("consistent",
              summary.calls > 0 ? std::optional(summary.inconsistencies.empty()) : std::nullopt);
  write_inconsistencies(json, summary);
  json.key("cut_short_ranks").begin_array();
  summary.cut_short.for_each([&](std::uint64_t rank) { json.value(rank); });
  json.end_array().member("incomplete_calls", summary.incomplete_calls);
  json.key("failed_calls").begin_array();
  for (const collectives::FailedCalls& failed : summary.failed_calls) {
    json.begin_object().member("operation", failed.operation.name()).member("calls", failed.calls);
    json.key("ranks").begin_array();
    failed.ranks.for_each([&](std::uint64_t rank) { json.value(rank); });
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace plimsoll::cli
