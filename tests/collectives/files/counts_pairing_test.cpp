#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/example_profiles.hpp"
#include "collectives/files/counts_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using ::testing::HasSubstr;
using testing::numbers;

/// Returns a block of two ranks that send (or receive) `count` elements in each call.
CountsBlock block_of(std::uint64_t line, std::uint64_t call, std::int64_t count,
                     Operation operation = alltoallv) {
  CountsBlock result{.line = line, .operation = operation, .comm_size = 2, .calls = numbers({call})};
  result.side = {.type_size = 4, .matrix = testing::matrix_of({{count, count}, {count, count}})};
  return result;
}

struct PairedBlocks {
  std::vector<Signature> signatures;
  std::vector<Diagnostic> findings;
};

PairedBlocks pair(std::vector<CountsBlock> send, std::vector<CountsBlock> recv,
                  Content content = Content::counts) {
  PairedBlocks outcome;
  Findings send_findings("send", outcome.findings);
  Findings recv_findings("recv", outcome.findings);
  SignatureCollector signatures;
  pair_blocks(std::move(send), std::move(recv), content, send_findings, recv_findings, signatures);
  outcome.signatures = signatures.take();
  return outcome;
}

/// Describes each pair as "call: send count / receive count".
std::vector<std::string> described(const PairedBlocks& outcome) {
  std::vector<std::string> texts;
  for (const Signature& signature : outcome.signatures) {
    texts.push_back(signature.calls.to_string() + ": " + std::to_string(signature.send.matrix.counts[0]) +
                    " / " + std::to_string(signature.recv.matrix.counts[0]));
  }
  return texts;
}

TEST(CountsPairing, PairsBlocksByPosition) {
  const PairedBlocks outcome =
      pair({block_of(1, 0, 10), block_of(12, 1, 11)}, {block_of(1, 0, 20), block_of(12, 1, 21)});
  EXPECT_EQ(described(outcome), (std::vector<std::string>{"0: 10 / 20", "1: 11 / 21"}));
  EXPECT_TRUE(outcome.findings.empty());
}

TEST(CountsPairing, PairsBlocksByCallsIfBlockIsMissing) {
  const PairedBlocks outcome = pair({block_of(1, 0, 10), block_of(12, 1, 11), block_of(23, 2, 12)},
                                    {block_of(1, 1, 21), block_of(12, 2, 22), block_of(23, 3, 23)});
  EXPECT_EQ(described(outcome), (std::vector<std::string>{"1: 11 / 21", "2: 12 / 22"}));
  ASSERT_EQ(outcome.findings.size(), 2U);
  EXPECT_EQ(outcome.findings[0].file, "send");
  EXPECT_EQ(outcome.findings[0].line, 1U);
  EXPECT_EQ(outcome.findings[0].what, "recv does not contain a block for the same Alltoallv calls");
  EXPECT_EQ(outcome.findings[1].file, "recv");
  EXPECT_EQ(outcome.findings[1].line, 23U);
}

TEST(CountsPairing, PairsEachBlockOnce) {
  const PairedBlocks outcome = pair({block_of(1, 0, 10), block_of(12, 0, 11)}, {block_of(1, 0, 20)});
  EXPECT_EQ(described(outcome), std::vector<std::string>{"0: 10 / 20"});
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].line, 12U);
}

TEST(CountsPairing, RejectsPairOfDifferentOperations) {
  const PairedBlocks outcome = pair({block_of(1, 0, 10), block_of(12, 0, 11, allgatherv)},
                                    {block_of(1, 0, 20, allgatherv), block_of(12, 0, 21)});
  EXPECT_EQ(described(outcome), (std::vector<std::string>{"0: 10 / 21", "0: 11 / 20"}));
}

TEST(CountsPairing, RejectsPairOfDifferentCommunicatorSizes) {
  CountsBlock larger = block_of(1, 0, 20);
  larger.comm_size = 3;
  EXPECT_EQ(pair({block_of(1, 0, 10)}, {larger}).findings.size(), 2U);
}

TEST(CountsPairing, SkipsRowsOfDifferentLength) {
  CountsBlock longer = block_of(1, 0, 20);
  longer.side.matrix = testing::matrix_of({{1, 2, 3}, {1, 2, 3}});
  const PairedBlocks outcome = pair({block_of(5, 0, 10), block_of(12, 1, 11)}, {longer, block_of(12, 1, 21)});
  EXPECT_EQ(described(outcome), std::vector<std::string>{"1: 11 / 21"});
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].line, 5U);
  EXPECT_EQ(outcome.findings[0].what, "rows contain 2 send counts, but 3 receive counts");
  longer.operation = allgatherv;
  CountsBlock single = block_of(1, 0, 10, allgatherv);
  single.side.matrix = testing::matrix_of({{1}, {2}});
  EXPECT_TRUE(pair({single}, {longer}).findings.empty());  // an inter-communicator with 3 remote ranks
  EXPECT_TRUE(pair({longer}, {longer}).findings.empty());
  longer.operation.neighborhood = true;
  EXPECT_EQ(pair({longer}, {longer}).findings.size(), 1U);
}

TEST(CountsPairing, AcceptsDisplacementsWithoutSendSide) {
  CountsBlock none = block_of(1, 0, 0, allgatherv);
  none.side.matrix = {};
  EXPECT_TRUE(pair({none}, {block_of(1, 0, 8, allgatherv)}, Content::displacements).findings.empty());
}

TEST(CountsPairing, RejectsManyMismatchedBlocksInSubquadraticTime) {
  std::vector<CountsBlock> send;
  std::vector<CountsBlock> recv;
  for (std::uint32_t k = 0; k < 50'000; ++k) {
    send.push_back(block_of(k, 0, 1));
    recv.push_back(block_of(k, 0, 1));
    recv.back().comm_size = 3;
  }
  EXPECT_TRUE(pair(std::move(send), std::move(recv)).signatures.empty());
}

}  // namespace
}  // namespace plimsoll::collectives
