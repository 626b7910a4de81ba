#include <algorithm>
#include <cmath>
#include <set>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/summary.hpp>

#include "collectives/analysis/typed_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

void Spread::add(std::uint64_t number, std::uint64_t times) {
  add(Spread{.values = 1, .min = number, .max = number, .sum = number}, times);
}

void Spread::add(const Spread& others, std::uint64_t times) {
  if (others.values == 0 || times == 0) return;
  min = values == 0 ? others.min : std::min(min, others.min);
  max = std::max(max, others.max);
  sum = collectives::add(sum, multiply(others.sum, times));
  values = collectives::add(values, multiply(others.values, times));
}

void SpreadWithZeros::add(std::uint64_t number, std::uint64_t times) {
  all.add(number, times);
  if (number != 0) nonzero.add(number, times);
}

namespace {

std::vector<std::uint64_t> powers_of_two() {
  std::vector<std::uint64_t> powers(64, 1);
  for (std::size_t exponent = 0; exponent < powers.size(); ++exponent) powers[exponent] <<= exponent;
  return powers;
}

class Summarizer {
 public:
  Summarizer(const Profile& profile, const SummaryOptions& options) : profile_(profile) {
    summary_.options = options;
    if (options.bins.empty()) summary_.options.bins = powers_of_two();
    summary_.world_size = profile.world_size;
    summary_.cut_short = profile.cut_short;
    summary_.incomplete_calls = profile.incomplete_calls;
    summary_.failed_calls = profile.failed_calls;
    summary_.clock_error_s = profile.clock_error_s;
    summary_.sent.histogram.resize(summary_.options.bins.size() + 1);
    summary_.received.histogram.resize(summary_.options.bins.size() + 1);
  }

  Summary run() {
    std::set<std::pair<std::uint64_t, std::uint32_t>> leads;
    for (const Lead& lead : profile_.leads) {
      leads.emplace(lead.job, lead.rank);
      const CallPlaces places(profile_, lead);
      for (const Signature& signature : lead.signatures) add(lead, signature, places);
      for (const RankValues& times : lead.execution_s) add_times(times, places);
      for (const RankValues& arrivals : lead.late_arrival_s) add_arrivals(arrivals, places);
    }
    summary_.leads = leads.size();
    for (const OperationSummary& operation : operations_)
      if (operation.calls > 0) summary_.operations.push_back(operation);
    for (const auto& [key, communicator] : communicators_) summary_.communicators.push_back(communicator);
    for (CallImbalance* imbalance : {&summary_.sent.call_imbalance, &summary_.received.call_imbalance})
      if (imbalance->calls > 0) imbalance->mean /= static_cast<double>(imbalance->calls);
    return std::move(summary_);
  }

 private:
  /// Bytes that each rank of a communicator sends or receives in one call.
  struct RowBytes {
    const NumberList ranks;
    std::uint64_t bytes;
  };

  void add(const Lead& lead, const Signature& signature, const CallPlaces& places) {
    ++operations_[signature.operation.index()].signatures;
    for (const auto& [remote_size, same_size] : places.by_remote_size(signature))
      add(lead, signature, remote_size, same_size);
  }

  void add(const Lead& lead, const Signature& signature, std::uint32_t remote_size,
           const std::vector<CallPlace>& places) {
    std::uint64_t calls = 0;
    std::uint64_t counted_calls = 0;
    for (const CallPlace& place : places) {
      calls = collectives::add(calls, place.calls.size());
      if (!place.counted_elsewhere) counted_calls = collectives::add(counted_calls, place.calls.size());
    }
    const std::uint64_t sent_before = summary_.sent.bytes();
    const std::uint64_t received_before = summary_.received.bytes();
    const std::vector<RowBytes> sent =
        add_side(rows_of(signature, signature.send, remote_size), calls, counted_calls, summary_.sent);
    const std::vector<RowBytes> received =
        add_side(rows_of(signature, signature.recv, remote_size), calls, counted_calls, summary_.received);
    const std::uint64_t sent_bytes = summary_.sent.bytes() - sent_before;

    summary_.calls = collectives::add(summary_.calls, counted_calls);
    if (counted_calls > 0) summary_.comm_sizes[signature.comm_size] += counted_calls;
    OperationSummary& operation = operations_[signature.operation.index()];
    operation.operation = signature.operation;
    operation.calls = collectives::add(operation.calls, counted_calls);
    operation.bytes_sent = collectives::add(operation.bytes_sent, sent_bytes);
    operation.bytes_received =
        collectives::add(operation.bytes_received, summary_.received.bytes() - received_before);

    for (const CallPlace& place : places) {
      add_imbalance(lead, signature, place);
      add_to_communicator(lead, signature, place, calls == 0 ? 0 : sent_bytes / calls);
      if (place.members->empty())
        summary_.unplaced_calls += place.calls.size();
      else
        rank(std::ranges::max(*place.members));  // allocates all at once
      add_to_ranks(sent, place, &RankSummary::bytes_sent);
      add_to_ranks(received, place, &RankSummary::bytes_received);
      for (const std::uint32_t member : *place.members) rank(member).calls += place.calls.size();
    }
    if (remote_size > 0) return;
    const auto first_call = [](const CallPlace& place) { return place.calls.min(); };
    if (const auto pair = first_mismatch(signature))
      summary_.inconsistencies.push_back(
          {.job = lead.job,
           .lead = lead.rank,
           .operation = signature.operation,
           .first_call = std::ranges::min_element(places, {}, first_call)->calls.min(),
           .calls = calls,
           .pair = *pair});
  }

  std::vector<RowBytes> add_side(const std::vector<TypedRow>& rows, std::uint64_t calls,
                                 std::uint64_t counted_calls, SideSummary& summary) {
    std::vector<RowBytes> row_bytes;
    std::uint64_t zeros = 0;
    std::set<std::uint64_t> type_sizes;
    for (const TypedRow& row : rows) {
      const std::uint64_t times = multiply(calls, row.ranks.size());
      SpreadWithZeros counts;
      SpreadWithZeros bytes;
      row.for_each_count([&](std::uint64_t count, std::uint32_t peers) {
        const std::uint64_t size = row.bytes_of(count);
        counts.add(count, peers);
        bytes.add(size, peers);
        count_message(summary, size, multiply(times, peers));
      });
      for (const auto& [total, of_row] :
           {std::pair(&summary.message_count, &counts), std::pair(&summary.message_bytes, &bytes)}) {
        total->all.add(of_row->all, times);
        total->nonzero.add(of_row->nonzero, times);
      }
      summary.rank_count.add(counts.all.sum, times);
      summary.rank_bytes.add(bytes.all.sum, times);
      zeros = collectives::add(zeros, multiply(counts.zeros(), row.ranks.size()));
      type_sizes.insert(row.type_size);
      row_bytes.push_back({row.ranks, bytes.all.sum});
    }
    if (counted_calls == 0) return row_bytes;
    summary.zero_counts[zeros] += counted_calls;
    for (const std::uint64_t size : type_sizes) summary.type_sizes[size] += counted_calls;
    return row_bytes;
  }

  void add_imbalance(const Lead& lead, const Signature& signature, const CallPlace& place) {
    if (place.counted_elsewhere) return;
    for (const auto& [direction, side] :
         {std::pair(Direction::send, &summary_.sent), {Direction::recv, &summary_.received}})
      add_imbalance(lead, signature, place.calls, bytes_per_rank(signature, direction, place.remote_size()),
                    side->call_imbalance);
  }

  /// Adds calls of a signature. `mean` is their sum until run() ends.
  static void add_imbalance(const Lead& lead, const Signature& signature, const NumberList& calls,
                            const Spread& bytes_in_call, CallImbalance& total) {
    if (bytes_in_call.sum == 0 || calls.empty()) return;
    const double imbalance = bytes_in_call.imbalance();
    if (total.calls == 0 || imbalance > total.max) {
      total.max = imbalance;
      total.job = lead.job;
      total.lead = lead.rank;
      total.operation = signature.operation;
      total.call = calls.min();
    }
    total.calls = collectives::add(total.calls, calls.size());
    total.mean += imbalance * static_cast<double>(calls.size());
  }

  void count_message(SideSummary& summary, std::uint64_t bytes, std::uint64_t times) const {
    const std::vector<std::uint64_t>& bins = summary_.options.bins;
    const auto bin = static_cast<std::size_t>(std::ranges::upper_bound(bins, bytes) - bins.begin());
    summary.histogram[bin] = collectives::add(summary.histogram[bin], times);
    if (bytes == 0) return;
    std::uint64_t& sized = bytes <= summary_.options.threshold_bytes ? summary.small : summary.large;
    sized = collectives::add(sized, times);
  }

  void add_to_communicator(const Lead& lead, const Signature& signature, const CallPlace& place,
                           std::uint64_t bytes_per_call) {
    // Calls on unknown communicators are grouped by size.
    const std::uint64_t id = place.communicator != nullptr ? place.communicator->id
                                                           : (std::uint64_t{1} << 32) + signature.comm_size;
    CommunicatorSummary& communicator = communicators_[{lead.job, lead.rank, id}];
    if (communicator.calls == 0 && place.communicator != nullptr)
      communicator.members = place.communicator->members;
    else if (communicator.calls == 0)
      communicator.members = NumberList::up_to(place.members->size());  // MPI_COMM_WORLD, or unknown
    communicator.job = lead.job;
    communicator.lead = lead.rank;
    communicator.size = signature.comm_size;
    if (place.communicator != nullptr) {
      communicator.id = place.communicator->id;
      communicator.remote_size = static_cast<std::uint32_t>(place.communicator->remote_members.size());
    }
    communicator.calls = collectives::add(communicator.calls, place.calls.size());
    communicator.bytes_sent =
        collectives::add(communicator.bytes_sent, multiply(bytes_per_call, place.calls.size()));
  }

  void add_to_ranks(const std::vector<RowBytes>& rows, const CallPlace& place,
                    std::uint64_t RankSummary::*total) {
    if (place.members->empty()) return;
    for (const RowBytes& row : rows)
      row.ranks.for_each([&](std::uint64_t comm_rank) {
        if (comm_rank >= place.members->size()) return;
        std::uint64_t& bytes = rank((*place.members)[comm_rank]).*total;
        bytes = collectives::add(bytes, multiply(row.bytes, place.calls.size()));
      });
  }

  template <class Function>
  static void for_each_call(const RankValues& values, const CallPlaces& places, Function&& function) {
    if (values.comm_size == 0) return;
    const CallPlace place = places.of_communicator(values.communicator, values.comm_size);
    const std::size_t calls = std::min(values.calls.size(), values.values.size() / values.comm_size);
    for (std::size_t k = 0; k < calls; ++k) function(*place.members, values.of_call(k));
  }

  void add_times(const RankValues& times, const CallPlaces& places) {
    const bool counts = !places.of_communicator(times.communicator, times.comm_size).counted_elsewhere;
    for_each_call(times, places, [&](const auto& members, std::span<const double> of_ranks) {
      summary_.timed_calls += counts ? 1 : 0;
      for (std::size_t k = 0; k < of_ranks.size(); ++k) {
        if (!std::isfinite(of_ranks[k])) continue;
        summary_.time_s += of_ranks[k];
        summary_.max_time_s = std::max(summary_.max_time_s, of_ranks[k]);
        if (k >= members.size()) continue;
        RankSummary& of_member = rank(members[k]);
        ++of_member.timed_calls;
        of_member.time_s += of_ranks[k];
        of_member.max_time_s = std::max(of_member.max_time_s, of_ranks[k]);
      }
    });
  }

  void add_arrivals(const RankValues& arrivals, const CallPlaces& places) {
    const bool is_among_neighbors = arrivals.operation.neighborhood;
    for_each_call(arrivals, places, [&](const auto& members, std::span<const double> waits) {
      if (std::ranges::any_of(waits, [](double wait) { return !std::isfinite(wait); })) return;
      ++summary_.arrival_calls;
      const auto latest = static_cast<std::size_t>(std::ranges::min_element(waits) - waits.begin());
      double waited_s = 0;
      for (std::size_t k = 0; k < waits.size(); ++k) {
        if (k == latest && !is_among_neighbors) continue;
        const double wait_s = std::max(0.0, waits[k]);
        waited_s += wait_s;
        if (k < members.size()) rank(members[k]).waited_s += wait_s;
      }
      summary_.waited_s += waited_s;
      if (is_among_neighbors || latest >= members.size()) return;  // each rank waits for another neighbour
      RankSummary& of_latest = rank(members[latest]);
      ++of_latest.latest_in_calls;
      of_latest.made_wait_s += waited_s;
    });
  }

  RankSummary& rank(std::uint32_t world_rank) {
    if (world_rank >= summary_.ranks.size()) summary_.ranks.resize(world_rank + 1);
    return summary_.ranks[world_rank];
  }

  const Profile& profile_;
  Summary summary_;
  std::vector<OperationSummary> operations_ = std::vector<OperationSummary>(Operation::count);
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>, CommunicatorSummary> communicators_;
};

}  // namespace

Summary summarize(const Profile& profile, const SummaryOptions& options) {
  if (std::ranges::adjacent_find(options.bins, std::greater_equal()) != options.bins.end())
    throw support::usage_error("bin boundaries are not ascending",
                               "use ascending boundaries, e.g. 200,1024,2048");
  return Summarizer(profile, options).run();
}

TrafficBalance balance_of(const Summary& summary, std::uint64_t RankSummary::*bytes) {
  TrafficBalance balance;
  for (std::uint32_t rank = 0; rank < summary.ranks.size(); ++rank) {
    if (summary.ranks[rank].calls == 0) continue;
    const std::uint64_t number = summary.ranks[rank].*bytes;
    if (balance.ranks == 0 || number > balance.max) {
      balance.max = number;
      balance.max_rank = rank;
    }
    if (balance.ranks == 0 || number < balance.min) {
      balance.min = number;
      balance.min_rank = rank;
    }
    ++balance.ranks;
    balance.total = add(balance.total, number);
  }
  return balance;
}

std::vector<std::uint32_t> late_ranks(const Summary& summary) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < summary.ranks.size(); ++rank)
    if (summary.ranks[rank].made_wait_s > 0) ranks.push_back(rank);
  std::ranges::stable_sort(ranks, std::greater(),
                           [&](std::uint32_t rank) { return summary.ranks[rank].made_wait_s; });
  return ranks;
}

}  // namespace plimsoll::collectives
