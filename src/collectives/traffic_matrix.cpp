#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <plimsoll/collectives/messages.hpp>
#include <plimsoll/collectives/traffic_matrix.hpp>
#include <plimsoll/support/error.hpp>

#include "collectives/call_set.hpp"

namespace plimsoll::collectives {

namespace {

std::vector<std::uint32_t> ranks_of(const NumberList& list, std::uint32_t world_size) {
  if (!list.empty() && list.max() >= world_size)
    throw support::bad_input(
        fmt::format("a communicator has rank {} of {} in MPI_COMM_WORLD", list.max(), world_size));
  std::vector<std::uint32_t> ranks;
  ranks.reserve(list.size());
  list.for_each([&](std::uint64_t rank) { ranks.push_back(static_cast<std::uint32_t>(rank)); });
  return ranks;
}

/// Where the ranks of a communicator are in MPI_COMM_WORLD.
struct Places {
  std::vector<std::uint32_t> members;
  std::vector<std::uint32_t> peers;  ///< those again, or the remote group
};

/// A communicator of a lead, made ready to be asked.
struct PlacedCommunicator {
  std::uint32_t id = 0;
  Places places;
  std::vector<std::pair<Operation, CallSet>> calls;

  /// Its calls, null if none of the operation are known.
  const CallSet* calls_of(Operation operation) const {
    for (const auto& [of, ids] : calls)
      if (of == operation) return &ids;
    return nullptr;
  }
};

std::vector<PlacedCommunicator> placed_communicators(const Lead& lead, std::uint32_t world_size) {
  std::vector<PlacedCommunicator> placed;
  for (const Communicator& communicator : lead.communicators) {
    PlacedCommunicator& one = placed.emplace_back();
    one.id = communicator.id;
    one.places.members = ranks_of(communicator.members, world_size);
    one.places.peers = communicator.remote_members.empty()
                           ? one.places.members
                           : ranks_of(communicator.remote_members, world_size);
    for (const Communicator::Calls& calls : communicator.calls)
      one.calls.emplace_back(calls.operation, CallSet(calls.ids));
  }
  return placed;
}

/// Throws unless a signature speaks of ranks and peers that its communicator has.
void check(const Signature& signature, const Side& side, const Lead& lead) {
  const CountMatrix& matrix = side.matrix;
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    if (!matrix.ranks[row].empty() && matrix.ranks[row].max() >= signature.comm_size)
      throw support::bad_input(fmt::format("lead {} has counts of rank {} in a communicator of {}", lead.rank,
                                           matrix.ranks[row].max(), signature.comm_size));
  if (!side.type_sizes.empty() && side.type_sizes.size() != signature.comm_size)
    throw support::bad_input(fmt::format("lead {} has {} type sizes for {} ranks", lead.rank,
                                         side.type_sizes.size(), signature.comm_size));
}

class TrafficSum {
 public:
  TrafficSum(const Profile& profile, const TrafficSelection& selection, CountsOf counts_of,
             bool with_messages)
      : selection_(selection),
        counts_of_(counts_of),
        with_messages_(with_messages),
        world_size_(known_world_size(profile)) {
    if (world_size_ > Traffic::max_ranks)
      throw support::usage_error(
          fmt::format("a matrix of {} ranks is too large; {} is the limit", world_size_, Traffic::max_ranks));
    traffic_.bytes = TrafficMatrix(world_size_);
    if (with_messages) traffic_.messages = TrafficMatrix(world_size_);
    world_.members.resize(world_size_);
    std::iota(world_.members.begin(), world_.members.end(), 0U);
    world_.peers = world_.members;
  }

  void add(const Lead& lead) {
    const std::vector<PlacedCommunicator> communicators = placed_communicators(lead, world_size_);
    for (std::size_t number = 0; number < lead.signatures.size(); ++number) {
      const Signature& signature = lead.signatures[number];
      if (selection_.operation && signature.operation != *selection_.operation) continue;
      if (selection_.signature && number != *selection_.signature) continue;
      if (selection_.call && !signature.calls.contains(*selection_.call)) continue;
      check(signature, side(signature), lead);
      add(lead, signature, communicators);
    }
  }

  Traffic finish() {
    for (const auto& [what, unplaced] : unplaced_)
      traffic_.findings.push_back(
          {.severity = support::Severity::warning,
           .what = fmt::format("it is not known which ranks of MPI_COMM_WORLD are in the communicators of {} "
                               "ranks led by rank {}: {} calls with {:.0f} bytes are left out",
                               what.second, what.first, unplaced.first, unplaced.second),
           .suggestion = "record locations too"});
    return std::move(traffic_);
  }

 private:
  const Side& side(const Signature& signature) const {
    return counts_of_ == CountsOf::sender ? signature.send : signature.recv;
  }

  /// Shares the calls of a signature out to the communicators that have it.
  void add(const Lead& lead, const Signature& signature,
           const std::vector<PlacedCommunicator>& communicators) {
    NumberList calls = signature.calls;
    if (selection_.call) {
      calls = {};
      calls.push_back(*selection_.call);
    }
    std::uint64_t rest = calls.size();
    const PlacedCommunicator* without_calls = nullptr;
    std::size_t n_without_calls = 0;
    for (const PlacedCommunicator& communicator : communicators) {
      const CallSet* own = communicator.calls_of(signature.operation);
      if (own == nullptr) {
        if (!communicator.calls.empty() || communicator.places.members.size() != signature.comm_size)
          continue;
        without_calls = &communicator;
        ++n_without_calls;
        continue;
      }
      const std::uint64_t shared = std::min(own->count_common(calls), rest);
      rest -= shared;
      if (selection_.communicator && communicator.id != *selection_.communicator) continue;
      place(lead, signature, communicator.places, shared);
    }
    if (rest == 0) return;
    if (n_without_calls == 1) {
      if (!selection_.communicator || without_calls->id == *selection_.communicator)
        place(lead, signature, without_calls->places, rest);
    } else if (!selection_.communicator) {
      const bool like_world = lead.rank == 0 && signature.comm_size == world_size_ && n_without_calls == 0;
      place(lead, signature, like_world ? world_ : Places(), rest);
    }
  }

  void place(const Lead& lead, const Signature& signature, const Places& places, std::uint64_t calls) {
    if (calls == 0) return;
    const CountMatrix& matrix = side(signature).matrix;
    const bool one_for_all = matrix.columns == 1;
    traffic_.calls += calls;
    if (places.members.size() != signature.comm_size ||
        (!one_for_all && places.peers.size() != matrix.columns)) {
      leave_out(lead, signature, calls);
      return;
    }
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      const auto counts = matrix.row(row);
      matrix.ranks[row].for_each([&](std::uint64_t rank) {
        const double bytes_per_count =
            static_cast<double>(type_size_of(side(signature), rank)) * static_cast<double>(calls);
        for (std::size_t peer = 0; peer < places.peers.size(); ++peer) {
          const std::int64_t count = one_for_all ? counts[0] : counts[peer];
          if (count > 0)
            add(places.members[rank], places.peers[peer], static_cast<double>(count) * bytes_per_count,
                calls);
        }
      });
    }
  }

  void add(std::uint32_t own, std::uint32_t peer, double bytes, std::uint64_t calls) {
    if (counts_of_ == CountsOf::receiver) std::swap(own, peer);
    traffic_.bytes(own, peer) += bytes;
    if (with_messages_) traffic_.messages(own, peer) += static_cast<double>(calls);
  }

  void leave_out(const Lead& lead, const Signature& signature, std::uint64_t calls) {
    double bytes = 0;
    for_each_count(signature, side(signature),
                   [&](std::size_t, const NumberList& ranks, std::uint32_t, std::int64_t count) {
                     if (count <= 0) return;
                     double type_sizes = 0;
                     if (side(signature).type_sizes.empty())
                       type_sizes =
                           static_cast<double>(side(signature).type_size) * static_cast<double>(ranks.size());
                     else
                       ranks.for_each([&](std::uint64_t rank) {
                         type_sizes += static_cast<double>(type_size_of(side(signature), rank));
                       });
                     bytes += static_cast<double>(count) * type_sizes;
                   });
    bytes *= static_cast<double>(calls);
    traffic_.unplaced_bytes += bytes;
    traffic_.unplaced_calls += calls;
    auto& [some_calls, some_bytes] = unplaced_[{lead.rank, signature.comm_size}];
    some_calls += calls;
    some_bytes += bytes;
  }

  TrafficSelection selection_;
  CountsOf counts_of_;
  bool with_messages_;
  std::uint32_t world_size_;
  Places world_;
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
          fmt::format("there are several jobs, {} and {}", profile.leads.front().job, lead.job),
          "name the files of one of them");
}

/// Throws unless the selection means something, and one thing, in what its lead did.
void check(const Lead& lead, const TrafficSelection& selection) {
  std::vector<Operation> operations;
  for (const Signature& signature : lead.signatures)
    if (selection.call && signature.calls.contains(*selection.call) &&
        (!selection.operation || signature.operation == *selection.operation) &&
        std::ranges::count(operations, signature.operation) == 0)
      operations.push_back(signature.operation);
  if (selection.call && operations.empty())
    throw support::usage_error(fmt::format("rank {} leads no recorded call {}{}", lead.rank, *selection.call,
                                           selection.operation ? " of " + selection.operation->name() : ""),
                               "plimsoll collectives calls lists them");
  if (operations.size() > 1)
    throw support::usage_error(fmt::format("rank {} leads a call {} of {} and of {}", lead.rank,
                                           *selection.call, operations[0].name(), operations[1].name()),
                               "say which operation");
  if (selection.signature && *selection.signature >= lead.signatures.size())
    throw support::usage_error(fmt::format("rank {} leads no signature {}", lead.rank, *selection.signature),
                               fmt::format("it has {} of them, from 0", lead.signatures.size()));
  if (selection.communicator &&
      std::ranges::none_of(lead.communicators, [&](const Communicator& communicator) {
        return communicator.id == *selection.communicator;
      }))
    throw support::usage_error(
        fmt::format("no communicator {} of rank {} is known", *selection.communicator, lead.rank),
        "profiles name communicators where locations, times or back traces were recorded");
}

void check(const Profile& profile, const TrafficSelection& selection) {
  check_one_job(profile);
  if (!selection.lead) return;
  if (!is_led(profile, *selection.lead)) {
    NumberList leads;
    for (const Lead& lead : profile.leads) leads.push_back(lead.rank);
    throw support::usage_error(fmt::format("rank {} leads no communicator of the profile", *selection.lead),
                               fmt::format("these do: {}", leads.to_string()));
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

Traffic traffic(const Profile& profile, const TrafficSelection& selection, CountsOf counts_of,
                bool with_messages) {
  check(profile, selection);
  TrafficSum sum(profile, selection, counts_of, with_messages);
  for (const Lead& lead : profile.leads)
    if (!selection.lead || lead.rank == *selection.lead) sum.add(lead);
  return sum.finish();
}

}  // namespace plimsoll::collectives
