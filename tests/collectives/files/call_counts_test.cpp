#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/example_profiles.hpp"
#include "collectives/files/counts_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using ::testing::HasSubstr;

struct ReadCall {
  std::optional<Signature> signature;
  std::vector<Diagnostic> findings;
};

ReadCall read_call(std::string_view text) {
  ReadCall outcome;
  Findings findings("counts-rank0_call3.md", outcome.findings);
  Budget budget(1'000'000);
  outcome.signature = read_call_counts(text, std::nullopt, 3, budget, findings);
  return outcome;
}

const std::string small =
    "Send datatype size: 4\nRecv datatype size: 8\nComm size: 2\n\nSend counts\n1 2 \n1 2 \n\n\nRecv counts\n"
    "1 1 \n2 2 \n";

TEST(CallCounts, ReadsOneCall) {
  const ReadCall outcome = read_call(small);
  ASSERT_TRUE(outcome.signature.has_value());
  EXPECT_EQ(testing::described({*outcome.signature}),
            "Alltoallv of 2, calls 3\n  type size 4\n  0-1: 1 2\n  type size 8\n  0: 1 1\n  1: 2 2\n");
}

TEST(CallCounts, DetectsOperationFromRows) {
  using testing::signature_of;
  const auto told = [](std::vector<std::vector<std::int64_t>> send,
                       std::vector<std::vector<std::int64_t>> recv) {
    return told_by_rows(signature_of({}, send, recv, {})).name();
  };
  EXPECT_EQ(told({{1}, {2}}, {{1}, {2}}), "Alltoall");
  EXPECT_EQ(told({{1}, {2}}, {{1, 2}, {1, 2}}), "Allgatherv");
  EXPECT_EQ(told({{1, 2}, {1, 2}}, {{1, 2}, {1, 2}}), "Alltoallv");
  EXPECT_EQ(told({{1}}, {{1}}), "Alltoallv");
}

TEST(CallCounts, ReportsLineOfMalformedFile) {
  struct Damage {
    std::string part;
    std::string by;
    std::uint64_t line;
    std::string what;
  };
  const Damage damages[] = {
      {"Send datatype size: 4\n", "", 1, "expected 'Send datatype size: NUMBER'"},
      {"Send datatype size: 4", "Send datatype size: 4x", 1, "expected 'Send datatype size: NUMBER'"},
      {"Recv datatype size: 8", "Receive", 2, "expected 'Recv datatype size: NUMBER'"},
      {"Comm size: 2", "Comm size: -2", 3, "expected 'Comm size: NUMBER'"},
      {"Comm size: 2", "Comm size: 0", 5, "invalid communicator size 0"},
      {"Comm size: 2", "Comm size: 3", 8, "missing row of rank 2"},
      {"Comm size: 2", "Comm size: 1", 7, "expected 'Recv counts'"},
      {"Comm size: 2", "Comm size: 2000000000", 5, "too many numbers"},
      {"Send counts", "Sent counts", 5, "expected 'Send counts'"},
      {"1 2 \n", "1 \n", 7, "row contains 2 numbers, but the previous row contains 1"},
      {"1 2 \n", "1 -2 \n", 6, "negative"},
      {"1 2 \n", "1 two \n", 6, "expected a number, not"},
      {"2 2 \n", "2 2 \n3 3\n", 13, "after the last row"},
      {"2 2 \n", "", 11, "missing row of rank 1"},
  };
  for (const Damage& damage : damages) {
    std::string text = small;
    text.replace(text.find(damage.part), damage.part.size(), damage.by);
    const ReadCall outcome = read_call(text);
    EXPECT_FALSE(outcome.signature.has_value()) << damage.by;
    ASSERT_EQ(outcome.findings.size(), 1U) << damage.by;
    EXPECT_EQ(outcome.findings[0].line, damage.line) << to_string(outcome.findings[0]);
    EXPECT_THAT(outcome.findings[0].what, HasSubstr(damage.what));
  }
}

TEST(CallCounts, ReportsDifferentNumbersOfSendAndReceiveCounts) {
  const ReadCall outcome = read_call(
      "Send datatype size: 4\nRecv datatype size: 8\nComm size: 1\nSend counts\n1 2\nRecv counts\n1\n");
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].what, "rows contain 2 send counts, but 1 receive counts");
}

TEST(CallCounts, ReportsPrefixesWithMissingNumbers) {
  for (std::size_t length = 0; length < small.size(); ++length) {
    const ReadCall outcome = read_call(small.substr(0, length));
    // The last row, "2 2", is complete without its space and newline.
    const bool whole = length + 2 >= small.size();
    EXPECT_EQ(outcome.signature.has_value(), whole) << length;
    EXPECT_EQ(outcome.findings.empty(), whole) << length;
  }
}

TEST(CallCounts, ReportsOrReadsFileWithAnyChangedByte) {
  for (std::size_t at = 0; at < small.size(); ++at) {
    std::string changed = small;
    for (int value = 0; value < 256; ++value) {
      changed[at] = static_cast<char>(value);
      const ReadCall outcome = read_call(changed);
      ASSERT_EQ(outcome.signature.has_value(), outcome.findings.empty()) << at << " " << value;
    }
  }
}

}  // namespace
}  // namespace plimsoll::collectives
