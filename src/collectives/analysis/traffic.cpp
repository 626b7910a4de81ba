#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/traffic.hpp>

#include "collectives/analysis/typed_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Throws if a signature contains ranks or peers outside its communicator.
void check(const Signature& signature, const Side& side, const Lead& lead) {
  const CountMatrix& matrix = side.matrix;
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    if (!matrix.ranks[row].empty() && matrix.ranks[row].max() >= signature.comm_size)
      throw support::bad_input(
          fmt::format("invalid rank {1} in the counts of lead rank {0}: the communicator has {2} ranks",
                      lead.rank, matrix.ranks[row].max(), signature.comm_size));
  if (!side.type_sizes.empty() && side.type_sizes.size() != signature.comm_size)
    throw support::bad_input(fmt::format("lead rank {} has {} type sizes: expected {}, one per rank",
                                         lead.rank, side.type_sizes.size(), signature.comm_size));
}

class TrafficSum {
 public:
  TrafficSum(const Profile& profile, const TrafficSelection& selection, Direction counts_of,
             bool with_messages)
      : profile_(profile),
        selection_(selection),
        counts_of_(counts_of),
        with_messages_(with_messages),
        world_size_(known_world_size(profile)) {
    if (world_size_ > Traffic::max_ranks)
      throw support::usage_error(fmt::format("too many ranks for a matrix: {}, but at most {} are supported",
                                             world_size_, Traffic::max_ranks));
    traffic_.bytes = TrafficMatrix(world_size_);
    if (with_messages) traffic_.messages = TrafficMatrix(world_size_);
  }

  void add(const Lead& lead) {
    const CallPlaces places(profile_, lead);
    for (std::size_t number = 0; number < lead.signatures.size(); ++number) {
      const Signature& signature = lead.signatures[number];
      if (selection_.operation && signature.operation != *selection_.operation) continue;
      if (selection_.signature && number != *selection_.signature) continue;
      if (selection_.call && !signature.calls.contains(*selection_.call)) continue;
      check(signature, side(signature), lead);
      for (const CallPlace& place : places.of(signature)) add(lead, signature, place);
    }
  }

  Traffic finish() {
    for (const auto& [what, unplaced] : unplaced_)
      traffic_.findings.push_back(
          {.severity = support::Severity::warning,
           .what = fmt::format("unknown members of the communicators of {} ranks led by rank {}: skipped "
                               "{:.0f} bytes in {} of their calls",
                               what.second, what.first, unplaced.second, unplaced.first),
           .suggestion = "use a profile with recorded locations"});
    return std::move(traffic_);
  }

 private:
  const Side& side(const Signature& signature) const { return side_of(signature, counts_of_); }

  void add(const Lead& lead, const Signature& signature, const CallPlace& place) {
    if (selection_.communicator &&
        (place.communicator == nullptr || place.communicator->id != *selection_.communicator))
      return;
    std::uint64_t calls = place.calls.size();
    if (selection_.call) calls = place.calls.contains(*selection_.call) ? 1 : 0;
    if (calls == 0) return;
    const bool counts = selection_.lead || !place.counted_elsewhere;
    if (counts) traffic_.calls += calls;

    const std::vector<std::uint32_t>& members = *place.members;
    const std::vector<std::uint32_t> remote = remote_members(place);
    const std::vector<std::uint32_t>& peers = place.remote_size() > 0 ? remote : members;
    if (members.size() != signature.comm_size ||
        (!has_one_count(signature, counts_of_) && peers.size() != side(signature).matrix.columns)) {
      leave_out(lead, signature, place.remote_size(), calls);
      if (counts) traffic_.unplaced_calls += calls;
      return;
    }
    check_ranks(members);
    check_ranks(peers);
    for (const TypedRow& row : rows_of(signature, side(signature))) {
      const double bytes_per_count = static_cast<double>(row.type_size) * static_cast<double>(calls);
      row.ranks.for_each([&](std::uint64_t rank) {
        for (std::uint32_t peer = 0; peer < peers.size(); ++peer) {
          const std::uint64_t count = row.count(peer);
          if (count > 0) add(members[rank], peers[peer], static_cast<double>(count) * bytes_per_count, calls);
        }
      });
    }
  }

  void check_ranks(const std::vector<std::uint32_t>& ranks) const {
    for (const std::uint32_t rank : ranks)
      if (rank >= world_size_)
        throw support::bad_input(
            fmt::format("invalid rank {} in a communicator: MPI_COMM_WORLD has {} ranks", rank, world_size_));
  }

  static std::vector<std::uint32_t> remote_members(const CallPlace& place) {
    std::vector<std::uint32_t> ranks;
    if (place.remote_size() > 0 && place.remote_size() <= Traffic::max_ranks)
      place.communicator->remote_members.for_each(
          [&](std::uint64_t rank) { ranks.push_back(static_cast<std::uint32_t>(rank)); });
    return ranks;
  }

  void add(std::uint32_t own, std::uint32_t peer, double bytes, std::uint64_t calls) {
    if (counts_of_ == Direction::recv) std::swap(own, peer);
    traffic_.bytes(own, peer) += bytes;
    if (with_messages_) traffic_.messages(own, peer) += static_cast<double>(calls);
  }

  void leave_out(const Lead& lead, const Signature& signature, std::uint32_t remote_size,
                 std::uint64_t calls) {
    double bytes = 0;
    for (const TypedRow& row : rows_of(signature, side(signature), remote_size)) {
      const double bytes_per_count = static_cast<double>(row.type_size) *
                                     static_cast<double>(row.ranks.size()) * static_cast<double>(calls);
      row.for_each_count([&](std::uint64_t count, std::uint32_t peers) {
        bytes += static_cast<double>(count) * static_cast<double>(peers) * bytes_per_count;
      });
    }
    traffic_.unplaced_bytes += bytes;
    auto& [some_calls, some_bytes] = unplaced_[{lead.rank, signature.comm_size}];
    some_calls += calls;
    some_bytes += bytes;
  }

  const Profile& profile_;
  TrafficSelection selection_;
  Direction counts_of_;
  bool with_messages_;
  std::uint32_t world_size_;
  Traffic traffic_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint64_t, double>>
      unplaced_;  // calls and bytes by lead and size of the communicator
};

bool is_led(const Profile& profile, std::uint32_t rank) {
  return std::ranges::any_of(profile.leads, [&](const Lead& lead) { return lead.rank == rank; });
}

void check_one_job(const Profile& profile) {
  for (const Lead& lead : profile.leads)
    if (lead.job != profile.leads.front().job)
      throw support::usage_error(
          fmt::format("the profile contains several jobs, {} and {}", profile.leads.front().job, lead.job),
          "specify the files of one job");
}

/// Throws unless the selection matches calls, and the ranks of some of them are known.
void check(const Traffic& traffic, const TrafficSelection& selection) {
  if (traffic.calls == 0)
    throw support::usage_error(selection.operation
                                   ? fmt::format("no recorded calls of {} match", selection.operation->name())
                                   : "no recorded calls match",
                               "use plimsoll collectives calls to list all calls");
  if (traffic.calls == traffic.unplaced_calls)
    throw support::bad_input(fmt::format("the ranks of all {} calls are unknown", traffic.calls), {},
                             "use a profile with recorded locations");
}

/// Throws unless the selection matches calls of its lead, and is unambiguous.
void check(const Lead& lead, const TrafficSelection& selection) {
  std::vector<Operation> operations;
  for (const Signature& signature : lead.signatures)
    if (selection.call && signature.calls.contains(*selection.call) &&
        (!selection.operation || signature.operation == *selection.operation) &&
        std::ranges::count(operations, signature.operation) == 0)
      operations.push_back(signature.operation);
  if (selection.call && operations.empty())
    throw support::usage_error(
        fmt::format(
            "unknown call {} of lead rank {}{}", *selection.call, lead.rank,
            selection.operation ? ": expected a recorded call of " + selection.operation->name() : ""),
        "use plimsoll collectives calls to list all calls");
  if (operations.size() > 1)
    throw support::usage_error(
        fmt::format("ambiguous call of lead rank {}: call {} exists for {} and {}", lead.rank,
                    *selection.call, operations[0].name(), operations[1].name()),
        "specify the operation");
  if (selection.signature && *selection.signature >= lead.signatures.size())
    throw support::usage_error(
        fmt::format("unknown count set {} of lead rank {}", *selection.signature, lead.rank),
        fmt::format("use a number below {}", lead.signatures.size()));
  if (selection.communicator &&
      std::ranges::none_of(lead.communicators, [&](const Communicator& communicator) {
        return communicator.id == *selection.communicator;
      }))
    throw support::usage_error(
        fmt::format("unknown communicator {} of lead rank {}", *selection.communicator, lead.rank),
        "use a profile with locations, times or backtraces: other profiles do not contain communicators");
}

void check(const Profile& profile, const TrafficSelection& selection) {
  check_one_job(profile);
  expect_counts(profile);
  if (!selection.lead) return;
  if (!is_led(profile, *selection.lead)) {
    NumberList leads;
    for (const Lead& lead : profile.leads) leads.push_back(lead.rank);
    throw support::usage_error(fmt::format("rank {} is not a lead rank in this profile", *selection.lead),
                               fmt::format("use a lead rank: {}", leads.to_string()));
  }
  for (const Lead& lead : profile.leads)
    if (lead.rank == *selection.lead) check(lead, selection);
}

}  // namespace

std::uint32_t known_world_size(const Profile& profile) {
  if (profile.world_size > 0) return profile.world_size;
  std::uint64_t size = 0;
  for (const Lead& lead : profile.leads) {
    size = std::max<std::uint64_t>(size, std::uint64_t{lead.rank} + 1);
    for (const Signature& signature : lead.signatures)
      size = std::max<std::uint64_t>(size, signature.comm_size);
    for (const Communicator& communicator : lead.communicators)
      for (const NumberList* members : {&communicator.members, &communicator.remote_members})
        if (!members->empty()) size = std::max(size, members->max() + 1);
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(size, UINT32_MAX));
}

Traffic traffic(const Profile& profile, const TrafficSelection& selection, Direction counts_of,
                bool with_messages) {
  check(profile, selection);
  TrafficSum sum(profile, selection, counts_of, with_messages);
  for (const Lead& lead : profile.leads)
    if (!selection.lead || lead.rank == *selection.lead) sum.add(lead);
  Traffic result = sum.finish();
  check(result, selection);
  return result;
}

}  // namespace plimsoll::collectives
