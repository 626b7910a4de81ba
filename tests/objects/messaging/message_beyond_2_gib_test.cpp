#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>

#include "objects/messaging/message_exchange.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

constexpr std::size_t large_bytes = (std::size_t{1} << 31) + 12'344;
constexpr std::size_t distance_bytes = 65'528;  // between the sampled positions

std::uint64_t memory_available_kib() {
  std::ifstream file("/proc/meminfo");
  for (std::string name, rest; file >> name; std::getline(file, rest)) {
    if (std::uint64_t value = 0; name == "MemAvailable:" && file >> value) return value;
  }
  return 0;
}

/// Writes to each sampled position what it is.
void fill(std::span<std::byte> message) {
  for (std::size_t at = 0; at + sizeof at <= message.size(); at += distance_bytes)
    std::memcpy(&message[at], &at, sizeof at);
}

/// Calls `send(exchange)` on rank 0, and expects a large message and an empty one on rank 1.
template <class Send>
void expect_large_message(const Send& send) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  ASSERT_EQ(world.size(), 2);
  constexpr std::uint64_t needed_kib = 8u << 20;
  if (world.broadcast(memory_available_kib() < needed_kib ? "no" : "yes") == "no")
    GTEST_SKIP() << "less than 8 GiB of memory are free";
  MessageExchange exchange(world);
  if (world.rank() == 0) {
    send(exchange);
    exchange.append(1, 0);
    exchange.flush();
  } else {
    std::size_t wrong = 0;
    for (mpi::Backoff backoff; exchange.received() < 2; backoff.pause()) {
      exchange.receive([&](int, std::span<const std::byte> message) {
        EXPECT_EQ(message.size(), exchange.received() == 1 ? large_bytes : 0);
        for (std::size_t at = 0; at + sizeof at <= message.size(); at += distance_bytes)
          wrong += std::memcmp(&message[at], &at, sizeof at) != 0 ? 1 : 0;
      });
    }
    EXPECT_EQ(wrong, 0);
  }
}

TEST(MessageExchange, SendsMessageBeyond2Gib) {
  expect_large_message([](MessageExchange& exchange) { fill(exchange.append(1, large_bytes)); });
}

TEST(MessageExchange, SendsPartBeyond2Gib) {
  expect_large_message([](MessageExchange& exchange) {
    const auto bytes = std::make_shared<std::vector<std::byte>>(large_bytes);
    fill(*bytes);
    exchange.append(1, {}, {.owner = bytes, .bytes = *bytes, .position = 0});
  });
}

}  // namespace
}  // namespace plimsoll::objects
