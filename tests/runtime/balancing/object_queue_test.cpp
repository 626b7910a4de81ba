#include "runtime/balancing/object_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/balancing/object_store.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

ObjectQueue queue_of(std::vector<std::size_t> sizes, std::size_t max_bytes_per_round) {
  ObjectQueue queue{.max_bytes_per_round = max_bytes_per_round};
  for (const std::size_t size : sizes) queue.objects.push_back({numbered(queue.objects.size()), size});
  return queue;
}

/// Returns the number of objects in each packet of each round.
std::vector<std::vector<std::size_t>> rounds_of(ObjectQueue queue) {
  std::vector<std::vector<std::size_t>> rounds;
  for (auto packets = take_round(queue, 3); !packets.empty(); packets = take_round(queue, 3)) {
    auto& round = rounds.emplace_back();
    for (const Packet& packet : packets) {
      EXPECT_EQ(packet.queue, 3u);
      round.push_back(packet.last - packet.first);
    }
  }
  return rounds;
}

using ::testing::ElementsAre;

TEST(ObjectQueue, HasNoRoundIfItIsEmpty) {
  EXPECT_EQ(count_rounds(queue_of({}, 100)), 0);
}

TEST(ObjectQueue, AlignsObjects) {
  ObjectQueue queue = queue_of({1, 16, 17, 0}, 400);
  const auto packets = take_round(queue, 0);
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_EQ(packets[0].bytes, 16u + 16 + 32);
}

TEST(ObjectQueue, FillsPacketsWithAQuarterOfTheRound) {
  const ObjectQueue queue = queue_of(std::vector<std::size_t>(10, 32), 256);
  EXPECT_THAT(rounds_of(queue), ElementsAre(ElementsAre(2, 2, 2, 2), ElementsAre(2)));
  EXPECT_EQ(count_rounds(queue), 2);
}

TEST(ObjectQueue, LimitsPacketsTo1MiB) {
  const ObjectQueue queue = queue_of(std::vector<std::size_t>(6, 400'000), std::size_t{1} << 30);
  EXPECT_THAT(rounds_of(queue), ElementsAre(ElementsAre(2, 2, 2)));
}

TEST(ObjectQueue, SendsLargerObjectsAlone) {
  EXPECT_THAT(rounds_of(queue_of({16, 1000, 16, 16}, 128)),
              ElementsAre(ElementsAre(1), ElementsAre(1), ElementsAre(2)));
  EXPECT_THAT(rounds_of(queue_of({5, 5, 5}, 0)), ElementsAre(ElementsAre(1), ElementsAre(1), ElementsAre(1)));
}

}  // namespace
}  // namespace plimsoll::runtime
