#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/example_profiles.hpp"
#include "collectives/files/counts_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using ::testing::HasSubstr;

struct ReadBlocks {
  std::vector<CountsBlock> blocks;
  std::vector<Diagnostic> findings;
};

ReadBlocks read_blocks(std::string_view text, Content content = Content::counts,
                       std::uint64_t numbers = 1'000'000) {
  ReadBlocks outcome;
  Findings findings("send-counters.job0.rank0.txt", outcome.findings);
  Budget budget(numbers);
  outcome.blocks = read_counts(text, content, budget, findings);
  return outcome;
}

/// Returns a valid block of 12 lines about one call of 2 ranks.
std::string block(int call) {
  const std::string number = std::to_string(call);
  return "# Raw counters\n\nNumber of ranks: 2\nDatatype size: 4\nAlltoallv calls 0-9\nCount: 1 calls - " +
         number + "\n\n\nBEGINNING DATA\nRank(s) 0: 1 2 \nRank(s) 1: 3 4 \nEND DATA\n";
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), by);
}

std::vector<std::uint64_t> calls_of(const ReadBlocks& outcome) {
  std::vector<std::uint64_t> calls;
  for (const CountsBlock& found : outcome.blocks) calls.push_back(found.calls.front());
  return calls;
}

TEST(CountsReader, ReadsBlock) {
  const ReadBlocks outcome = read_blocks(
      "# Raw counters\n\nNumber of ranks: 4\nDatatype size: 8\nIalltoallw calls 0-4\nCount: 3 calls - 0, "
      "2-3\n\n\n"
      "BEGINNING DATA\nRank(s) 0, 2-3: 0 5 0 9223372036854775807 \nRank(s) 1: 5 0 0 0 \nEND DATA\n");
  EXPECT_TRUE(outcome.findings.empty());
  ASSERT_EQ(outcome.blocks.size(), 1U);
  const CountsBlock& found = outcome.blocks[0];
  EXPECT_EQ(found.line, 1U);
  EXPECT_EQ(found.operation, (Operation{Exchange::alltoallw, Mode::nonblocking}));
  EXPECT_EQ(found.comm_size, 4U);
  EXPECT_EQ(found.calls, testing::numbers({0, 2, 3}));
  EXPECT_EQ(found.side.type_size, 8U);
  EXPECT_EQ(found.side.matrix.columns, 4U);
  EXPECT_EQ(found.side.matrix.ranks, (std::vector{testing::numbers({0, 2, 3}), testing::numbers({1})}));
  EXPECT_EQ(found.side.matrix.counts, (std::vector<std::int64_t>{0, 5, 0, INT64_MAX, 5, 0, 0, 0}));
}

TEST(CountsReader, ReadsExampleOfSpecification) {
  const ReadBlocks outcome = read_blocks(
      "# Raw counters\n  \nNumber of ranks: 3\nDatatype size: 8\nAlltoallv calls  0-2\nCount: 2 calls - "
      "0-1\n\n\n"
      "BEGINNING DATA\nRank(s) 0: 1 2 0\nRank(s) 1: 0 0 3\nRank(s) 2: 1 0 0\nEND DATA");
  EXPECT_TRUE(outcome.findings.empty());
  ASSERT_EQ(outcome.blocks.size(), 1U);
  EXPECT_EQ(outcome.blocks[0].side.matrix.counts, (std::vector<std::int64_t>{1, 2, 0, 0, 0, 3, 1, 0, 0}));
}

TEST(CountsReader, ReadsAllKnownBlockVariantsAlike) {
  const std::string sound = block(7);
  const CountsBlock wanted = read_blocks(sound).blocks.at(0);
  std::string carriage_returns;
  for (const char letter : sound)
    carriage_returns += letter == '\n' ? std::string("\r\n") : std::string(1, letter);
  const std::string variants[] = {
      carriage_returns,
      sound.substr(0, sound.size() - 1),
      replaced(sound, "calls 0-9", "calls  0-9"),
      replaced(sound, "1 2 \n", "1 2\n"),
      replaced(sound, "1 2 \n", "  1   2\t\n"),
      replaced(sound, "0: 1", "0: : 1"),
      replaced(sound, "\n\n\nBEGIN", "\nBEGIN"),
      replaced(sound, "Rank(s) 1", "\n\nRank(s) 1"),
      replaced(sound, "- 7", "-7"),
      "\n\n" + sound + "\n\n",
  };
  for (const std::string& variant : variants) {
    const ReadBlocks outcome = read_blocks(variant);
    EXPECT_TRUE(outcome.findings.empty()) << variant << to_string(outcome.findings.front());
    ASSERT_EQ(outcome.blocks.size(), 1U) << variant;
    EXPECT_EQ(outcome.blocks[0].operation, wanted.operation);
    EXPECT_EQ(outcome.blocks[0].calls, wanted.calls);
    EXPECT_EQ(outcome.blocks[0].side, wanted.side) << variant;
  }
}

TEST(CountsReader, ReadsListsWithAndWithoutSpaces) {
  for (const char* list : {"0-2, 4", "0-2,4", "0,1, 2,4", "0-1 , 2 ,4"}) {
    const ReadBlocks outcome =
        read_blocks(std::string("# Raw counters\nNumber of ranks: 5\nDatatype size: 1\nAlltoall calls 0-0\n"
                                "Count: 4 calls - ") +
                    list + "\nBEGINNING DATA\nRank(s) " + list + ": 1\nRank(s) 3: 2\nEND DATA\n");
    EXPECT_TRUE(outcome.findings.empty()) << list;
    ASSERT_EQ(outcome.blocks.size(), 1U) << list;
    EXPECT_EQ(outcome.blocks[0].calls, testing::numbers({0, 1, 2, 4}));
    EXPECT_EQ(outcome.blocks[0].side.matrix.ranks[0], testing::numbers({0, 1, 2, 4}));
  }
}

TEST(CountsReader, MergesEqualRowsAndSortsByFirstRank) {
  const ReadBlocks outcome = read_blocks(
      "# Raw counters\nNumber of ranks: 4\nDatatype size: 1\nAlltoall calls 0-0\nCount: 1 calls - "
      "0\nBEGINNING DATA\n"
      "Rank(s) 3: 8\nRank(s) 1: 9\nRank(s) 2: 8\nRank(s) 0: 8\nEND DATA\n");
  ASSERT_EQ(outcome.blocks.size(), 1U);
  EXPECT_EQ(outcome.blocks[0].side.matrix.ranks,
            (std::vector{testing::numbers({3, 2, 0}), testing::numbers({1})}));
  EXPECT_EQ(outcome.blocks[0].side.matrix.counts, (std::vector<std::int64_t>{8, 9}));
}

// --- Malformed blocks: each is reported with its line, and only that block is skipped. ---

struct Damage {
  std::string part;
  std::string by;
  std::uint64_t line;  ///< line in the file; the damaged block begins in line 13
  std::string what;
};

TEST(CountsReader, ReportsLineOfMalformedBlockAndSkipsOnlyThatBlock) {
  const Damage damages[] = {
      {"# Raw counters", "# Raw displacements", 13, "expected '# Raw counters'"},
      {"Number of ranks: 2", "Number of ranks: two", 15, "'two' is not a number"},
      {"Number of ranks: 2", "Number of ranks: -2", 15, "'-2' is not a number"},
      {"Number of ranks: 2", "Number of ranks: 0", 21, "invalid communicator size 0"},
      {"Number of ranks: 2", "Number of ranks: 4000000000", 21, "invalid communicator size 4000000000"},
      {"Number of ranks: 2", "Number of ranks: 2000000000", 21, "too many numbers"},
      {"Number of ranks: 2", "Number of ranks: 99999999999999999999", 15, "is not a number"},
      {"Number of ranks: 2\n", "", 20, "missing field 'Number of ranks: '"},
      {"Number of ranks: 2\n", "Number of ranks: 2\nNumber of ranks: 2\n", 16, "duplicate field"},
      {"Number of ranks: 2", "Number of ranks: 3", 24, "missing row of rank 2"},
      {"Number of ranks: 2", "Number of ranks: 1", 23, "invalid rank 1: the communicator has 1 ranks"},
      {"Datatype size: 4", "Datatype size: 4 bytes", 16, "'4 bytes' is not a number"},
      {"Datatype size: 4\n", "", 20, "missing field 'Datatype size: '"},
      {"Alltoallv calls", "Bcast calls", 17, "unknown collective operation 'Bcast'"},
      {"calls 0-9", "calls many", 17, "is not a range of calls"},
      {"Alltoallv calls 0-9\n", "", 20, "missing operation"},
      {"Alltoallv calls 0-9", "hello", 17, "'hello' is not a block header line"},
      {"Count: 1 calls - 8\n", "", 20, "missing field 'Count: '"},
      {"Count: 1 calls - 8", "Count: 1 calls - 8-7", 18, "invalid call list '8-7'"},
      {"Count: 1 calls - 8", "Count: 1 calls -", 18, "invalid call list ''"},
      {"Count: 1 calls - 8", "Count: 1 of - 8", 18, "invalid line: expected 'Count: NUMBER calls - LIST'"},
      {"Count: 1 calls - 8", "Count: 2 calls - 8, 8", 18, "duplicate call 8"},
      {"Count: 1 calls - 8", "Count: 1 calls - 18446744073709551615", 18,
       "18446744073709551615 is too large"},
      {"Count: 1 calls - 8", "Count: 1 calls - 18446744073709551615, 0", 18,
       "18446744073709551615 is too large"},
      {"Count: 1 calls - 8", "Count: 9 calls - 0-9000000000000", 18, "too many numbers"},
      {"BEGINNING DATA\n", "", 21, "is not a block header line"},
      {"Rank(s) 0: 1 2 ", "Rank(s) 0: 1 ", 23, "row contains 2 numbers, but the previous row contains 1"},
      {"Rank(s) 0: 1 2 ", "Rank(s) 0: ", 22, "row without numbers"},
      {"Rank(s) 0: 1 2 ", "Rank(s) 0: 1 x ", 22, "expected a number, not 'x"},
      {"Rank(s) 0: 1 2 ", "Rank(s) 0: 1 2.5 ", 22, "expected a number, not"},
      {"Rank(s) 0: 1 2 ", "Rank(s) 0: 1 - ", 22, "expected a number, not"},
      {"Rank(s) 0: 1 2 ", "Rank(s) 0: 1 -2 ", 22, "negative count"},
      {"Rank(s) 0: 1 2 ", "Rank(s) 0: 1 9223372036854775808 ", 22, "too large"},
      {"Rank(s) 0: 1 2 ", "Rank(s) 0: 1 99999999999999999999999 ", 22, "too large"},
      {"Rank(s) 0: 1 2 ", "Rank(s) 0-1: 1 2 ", 23, "duplicate row of rank 1"},
      {"Rank(s) 0: 1 2 ", "Rank(s) 0, 0: 1 2 ", 22, "duplicate row of rank 0"},
      {"Rank(s) 0: 1 2 ", "Rank(s) 2: 1 2 ", 22, "invalid rank 2: the communicator has 2 ranks"},
      {"Rank(s) 0: 1 2 ", "Rank(s) 0-4000000000: 1 2 ", 22, ": expected ranks below 2"},
      {"Rank(s) 0: 1 2 ", "Rank(s) : 1 2 ", 22, "invalid rank list"},
      {"Rank(s) 0: 1 2 ", "Rank(s) 0 1 2 ", 22, "missing colon"},
      {"Rank(s) 0: 1 2 ", "Rank 0: 1 2 ", 22, "expected 'Rank(s) LIST: NUMBERS'"},
      {"Rank(s) 0: 1 2 \n", "", 23, "missing row of rank 0"},
      {"Rank(s) 1: 3 4 \nEND DATA\n", "", 23, "missing END DATA"},
      {"BEGINNING DATA\nRank(s) 0: 1 2 \nRank(s) 1: 3 4 \nEND DATA\n", "", 21, "missing BEGINNING DATA"},
  };
  for (const Damage& damage : damages) {
    const ReadBlocks outcome = read_blocks(block(7) + replaced(block(8), damage.part, damage.by) + block(9));
    EXPECT_EQ(calls_of(outcome), (std::vector<std::uint64_t>{7, 9})) << damage.by;
    ASSERT_GE(outcome.findings.size(), 1U) << damage.by;
    const Diagnostic& finding = outcome.findings.back();
    EXPECT_EQ(finding.severity, Severity::error);
    EXPECT_EQ(finding.line, damage.line) << to_string(finding);
    EXPECT_THAT(finding.what, HasSubstr(damage.what));
    EXPECT_EQ(finding.file, "send-counters.job0.rank0.txt");
    EXPECT_EQ(finding.suggestion, "block starting at line 13 skipped");
  }
}

TEST(CountsReader, WarnsAboutWrongNumberOfCalls) {
  const ReadBlocks outcome = read_blocks(replaced(block(8), "Count: 1 ", "Count: 2 "));
  EXPECT_EQ(calls_of(outcome), std::vector<std::uint64_t>{8});
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].severity, Severity::warning);
  EXPECT_EQ(outcome.findings[0].line, 6U);
  EXPECT_EQ(outcome.findings[0].what, "the header specifies 2 calls, but lists 1");
}

TEST(CountsReader, ReportsTextOutsideBlocksOnce) {
  const ReadBlocks outcome = read_blocks("hello\nworld\n" + block(1) + "again\n" + block(2));
  EXPECT_EQ(calls_of(outcome), (std::vector<std::uint64_t>{1, 2}));
  ASSERT_EQ(outcome.findings.size(), 2U);
  EXPECT_EQ(outcome.findings[0].line, 1U);
  EXPECT_EQ(outcome.findings[1].line, 15U);
}

TEST(CountsReader, ReportsEmptyFile) {
  for (const char* text : {"", "\n\n", "  \r\n"}) EXPECT_EQ(read_blocks(text).findings.size(), 1U);
}

TEST(CountsReader, RemovesControlCharactersFromDiagnostics) {
  const ReadBlocks outcome = read_blocks("# Raw counters\n\x1b[2J\x07" + std::string(1000, 'x') + "\n");
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_THAT(outcome.findings[0].what, ::testing::StartsWith("'?[2J?xxx"));
  EXPECT_LT(outcome.findings[0].what.size(), 100U);
}

TEST(CountsReader, LimitsNumberOfDiagnostics) {
  std::string text;
  for (int k = 0; k < 1000; ++k) text += "# Raw counters\n";
  const ReadBlocks outcome = read_blocks(text + block(1));
  EXPECT_EQ(outcome.findings.size(), 101U);
  EXPECT_EQ(outcome.blocks.size(), 1U);
}

TEST(CountsReader, LimitsTotalNumberOfCountsAndCalls) {
  EXPECT_EQ(read_blocks(block(1) + block(2), Content::counts, 10).blocks.size(),
            2U);  // 4 counts and 1 call each
  const ReadBlocks outcome = read_blocks(block(1) + block(2), Content::counts, 9);
  EXPECT_EQ(calls_of(outcome), std::vector<std::uint64_t>{1});
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].line, 23U);
}

TEST(CountsReader, AcceptsNegativeOrMissingDisplacements) {
  const std::string head =
      "# Raw displacements\nNumber of ranks: 2\nDatatype size: 4\nAllgatherv calls 0-0\nCount: 1 calls - 0\n"
      "BEGINNING DATA\n";
  const ReadBlocks negative = read_blocks(head + "Rank(s) 0-1: -3 4\nEND DATA\n", Content::displacements);
  EXPECT_EQ(negative.blocks.at(0).side.matrix.counts, (std::vector<std::int64_t>{-3, 4}));
  const ReadBlocks missing = read_blocks(head + "END DATA\n", Content::displacements);
  EXPECT_TRUE(missing.findings.empty());
  EXPECT_EQ(missing.blocks.at(0).side.matrix.rows(), 0U);
  const ReadBlocks half = read_blocks(head + "Rank(s) 0: 3 4\nEND DATA\n", Content::displacements);
  EXPECT_TRUE(half.blocks.empty());
}

// --- Arbitrary bytes ---

TEST(CountsReader, ReadsCompleteAndReportsIncompleteBlocksOfEveryPrefix) {
  const std::string whole = block(1) + block(2);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const ReadBlocks outcome = read_blocks(whole.substr(0, length));
    const std::size_t size = block(1).size();
    const bool ends_with_block = length + 1 == size || length == size || length + 1 == whole.size();
    EXPECT_EQ(outcome.findings.empty(), ends_with_block) << length;
    EXPECT_EQ(outcome.blocks.size(), length + 1 < size ? 0U : (length + 1 < whole.size() ? 1U : 2U))
        << length;
  }
}

TEST(CountsReader, ReportsOrReadsBlocksWithAnyChangedByte) {
  const std::string whole = block(1) + block(2);
  std::size_t reported = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    for (int value = 0; value < 256; ++value) {
      changed[at] = static_cast<char>(value);
      const ReadBlocks outcome = read_blocks(changed);
      reported += !outcome.findings.empty();
      ASSERT_TRUE(!outcome.findings.empty() || outcome.blocks.size() == 2) << at << " " << value;
      for (const CountsBlock& found : outcome.blocks) {
        const CountMatrix& matrix = found.side.matrix;
        ASSERT_EQ(matrix.counts.size(), matrix.columns * matrix.rows());
        std::uint64_t ranks = 0;
        for (const NumberList& list : matrix.ranks) ranks += list.size();
        ASSERT_EQ(ranks, found.comm_size);
      }
    }
  }
  EXPECT_GT(reported, whole.size() * 150);
}

TEST(CountsReader, ReadsWrittenFiles) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const std::vector<Signature> signatures = testing::RandomSignatures(seed).make();
    std::string text;
    support::TextBuffer output([&text](std::string_view piece) { text += piece; });
    write_counts(signatures, Content::counts, Direction::recv, {.legacy_text = seed % 2 == 0}, output);
    output.drain();
    const ReadBlocks outcome = read_blocks(text, Content::counts, UINT64_MAX);
    if (!signatures.empty()) {
      EXPECT_TRUE(outcome.findings.empty()) << text;
    }
    ASSERT_EQ(outcome.blocks.size(), signatures.size());
    for (std::size_t k = 0; k < signatures.size(); ++k) {
      EXPECT_EQ(outcome.blocks[k].operation, signatures[k].operation);
      EXPECT_EQ(outcome.blocks[k].comm_size, signatures[k].comm_size);
      EXPECT_EQ(outcome.blocks[k].calls, signatures[k].calls);
      EXPECT_EQ(outcome.blocks[k].side, signatures[k].recv) << text;
    }
  }
}

}  // namespace
}  // namespace plimsoll::collectives
