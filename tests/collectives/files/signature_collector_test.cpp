#include <gtest/gtest.h>

#include "collectives/example_profiles.hpp"
#include "collectives/files/counts_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using testing::numbers;

Signature signature(std::int64_t count, NumberList calls, Operation operation = alltoallv) {
  return testing::signature_of(operation, {{count}}, {{count}}, std::move(calls));
}

class SignatureCollection : public ::testing::Test {
 protected:
  /// Describes each count set as "count: calls".
  std::vector<std::string> taken() {
    std::vector<std::string> texts;
    for (const Signature& one : collector.take())
      texts.push_back(std::to_string(one.send.matrix.counts[0]) + ": " + one.calls.to_string());
    return texts;
  }

  std::vector<Diagnostic> list;
  Findings findings{"file", list};
  SignatureCollector collector;
};

using Texts = std::vector<std::string>;

TEST_F(SignatureCollection, KeepsOrderOfBlocks) {
  collector.add(signature(5, numbers({4, 6})), 1, findings);
  collector.add(signature(7, numbers({0, 5})), 2, findings);
  collector.add(signature(5, numbers({4}), alltoall), 3, findings);
  EXPECT_EQ(taken(), (Texts{"5: 4, 6", "7: 0, 5", "5: 4"}));
  EXPECT_TRUE(list.empty());
}

TEST_F(SignatureCollection, ReplacesBlocksRewrittenAtEndOfRun) {
  collector.add(signature(5, numbers({0, 2})), 1, findings);
  collector.add(signature(7, numbers({1})), 2, findings);
  collector.add(signature(5, numbers({0, 2, 4, 5})), 3, findings);
  collector.add(signature(7, numbers({1})), 4, findings);
  collector.add(signature(9, numbers({3})), 5, findings);
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(taken(), (Texts{"5: 0, 2, 4-5", "7: 1", "9: 3"}));
}

TEST_F(SignatureCollection, ReportsCallWithDifferentCounts) {
  collector.add(signature(5, numbers({0, 1, 2})), 1, findings);
  collector.add(signature(6, numbers({2, 3})), 12, findings);
  collector.add(signature(5, numbers({2, 3})), 23, findings);  // neither list contains all calls of the other
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].line, 12U);
  EXPECT_EQ(list[0].what, "Alltoallv call 2 appeared earlier with different counts");
  EXPECT_EQ(list[1].line, 23U);
  EXPECT_EQ(taken(), Texts{"5: 0-2"});
}

TEST_F(SignatureCollection, ReportsBlockThatOverlapsSeveralOthers) {
  collector.add(signature(5, numbers({0})), 1, findings);
  collector.add(signature(6, numbers({1})), 2, findings);
  collector.add(signature(5, numbers({0, 1})), 3, findings);
  EXPECT_EQ(list.size(), 1U);
  EXPECT_EQ(taken(), (Texts{"5: 0", "6: 1"}));
}

TEST_F(SignatureCollection, JoinsSingleCallsWithEqualCounts) {
  for (const std::uint64_t call : {0, 2, 3, 9}) collector.add_call(signature(5, numbers({call})), findings);
  collector.add_call(signature(7, numbers({1})), findings);
  collector.add_call(signature(1, numbers({8}), alltoall), findings);
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(taken(), (Texts{"1: 8", "5: 0, 2-3, 9", "7: 1"}));
}

TEST_F(SignatureCollection, AcceptsBlockWithMoreCallsThanSingleCallFiles) {
  for (const std::uint64_t call : {2, 3}) collector.add_call(signature(5, numbers({call})), findings);
  collector.add(signature(5, numbers({1, 2, 3})), 1, findings);
  collector.add(signature(5, numbers({1, 2, 3, 4})), 2, findings);
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(taken(), Texts{"5: 1-4"});
}

TEST_F(SignatureCollection, IgnoresSingleCallsAlreadyInBlocks) {
  collector.add(signature(5, numbers({0, 1})), 1, findings);
  collector.add_call(signature(5, numbers({1})), findings);
  EXPECT_TRUE(list.empty());
  collector.add_call(signature(6, numbers({1})), findings);
  EXPECT_EQ(list.size(), 1U);
  EXPECT_EQ(taken(), Texts{"5: 0-1"});
}

}  // namespace
}  // namespace plimsoll::collectives
