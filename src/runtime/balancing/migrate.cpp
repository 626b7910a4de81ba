#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/runtime/migration.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/balancing/transfer.hpp"
#include "runtime/recording/object_registry.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

/// The moves of one rank, with the sizes of all objects.
struct MigrationSchedule {
  std::vector<ObjectQueue> outgoing;  ///< one per receiver, ascending by distance from this rank
  std::vector<ObjectQueue> incoming;  ///< one per sender
  std::vector<SizedObject> in_place;  ///< objects that are packed and unpacked on this rank
  int rounds = 0;                     ///< rounds of all ranks
};

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

/// Asks for the size of every object that leaves this rank, and compares the lists of all ranks. Collective.
/// Throws Error on all ranks if they are invalid or differ, or if size_bytes() throws.
MigrationSchedule make_schedule(const mpi::Communicator& communicator, std::span<const Move> exports,
                                std::span<const Move> imports, const ObjectTransport& transport,
                                std::size_t max_buffer_bytes) {
  const int rank = communicator.rank();
  const int size = communicator.size();
  MigrationSchedule schedule;
  const auto announce = [&](mpi::Messages& announcements) {
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
    for (const ObjectQueue& queue : schedule.outgoing)
      announcements[queue.peer](schedule.outgoing.size(), queue.objects);
  };
  // Both ends of a queue divide their memory among their peers, whose numbers they tell each other.
  std::vector<std::size_t> peers_of_senders;
  mpi::exchange_messages(communicator, announce, [&](int from, mpi::Unpacker& message) {
    peers_of_senders.push_back(message.value<std::size_t>());
    schedule.incoming.push_back({.peer = from, .objects = message.array<SizedObject>()});
  });
  const auto reply = [&](mpi::Messages& replies) {
    expect_same_moves(schedule.incoming, imports, rank);
    for (std::size_t k = 0; k < schedule.incoming.size(); ++k) {
      ObjectQueue& queue = schedule.incoming[k];
      queue.max_bytes_per_round = max_buffer_bytes / std::max(peers_of_senders[k], schedule.incoming.size());
      replies[queue.peer].value(schedule.incoming.size());
    }
  };
  mpi::exchange_messages(communicator, reply, [&](int from, mpi::Unpacker& message) {
    const auto queue = std::ranges::find(schedule.outgoing, from, &ObjectQueue::peer);
    queue->max_bytes_per_round =
        max_buffer_bytes / std::max(message.value<std::size_t>(), schedule.outgoing.size());
  });
  mpi::agreed(communicator, [&] {
    for (const ObjectQueue& queue : schedule.outgoing)
      schedule.rounds = std::max(schedule.rounds, count_rounds(queue));
  });
  schedule.rounds = communicator.max(schedule.rounds);
  return schedule;
}

void expect_complete(const ObjectTransport& transport, const MigrationOptions& options) {
  if (!transport.size_bytes || !transport.pack || !transport.unpack) {
    throw support::usage_error("size_bytes(), pack() or unpack() is missing from an ObjectTransport",
                               "set all three functions");
  }
  if (options.max_buffer_bytes == 0)
    throw support::usage_error("invalid max_buffer_bytes 0: must be > 0", "set the bytes of one round");
}

void move_in_place(std::span<const SizedObject> objects, const ObjectTransport& transport) {
  std::vector<std::byte> packed;
  for (const SizedObject& object : objects) {
    packed.resize(object.bytes + guard_bytes);
    pack_objects({&object, 1}, packed, transport);
    remove_object(object.id, transport);
    unpack_objects({&object, 1}, packed, transport, [](ObjectId) {});
  }
}

void run_rounds(const mpi::Communicator& communicator, MigrationSchedule& schedule,
                const ObjectTransport& transport) {
  Transfer transfer(communicator, schedule.outgoing, schedule.incoming, transport);
  for (int round = 0; round < schedule.rounds; ++round) {
    mpi::agreed(communicator, [&] { transfer.start_round(); });
    transfer.run_round();
    try {
      mpi::agree(communicator, transfer.error());
    } catch (const Error&) {
      transfer.undo_round();
      throw;
    }
    mpi::agreed(communicator, [&] { transfer.finish_round(); });
  }
}

void add(MigrationReport& report, const std::vector<SizedObject>& objects) {
  report.objects += std::ssize(objects);
  for (const SizedObject& object : objects) report.bytes += static_cast<double>(object.bytes);
}

}  // namespace

MigrationReport migrate(const mpi::Communicator& communicator, std::span<const Move> exports,
                        std::span<const Move> imports, const ObjectTransport& transport,
                        const MigrationOptions& options) {
  const double start = MPI_Wtime();
  mpi::agreed(communicator, [&] { expect_complete(transport, options); });
  MigrationSchedule schedule =
      make_schedule(communicator, exports, imports, transport, options.max_buffer_bytes);
  mpi::agreed(communicator, [&] { move_in_place(schedule.in_place, transport); });
  run_rounds(communicator, schedule, transport);

  MigrationReport report{.rounds = schedule.rounds};
  add(report, schedule.in_place);
  for (const ObjectQueue& queue : schedule.outgoing) add(report, queue.objects);
  report.time_s = MPI_Wtime() - start;
  return communicator.all_reduce<[](MigrationReport& left, const MigrationReport& right) {
    left.objects += right.objects;
    left.bytes += right.bytes;
    left.time_s = std::max(left.time_s, right.time_s);
  }>(report);
}

}  // namespace plimsoll::runtime
