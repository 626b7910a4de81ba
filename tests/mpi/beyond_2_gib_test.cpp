#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {
namespace {

constexpr std::size_t size_bytes = (std::size_t{1} << 31) + 12'345;

std::uint64_t available_memory_kib() {
  std::ifstream file("/proc/meminfo");
  for (std::string name, rest; file >> name; std::getline(file, rest)) {
    if (std::uint64_t value = 0; name == "MemAvailable:" && file >> value) return value;
  }
  return 0;
}

/// Returns the positions of the sampled bytes. The message contains each position at that position; the other
/// bytes are zero and use no memory on the sender.
std::vector<std::size_t> sampled_positions() {
  constexpr std::size_t distance_bytes = 65'521;
  std::vector<std::size_t> positions{size_bytes - sizeof(std::size_t)};
  for (std::size_t position = 0; position < positions[0]; position += distance_bytes)
    positions.push_back(position);
  return positions;
}

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};

TEST(LargeMessages, MayExceed2Gib) {
  const Communicator communicator(MPI_COMM_WORLD);
  ASSERT_EQ(communicator.size(), 2);
  constexpr std::uint64_t needed_kib = 8u << 20;
  if (communicator.broadcast(available_memory_kib() < needed_kib ? "no" : "yes") == "no") {
    GTEST_SKIP() << "less than 8 GiB of memory are free";
  }
  if (communicator.rank() == 0) {
    const std::unique_ptr<std::byte[], Free> memory(static_cast<std::byte*>(std::calloc(size_bytes, 1)));
    ASSERT_NE(memory, nullptr);
    for (const std::size_t position : sampled_positions()) {
      std::memcpy(&memory[position], &position, sizeof position);
    }
    send(communicator, std::span(memory.get(), size_bytes), 1, 0);
  } else {
    const std::vector<std::byte> bytes = receive(communicator, 0, 0);
    ASSERT_EQ(bytes.size(), size_bytes);
    for (const std::size_t position : sampled_positions()) {
      std::size_t there = 0;
      std::memcpy(&there, &bytes[position], sizeof there);
      ASSERT_EQ(there, position);
    }
  }
}

}  // namespace
}  // namespace plimsoll::mpi
