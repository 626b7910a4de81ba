#include <mpi.h>

#include <algorithm>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/migration.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/balancing/migration_schedule.hpp"
#include "runtime/balancing/transfer.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

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
