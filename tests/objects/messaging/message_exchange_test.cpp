#include "objects/messaging/message_exchange.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/support/error.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

using Bytes = std::span<const std::byte>;

/// Writes consecutive numbers; the first one depends on the message.
void fill(std::span<std::byte> bytes, std::size_t message) {
  std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t) + 1);
  std::iota(words.begin(), words.end(), message * 0x9e3779b97f4a7c15);
  std::ranges::copy(std::as_bytes(std::span(words)).first(bytes.size()), bytes.begin());
}

void expect_content(Bytes bytes, std::size_t message) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 16, 0);
  std::vector<std::byte> expected(bytes.size());
  fill(expected, message);
  EXPECT_TRUE(std::ranges::equal(bytes, expected))
      << "message " << message << " of " << bytes.size() << " bytes";
}

/// Receives until this many messages have been delivered since the start.
template <class Deliver>
void receive_until(MessageExchange& exchange, std::int64_t count, const Deliver& deliver) {
  for (mpi::Backoff backoff; exchange.received() < count; backoff.pause())
    if (exchange.receive(deliver)) backoff.reset();
}

/// Sends these messages from each rank to each other one, and expects them in this order.
void expect_exchanged(const std::vector<std::size_t>& sizes, std::size_t buffer_bytes) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  MessageExchange exchange(world, buffer_bytes);
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    for (int rank = 0; rank < world.size(); ++rank) {
      if (rank == world.rank()) continue;
      const std::span<std::byte> bytes = exchange.append(rank, sizes[k]);
      ASSERT_EQ(bytes.size(), sizes[k]);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 16, 0);
      fill(bytes, k + static_cast<std::size_t>(rank));
    }
  }
  exchange.flush();
  const auto expected = static_cast<std::int64_t>(sizes.size()) * (world.size() - 1);
  EXPECT_EQ(exchange.sent(), expected);

  std::vector<std::size_t> from(static_cast<std::size_t>(world.size()));
  receive_until(exchange, expected, [&](int rank, Bytes bytes) {
    const std::size_t k = from[static_cast<std::size_t>(rank)]++;
    EXPECT_EQ(bytes.size(), sizes[k]);
    expect_content(bytes, k + static_cast<std::size_t>(world.rank()));
  });
  for (int rank = 0; rank < world.size(); ++rank)
    EXPECT_EQ(from[static_cast<std::size_t>(rank)], rank == world.rank() ? 0 : sizes.size());
  world.barrier();
  EXPECT_FALSE(exchange.receive([](int, Bytes) { ADD_FAILURE() << "received more than was sent"; }));
}

TEST(MessageExchange, KeepsOrderOfMessagesOfAllSizes) {
  expect_exchanged({0,      1,      7,      8,      9, 15,     16,      17, 64,      0, 0,       4'000,
                    32'736, 32'752, 32'753, 32'768, 3, 70'000, 100'000, 5,  1 << 20, 0, 1 << 20, 2},
                   32 * 1024);
}

/// Sends messages with these sizes of parts from each rank to each other one, between messages without parts.
void expect_parts_exchanged(const std::vector<std::size_t>& part_sizes, std::size_t rest_bytes) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  MessageExchange exchange(world);
  for (std::size_t k = 0; k < part_sizes.size(); ++k) {
    const auto whole = std::make_shared<std::vector<std::byte>>(rest_bytes + part_sizes[k]);
    fill(*whole, 2 * k);
    const std::size_t position = k % (rest_bytes + 1);
    std::vector<std::byte> rest = *whole;
    const auto part_begin = rest.begin() + static_cast<std::ptrdiff_t>(position);
    rest.erase(part_begin, part_begin + static_cast<std::ptrdiff_t>(part_sizes[k]));
    for (int rank = 0; rank < world.size(); ++rank) {
      if (rank == world.rank()) continue;
      exchange.append(
          rank, rest,
          {.owner = whole, .bytes = Bytes(*whole).subspan(position, part_sizes[k]), .position = position});
      fill(exchange.append(rank, k), 2 * k + 1);
    }
  }
  exchange.flush();
  std::vector<std::size_t> from(static_cast<std::size_t>(world.size()));
  const auto n_messages = static_cast<std::int64_t>(2 * part_sizes.size()) * (world.size() - 1);
  EXPECT_EQ(exchange.sent(), n_messages);
  receive_until(exchange, n_messages, [&](int rank, Bytes bytes) {
    const std::size_t k = from[static_cast<std::size_t>(rank)]++;
    EXPECT_EQ(bytes.size(), k % 2 == 0 ? rest_bytes + part_sizes[k / 2] : k / 2);
    expect_content(bytes, k);
  });
  world.barrier();
  EXPECT_FALSE(exchange.receive([](int, Bytes) { ADD_FAILURE() << "received more than was sent"; }));
}

TEST(MessageExchange, InsertsPartsIntoMessages) {
  const std::vector<std::size_t> sizes{1, 15, 16, 17, 100, 32'768, 70'001, 1 << 20, 1'500'007};
  expect_parts_exchanged(sizes, 0);
  expect_parts_exchanged(sizes, 1);
  expect_parts_exchanged(sizes, 37);
}

TEST(MessageExchange, KeepsOrderOfManyParts) {
  std::vector<std::size_t> sizes;
  for (std::size_t k = 0; k < 100; ++k) sizes.push_back(1 + k * 7919 % 80'000);
  expect_parts_exchanged(sizes, 40);
}

TEST(MessageExchange, ReleasesPartsThatWereSent) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  if (world.size() < 2) GTEST_SKIP() << "needs two ranks";
  MessageExchange exchange(world);
  std::weak_ptr<std::vector<std::byte>> part;
  if (world.rank() == 0) {
    const auto bytes = std::make_shared<std::vector<std::byte>>(1 << 20);
    part = bytes;
    exchange.append(1, {}, {.owner = bytes, .bytes = *bytes, .position = 0});
    EXPECT_GE(exchange.unsent_bytes(), 1 << 20);
  }
  if (world.rank() == 1) receive_until(exchange, 1, [](int, Bytes) {});
  for (mpi::Backoff backoff; !part.expired(); backoff.pause()) exchange.receive([](int, Bytes) {});
  for (mpi::Backoff backoff; exchange.unsent_bytes() > 0; backoff.pause()) exchange.relieve();
}

TEST(MessageExchange, DiscardsPartsThatAreNotDelivered) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  MessageExchange exchange(world);
  const auto bytes = std::make_shared<std::vector<std::byte>>(1 << 20);
  for (int rank = 0; rank < world.size(); ++rank)
    if (rank != world.rank()) exchange.append(rank, {}, {.owner = bytes, .bytes = *bytes, .position = 0});
}

TEST(MessageExchange, SplitsManySmallMessagesIntoBuffers) {
  std::vector<std::size_t> sizes;
  for (std::size_t k = 0; k < 5'000; ++k) sizes.push_back(k % 97);
  expect_exchanged(sizes, 1'000);
}

TEST(MessageExchange, SendsMessagesThatAreAllLargerThanABuffer) {
  expect_exchanged({1, 33, 17, 160, 40}, 1);
}

TEST(MessageExchange, SendsFullBuffersBeforeFlush) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  if (world.size() < 2) GTEST_SKIP() << "needs 2 ranks";
  MessageExchange exchange(world, 64);  // room for 2 messages
  if (world.rank() == 0)
    for (std::size_t k = 0; k < 3; ++k) fill(exchange.append(1, 16), k);
  std::size_t received = 0;
  const auto deliver = [&](int, Bytes bytes) { expect_content(bytes, received++); };
  if (world.rank() == 1) receive_until(exchange, 2, deliver);
  world.barrier();
  if (world.rank() == 1) {
    EXPECT_FALSE(exchange.receive(deliver));
  }
  world.barrier();
  exchange.flush();
  exchange.flush();
  if (world.rank() == 1) receive_until(exchange, 3, deliver);
}

TEST(MessageExchange, LetsDeliverAppend) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  if (world.size() < 2) GTEST_SKIP() << "needs 2 ranks";
  MessageExchange exchange(world, 256);
  constexpr std::size_t count = 500;
  const int last = world.size() - 1;
  std::size_t received = 0;
  if (world.rank() == 0) {
    for (std::size_t k = 0; k < count; ++k) fill(exchange.append(last, 100), k);
    exchange.flush();
    receive_until(exchange, count, [&](int, Bytes bytes) { expect_content(bytes, 2 * received++); });
  } else if (world.rank() == last) {
    receive_until(exchange, count, [&](int from, Bytes bytes) {
      expect_content(bytes, received);
      fill(exchange.append(from, 300), 2 * received);
      expect_content(bytes, received++);
    });
    exchange.flush();
  }
}

TEST(MessageExchange, ContinuesAfterDeliverThrows) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  if (world.size() < 2) GTEST_SKIP() << "needs 2 ranks";
  MessageExchange exchange(world);
  constexpr std::size_t count = 10;
  if (world.rank() == 0) {
    for (std::size_t k = 0; k < count; ++k) fill(exchange.append(1, 8), k);
    exchange.flush();
  }
  if (world.rank() == 1) {
    std::size_t received = 0;
    std::size_t thrown = 0;
    while (received < count) {
      try {
        receive_until(exchange, count, [&](int, Bytes bytes) {
          expect_content(bytes, received++);
          if (received % 3 == 1) throw std::runtime_error("fails for messages 0, 3, 6 and 9");
        });
      } catch (const std::runtime_error&) {
        ++thrown;
        EXPECT_EQ(exchange.received(), static_cast<std::int64_t>(received));
      }
    }
    EXPECT_EQ(thrown, 4);
    EXPECT_EQ(exchange.received(), count);
    EXPECT_FALSE(exchange.receive([](int, Bytes) { ADD_FAILURE() << "delivered a message twice"; }));
  }
}

TEST(MessageExchange, DiscardsUndeliveredMessagesAtItsEnd) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  MessageExchange exchange(world);
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{1} << 20})
    if (world.size() > 1) exchange.append((world.rank() + 1) % world.size(), bytes);
  exchange.flush();
}

TEST(MessageExchange, WaitsWhenItIsCongestedIfAsked) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  constexpr std::size_t count = 24;
  constexpr std::size_t bytes = MessageExchange::max_unsent_bytes / 8;
  MessageExchange exchange(world);
  int waits = 0;
  exchange.on_congestion([&] {
    ++waits;
    for (mpi::Backoff backoff; exchange.is_congested(); backoff.pause()) exchange.relieve();
  });
  // Ranks 0 and 1 flood each other. They receive messages while they send, but deliver them later.
  const bool takes_part = world.rank() < 2;
  for (std::size_t k = 0; k < count && takes_part; ++k) {
    const std::span<std::byte> message = exchange.append(1 - world.rank(), bytes);
    message.front() = static_cast<std::byte>(k);
    message.back() = static_cast<std::byte>(~k);
    EXPECT_LE(exchange.unsent_bytes(), MessageExchange::max_unsent_bytes + 4 * bytes);
  }
  exchange.flush();
  std::size_t next = 0;
  receive_until(exchange, takes_part ? count : 0, [&](int, Bytes message) {
    EXPECT_EQ(message.size(), bytes);
    EXPECT_EQ(message.front(), static_cast<std::byte>(next));
    EXPECT_EQ(message.back(), static_cast<std::byte>(~next));
    ++next;
  });
  EXPECT_EQ(waits > 0, takes_part);
}

TEST(MessageExchange, RejectsMessagesBeyondItsLimit) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  if (world.size() < 2) GTEST_SKIP() << "needs 2 ranks";
  MessageExchange exchange(world);
  const int other = (world.rank() + 1) % world.size();
  for (const std::size_t bytes : {MessageExchange::max_message_bytes + 1, static_cast<std::size_t>(-1)})
    EXPECT_ERROR(exchange.append(other, bytes), usage, "is too large: must be <= 34359738336");
  EXPECT_EQ(exchange.sent(), 0);
}

}  // namespace
}  // namespace plimsoll::objects
