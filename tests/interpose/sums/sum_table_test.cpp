#include "interpose/sums/sum_table.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <map>
#include <random>

#include <plimsoll/collectives/internal/rank_calls.hpp>

#include "collectives/merging/sums_reader.hpp"
#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {
namespace {

using collectives::MessageSums;
using Table = SumTable<MessageSums>;
using Expected = std::map<std::pair<std::uint64_t, bool>, std::uint64_t>;  // messages by peer and direction

constexpr const char* no_functions[] = {"MPI_Send"};
constexpr std::uint32_t peers = 5000;

/// Adds messages to random peers, and returns their expected numbers.
Expected add_messages(Table& table, std::uint64_t seed) {
  Expected expected;
  std::mt19937_64 random(seed);
  for (int k = 0; k < 20'000; ++k) {
    const std::uint64_t peer = random() % peers;
    const std::uint32_t direction = random() % 2;
    table[{peer, direction}].add({.messages = 1, .bytes = 8});
    ++expected[{peer, direction == 0}];
  }
  return expected;
}

Expected content_of(const Table& table) {
  Expected content;
  table.for_each([&](const Table::Key& key, const MessageSums& sums) {
    content[{key.place, key.kind == 0}] += sums.messages;
  });
  return content;
}

Expected content_of(const collectives::SumsFile& file) {
  std::vector<Diagnostic> findings;
  const auto sums = collectives::read_rank_sums(testing::file_content(file.path()), file.path(), findings);
  Expected content;
  for (const auto& messages : sums.calls.messages)
    content[{messages.peer, messages.sent}] = messages.sums.messages;
  return content;
}

class TableInFile : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  collectives::SumsFile file_{folder_.path(), {.run_id = 1, .world_size = peers}, no_functions};
  Table table_{TablePlace{&file_, collectives::rank_sums::Kind::messages, 0}};
};

TEST(SumTable, SumsUpByKey) {
  Table table;
  EXPECT_EQ(content_of(table), Expected());
  const Expected expected = add_messages(table, 1);
  EXPECT_EQ(content_of(table), expected);
  EXPECT_EQ(content_of(Table(table)), expected) << "a copy";
}

TEST_F(TableInFile, IsCurrentInItsFile) {
  const Expected expected = add_messages(table_, 2);
  EXPECT_EQ(content_of(table_), expected);
  EXPECT_EQ(content_of(file_), expected);
}

TEST_F(TableInFile, ContinuesInMemoryIfTheFileCannotGrow) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small = {.rlim_cur = 1 << 16, .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Expected expected = add_messages(table_, 3);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_EQ(content_of(table_), expected);
  EXPECT_EQ(file_.progress().lacks_calls, 1U);
  const Expected kept = content_of(file_);
  EXPECT_FALSE(kept.empty());
  EXPECT_LT(kept.size(), expected.size());
}

}  // namespace
}  // namespace plimsoll::interpose
