#include <gtest/gtest.h>

#include <plimsoll/collectives/messages.hpp>

namespace plimsoll::collectives {
namespace {

TEST(Messages, one_count_for_all_peers_goes_to_each) {
  Signature allgatherv{.operation = {Exchange::allgatherv}, .comm_size = 3};
  allgatherv.send.matrix = {1, {NumberList::up_to(3)}, {7}};
  allgatherv.recv.matrix = {3, {NumberList::up_to(3)}, {7, 7, 7}};
  std::int64_t sent = 0;
  for_each_count(allgatherv, allgatherv.send,
                 [&](std::size_t, const NumberList& ranks, std::uint32_t, std::int64_t count) {
                   sent += count * static_cast<std::int64_t>(ranks.size());
                 });
  EXPECT_EQ(sent, 7 * 3 * 3);
}

TEST(Messages, peers_of_an_inter_communicator_are_its_remote_group) {
  Signature signature{.operation = {Exchange::alltoallv}, .comm_size = 2};
  signature.send.matrix = {5, {NumberList::up_to(2)}, {1, 2, 3, 4, 5}};
  signature.recv.matrix = signature.send.matrix;
  EXPECT_EQ(peers(signature), 5);
}

}  // namespace
}  // namespace plimsoll::collectives
