#include "collectives/model/signature_index.hpp"

#include <gtest/gtest.h>

#include "collectives/profiles.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

TEST(SignatureIndex, FindsCountSetsRegardlessOfCalls) {
  const std::vector<Signature> list = {sending({{0, 1}, {2, 0}}, "0"), sending({{0, 1}, {3, 0}}, "1")};
  SignatureIndex index;
  EXPECT_EQ(index.find_or_add({}, list[0]), 0);
  EXPECT_EQ(index.find_or_add({list[0]}, list[1]), 1);
  EXPECT_EQ(index.find_or_add(list, sending({{0, 1}, {3, 0}}, "7-9")), 1);
  EXPECT_EQ(index.find_or_add(list, sending({{0, 1}, {2, 0}}, "5")), 0);
  EXPECT_EQ(index.find_or_add(list, sending({{0, 1}, {2, 0}}, "5", 8)), 2) << "another type size";
}

}  // namespace
}  // namespace plimsoll::collectives
