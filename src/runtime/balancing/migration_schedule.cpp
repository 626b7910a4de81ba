#include "runtime/balancing/migration_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include <plimsoll/mpi/error_agreement.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/recording/object_name.hpp"

namespace plimsoll::inline v0_1::runtime {

namespace {

constexpr const char* use_one_plan = "use the moves of one plan on all ranks";

/// Checks the moves of one list, of which this rank is one end.
void expect_valid_moves(std::span<const Move> moves, int Move::*here, int Move::*there, int rank, int size,
                        const char* list) {
  std::vector<Move> sorted(moves.begin(), moves.end());
  std::ranges::sort(sorted, {}, &Move::object);
  for (const Move& move : sorted) {
    if (move.*here == rank && move.*there >= 0 && move.*there < size) continue;
    throw support::usage_error(fmt::format("invalid move of {} from rank {} to rank {} in the {} of rank {}",
                                           name_of(move.object), move.from, move.to, list, rank),
                               use_one_plan);
  }
  const auto twice = std::ranges::adjacent_find(sorted, {}, &Move::object);
  if (twice != sorted.end()) {
    throw support::usage_error(
        fmt::format("{} appears twice in the {} of rank {}", name_of(twice->object), list, rank),
        use_one_plan);
  }
}

/// Message from a sender to a receiver: the number of ranks to which it sends, and its objects.
mpi::Parcel announcement(const ObjectQueue& queue, std::size_t n_receivers) {
  const std::uint64_t header = n_receivers;
  const auto objects = std::as_bytes(std::span(queue.objects));
  mpi::Parcel parcel{queue.peer, std::vector<std::byte>(sizeof header + objects.size())};
  std::memcpy(parcel.bytes.data(), &header, sizeof header);
  std::ranges::copy(objects, parcel.bytes.begin() + sizeof header);
  return parcel;
}

std::size_t count_in(const mpi::Parcel& parcel) {
  std::uint64_t count = 0;
  std::memcpy(&count, parcel.bytes.data(), sizeof count);
  return count;
}

std::vector<SizedObject> objects_in(const mpi::Parcel& parcel) {
  const auto bytes = std::span(parcel.bytes).subspan(sizeof(std::uint64_t));
  std::vector<SizedObject> objects(bytes.size() / sizeof(SizedObject));
  std::ranges::copy(bytes, std::as_writable_bytes(std::span(objects)).begin());
  return objects;
}

/// Expects the senders to announce exactly the objects that this rank imports.
void expect_same_moves(const std::vector<ObjectQueue>& incoming, std::span<const Move> imports, int rank) {
  using SenderAndObject = std::pair<int, ObjectId>;
  std::vector<SenderAndObject> announced;
  for (const ObjectQueue& queue : incoming)
    for (const SizedObject& object : queue.objects) announced.emplace_back(queue.peer, object.id);
  std::vector<SenderAndObject> expected;
  for (const Move& move : imports)
    if (move.from != rank) expected.emplace_back(move.from, move.object);
  std::ranges::sort(announced);
  std::ranges::sort(expected);
  std::vector<SenderAndObject> differing;
  std::ranges::set_difference(announced, expected, std::back_inserter(differing));
  if (!differing.empty()) {
    throw support::usage_error(fmt::format("rank {} exports {} to rank {}, which does not import it",
                                           differing[0].first, name_of(differing[0].second), rank),
                               use_one_plan);
  }
  std::ranges::set_difference(expected, announced, std::back_inserter(differing));
  if (!differing.empty()) {
    throw support::usage_error(fmt::format("rank {} imports {} from rank {}, which does not export it", rank,
                                           name_of(differing[0].second), differing[0].first),
                               use_one_plan);
  }
}

void expect_same_in_place(std::span<const Move> exports, std::span<const Move> imports, int rank) {
  const auto in_place = [&](std::span<const Move> moves) {
    std::set<ObjectId> objects;
    for (const Move& move : moves)
      if (move.from == move.to) objects.insert(move.object);
    return objects;
  };
  std::vector<ObjectId> differing;
  std::ranges::set_symmetric_difference(in_place(exports), in_place(imports), std::back_inserter(differing));
  if (differing.empty()) return;
  throw support::usage_error(fmt::format("only one list of rank {} contains {}, which stays on this rank",
                                         rank, name_of(differing[0])),
                             "specify such an object in both lists, or in none");
}

}  // namespace

MigrationSchedule make_schedule(const mpi::Communicator& communicator, std::span<const Move> exports,
                                std::span<const Move> imports, const ObjectTransport& transport,
                                std::size_t max_buffer_bytes) {
  const int rank = communicator.rank();
  const int size = communicator.size();
  MigrationSchedule schedule;
  std::vector<mpi::Parcel> announcements;
  mpi::agreed(communicator, [&] {
    expect_valid_moves(exports, &Move::from, &Move::to, rank, size, "exports");
    expect_valid_moves(imports, &Move::to, &Move::from, rank, size, "imports");
    expect_same_in_place(exports, imports, rank);
    std::map<int, ObjectQueue> by_distance;
    for (const Move& move : exports) {
      const SizedObject object = size_of(move.object, transport);
      if (move.to == rank) {
        schedule.in_place.push_back(object);
        continue;
      }
      ObjectQueue& queue = by_distance[(move.to - rank + size) % size];
      queue.peer = move.to;
      queue.objects.push_back(object);
    }
    schedule.outgoing.reserve(by_distance.size());
    for (auto& [distance, queue] : by_distance) schedule.outgoing.push_back(std::move(queue));
    announcements.reserve(schedule.outgoing.size());
    for (const ObjectQueue& queue : schedule.outgoing)
      announcements.push_back(announcement(queue, schedule.outgoing.size()));
  });

  const std::vector<mpi::Parcel> announced = exchange(communicator, std::move(announcements));
  std::vector<mpi::Parcel> replies;
  mpi::agreed(communicator, [&] {
    schedule.incoming.reserve(announced.size());
    replies.reserve(announced.size());
    for (const mpi::Parcel& parcel : announced) {
      // Both ends of a queue divide their memory among their peers.
      const std::size_t peers = std::max(count_in(parcel), announced.size());
      schedule.incoming.push_back({parcel.rank, objects_in(parcel), max_buffer_bytes / peers});
      replies.push_back(announcement({.peer = parcel.rank}, announced.size()));
    }
    expect_same_moves(schedule.incoming, imports, rank);
  });
  for (const mpi::Parcel& reply : exchange(communicator, std::move(replies))) {
    const auto queue = std::ranges::find(schedule.outgoing, reply.rank, &ObjectQueue::peer);
    queue->max_bytes_per_round = max_buffer_bytes / std::max(count_in(reply), schedule.outgoing.size());
  }

  mpi::agreed(communicator, [&] {
    for (const ObjectQueue& queue : schedule.outgoing)
      schedule.rounds = std::max(schedule.rounds, count_rounds(queue));
  });
  schedule.rounds = communicator.max(schedule.rounds);
  return schedule;
}

}  // namespace plimsoll::runtime
