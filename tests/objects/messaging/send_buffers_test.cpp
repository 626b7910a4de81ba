#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "objects/messaging/message_exchange.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

TEST(BufferPool, ReusesBuffersOfTheSameSizeClass) {
  BufferPool pool(64);
  Buffer buffer = pool.take(100);
  const std::byte* const memory = buffer.memory.get();
  EXPECT_EQ(buffer.capacity, 128);
  buffer.used = 100;
  pool.give_back(std::move(buffer));
  EXPECT_NE(pool.take(64).memory.get(), memory);
  EXPECT_NE(pool.take(129).memory.get(), memory);
  const Buffer again = pool.take(65);
  EXPECT_EQ(again.memory.get(), memory);
  EXPECT_EQ(again.used, 0);
}

TEST(BufferPool, ReturnsBuffersOfAtLeastTheRequestedSize) {
  BufferPool pool(64);
  for (const std::size_t bytes : {0, 1, 63, 64, 65, 127, 128, 129, 100'000, 16 << 20, (16 << 20) + 1}) {
    const Buffer buffer = pool.take(bytes);
    EXPECT_GE(buffer.capacity, bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.memory.get()) % 16, 0);
  }
}

TEST(BufferPool, KeepsBoundedMemory) {
  constexpr std::size_t large = BufferPool::max_unused_bytes / 4;
  BufferPool pool(64);
  std::vector<Buffer> buffers;
  std::vector<const std::byte*> kept;  // the last one first, because the pool returns it first
  for (int k = 0; k < 8; ++k) {
    const Buffer& buffer = buffers.emplace_back(pool.take(large));
    if (k < 4) kept.insert(kept.begin(), buffer.memory.get());
  }
  for (Buffer& buffer : buffers) pool.give_back(std::move(buffer));
  for (const std::byte* const memory : kept) EXPECT_EQ(pool.take(large).memory.get(), memory);
}

}  // namespace
}  // namespace plimsoll::objects
