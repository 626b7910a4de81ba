#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/migration.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

constexpr std::size_t object_bytes = (std::size_t{1} << 31) + 12'345;
constexpr std::size_t sample_distance = 65'521;

std::uint64_t available_memory_kib() {
  std::ifstream file("/proc/meminfo");
  for (std::string name, rest; file >> name; std::getline(file, rest)) {
    if (std::uint64_t value = 0; name == "MemAvailable:" && file >> value) return value;
  }
  return 0;
}

// The object exists only in the messages, where sampled positions contain their own number. The memory
// between them is not touched by the sender and therefore needs no space there.
TEST(Migrate, MovesObjectBeyond2Gib) {
  const mpi::Communicator communicator(MPI_COMM_WORLD);
  ASSERT_EQ(communicator.size(), 2);
  constexpr std::uint64_t needed_kib = 8u << 20;
  if (communicator.broadcast(available_memory_kib() < needed_kib ? "no" : "yes") == "no")
    GTEST_SKIP() << "less than 8 GiB of memory are free";
  bool has_arrived = false;
  const ObjectTransport transport = {
      .size_bytes = [](ObjectId) { return object_bytes; },
      .pack =
          [](ObjectId, std::span<std::byte> to) {
            for (std::size_t k = 0; k + sizeof k <= to.size(); k += sample_distance)
              std::memcpy(&to[k], &k, sizeof k);
            return to.size();
          },
      .unpack =
          [&](ObjectId, std::span<const std::byte> from) {
            EXPECT_EQ(from.size(), object_bytes);
            std::size_t n_wrong = 0;
            for (std::size_t k = 0; k + sizeof k <= from.size(); k += sample_distance) {
              std::size_t there = 0;
              std::memcpy(&there, &from[k], sizeof there);
              if (there != k) ++n_wrong;
            }
            EXPECT_EQ(n_wrong, 0u);
            has_arrived = true;
            return from.size();
          }};
  const std::vector<Move> move = {{static_cast<ObjectId>(1), 0, 1}};
  const std::vector<Move> none;
  const bool sends = communicator.rank() == 0;
  const MigrationReport report = migrate(communicator, sends ? move : none, sends ? none : move, transport);
  EXPECT_EQ(has_arrived, !sends);
  EXPECT_EQ(report.bytes, static_cast<double>(object_bytes));
}

}  // namespace
}  // namespace plimsoll::runtime
