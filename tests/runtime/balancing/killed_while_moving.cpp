// Kills rank 1 while it packs objects. The launcher must end the other ranks, which wait for these objects.
#include <fmt/format.h>
#include <mpi.h>

#include <csignal>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/migration.hpp>

int main(int argc, char** argv) {
  using namespace plimsoll;
  MPI_Init(&argc, &argv);
  const mpi::Communicator communicator(MPI_COMM_WORLD);
  std::vector<Move> exports;
  std::vector<Move> imports;
  constexpr std::uint64_t n_objects = 100;
  for (std::uint64_t k = 0; k < n_objects; ++k) {
    if (communicator.rank() == 1) exports.push_back({static_cast<ObjectId>(k), 1, 0});
    if (communicator.rank() == 0) imports.push_back({static_cast<ObjectId>(k), 1, 0});
  }
  constexpr std::size_t object_bytes = 1 << 18;
  const ObjectTransport transport = {
      .size_bytes = [](ObjectId) { return object_bytes; },
      .pack =
          [](ObjectId id, std::span<std::byte>) {
            if (static_cast<std::uint64_t>(id) == n_objects / 2) std::raise(SIGKILL);
            return object_bytes;
          },
      .unpack = [](ObjectId, std::span<const std::byte> from) { return from.size(); }};
  migrate(communicator, exports, imports, transport);
  fmt::print("rank {} finished the migration\n", communicator.rank());
}
