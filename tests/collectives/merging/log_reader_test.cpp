#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include <plimsoll/support/error.hpp>

#include "collectives/log_builder.hpp"
#include "collectives/profiles.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::testing {
namespace {

using namespace collectives;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Returns a log of one rank with all kinds of records.
LogBuilder rich_log(std::uint32_t rank = 0, std::uint32_t size = 1) {
  LogBuilder log(rank, size);
  std::vector<std::uint32_t> all;
  LogBuilder::Numbers numbers;
  for (std::uint32_t member = 0; member < size; ++member) {
    all.push_back(member);
    numbers.push_back(member + 1);
  }
  log.communicator(rank, all);
  log.neighbors(0, all, all);
  log.clock(5, 6, 7, 8);
  log.row({.send = numbers, .recv = numbers});
  log.row({.send = numbers, .recv = numbers, .wide = true, .content = rank_log::Content::displacements});
  log.module(0, "/bin/app");
  log.backtrace(0, {{.module = 0, .offset = 16}});
  log.calls({.operation = alltoallv, .item = 0, .count = 3});
  log.calls({.operation = alltoallv, .item = 1, .count = 3, .subject = rank_log::Subject::displacements});
  log.calls({.operation = alltoallv, .item = 0, .count = 3, .subject = rank_log::Subject::backtrace});
  log.calls({.operation = {Exchange::alltoallv, Mode::blocking, true},
             .item = 0,
             .count = 4,
             .index_step = 5,
             .id_step = 3});
  log.times({{.operation = static_cast<std::uint8_t>(alltoallv.index()),
              .index = 1,
              .begin_ns = 3,
              .duration_ns = 4}},
            2);
  log.failed(0, alltoallv, true, 3, 3);
  log.finished({0, 0, 0, 0, 0, 0, 3});
  return log;
}

std::vector<std::size_t> ends_of_records(const std::string& log) {
  std::vector<std::size_t> ends = {0};
  while (ends.back() < log.size()) {
    rank_log::RecordHeader header;
    std::memcpy(&header, &log[ends.back()], sizeof header);
    ends.push_back(ends.back() + header.bytes);
  }
  return ends;
}

TEST(LogReader, ReadsOrRejectsEveryPrefixOfLog) {
  const std::string whole = rich_log().bytes();
  const std::vector<std::size_t> record_ends = ends_of_records(whole);
  std::uint64_t most_calls = 0;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    MergeResult result;
    const auto refused = error_of([&] { result = merge_logs({whole.substr(0, size)}); });
    if (refused) {
      EXPECT_EQ(refused->kind(), ErrorKind::bad_input);
      EXPECT_LT(size, 96U);
      continue;
    }
    if (std::ranges::binary_search(record_ends, size)) {
      EXPECT_THAT(result.findings, IsEmpty()) << size;  // the program was killed
    } else {
      ASSERT_THAT(result.findings, SizeIs(1)) << size;
      EXPECT_EQ(result.findings[0].what, "log truncated in a record");
    }
    EXPECT_EQ(result.profile.cut_short.empty(), size == whole.size()) << size;
    const std::uint64_t calls = result.profile.leads.empty() || result.profile.leads[0].signatures.empty()
                                    ? 0
                                    : result.profile.leads[0].signatures[0].calls.size();
    EXPECT_GE(calls, most_calls) << size;
    most_calls = calls;
  }
  EXPECT_EQ(most_calls, 3U);
}

// The checksums are renewed, as in a malicious log.
TEST(LogReader, ReadsOrRejectsLogWithAnyChangedByte) {
  const std::vector<std::string> logs = {rich_log(0, 2).bytes(), rich_log(1, 2).bytes()};
  for (std::size_t byte = 0; byte < logs[1].size(); ++byte) {
    for (const int change : {0x01, 0x80, 0xff, 0x10}) {
      std::vector<std::string> changed = logs;
      changed[1][byte] = static_cast<char>(changed[1][byte] ^ change);
      LogBuilder::seal(changed[1]);
      const auto refused = error_of([&] { merge_logs(changed, {.max_scattered_calls = 1000}); });
      if (refused) {
        EXPECT_EQ(refused->kind(), ErrorKind::bad_input) << byte;
      }
    }
  }
}

/// Merges a log of which these calls are intact, and returns the diagnostic about its damage.
Diagnostic damage_of(LogBuilder& log, std::uint64_t sound_bytes, const char* calls = "0-2") {
  const MergeResult result = merge_logs({log.bytes()});
  EXPECT_EQ(result.profile.cut_short.to_string(), "0");
  EXPECT_THAT(result.findings, SizeIs(1));
  if (result.findings.empty()) return {};
  EXPECT_GE(result.findings[0].byte, sound_bytes);
  EXPECT_EQ(result.findings[0].file, "log 0");
  EXPECT_EQ(result.profile.leads.at(0).signatures.at(0).calls.to_string(), calls);
  return result.findings[0];
}

class DamagedLogReader : public ::testing::Test {
 protected:
  DamagedLogReader() {
    log_.communicator(0, {0});
    log_.row({.send = {1}, .recv = {1}});
    log_.calls({.operation = alltoallv, .count = 3});
    sound_bytes_ = log_.bytes().size();
  }

  void expect(const std::string& what, const char* calls = "0-2") {
    EXPECT_THAT(damage_of(log_, sound_bytes_, calls).what, HasSubstr(what));
  }

  LogBuilder log_{0, 1};
  std::uint64_t sound_bytes_ = 0;
};

TEST_F(DamagedLogReader, KeepsRecordsBeforeDamage) {
  log_.calls({.communicator = 1, .operation = alltoallv, .index = 3});
  expect("unknown communicator");
}

TEST_F(DamagedLogReader, ReportsMissingRow) {
  log_.calls({.operation = alltoallv, .item = 1, .index = 3});
  expect("calls refer to a missing row");
}

TEST_F(DamagedLogReader, ReportsNeighbourhoodCallsWithoutNeighbours) {
  log_.calls({.operation = {Exchange::alltoallv, Mode::blocking, true}, .index = 3});
  expect("neighbourhood calls on a communicator without neighbours");
}

TEST_F(DamagedLogReader, ReportsCallNumberOverflow) {
  log_.calls({.operation = alltoallv, .index = 3, .count = 1 << 20, .index_step = std::uint64_t{1} << 50});
  expect("invalid call numbers", "0-3");
}

TEST_F(DamagedLogReader, ReportsZeroStep) {
  log_.calls({.operation = alltoallv, .index = 3, .count = 2, .index_step = 0});
  expect("invalid call numbers", "0-3");
}

TEST_F(DamagedLogReader, ReportsTooManyScatteredCalls) {
  log_.calls({.operation = alltoallv, .index = 3, .count = std::uint64_t{1} << 40, .index_step = 2});
  expect("too many non-consecutive calls");
}

TEST_F(DamagedLogReader, ReportsFailureOnUnknownCommunicator) {
  log_.failed(1, alltoallv, true, 3, 3);
  expect("unknown operation or communicator in the failed calls");
}

TEST_F(DamagedLogReader, ReportsTooManyFailedCalls) {
  log_.failed(0, alltoallv, false, 3, 3, std::uint64_t{1} << 40);
  expect("too many non-consecutive calls");
}

TEST_F(DamagedLogReader, ReportsNegativeCountOfSuccessfulCall) {
  log_.row({.send = {-1}, .recv = {1}});
  log_.calls({.operation = alltoallv, .item = 1, .index = 3}).finished();
  const MergeResult result = merge_logs({log_.bytes()});
  ASSERT_THAT(result.findings, SizeIs(1));
  EXPECT_EQ(result.findings[0].what, "negative count");
  EXPECT_EQ(result.profile.leads.at(0).signatures.at(0).calls.to_string(), "0-2");
}

// By default, MPI aborts the program when it refuses a count.
TEST_F(DamagedLogReader, ExpectsNegativeCountInLastCall) {
  log_.row({.send = {-1}, .recv = {1}});
  log_.calls({.operation = alltoallv, .item = 1, .index = 3});
  const MergeResult result = merge_logs({log_.bytes()});
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.profile.leads.at(0).signatures.at(0).calls.to_string(), "0-2");
}

TEST_F(DamagedLogReader, ReportsMembersOutsideWorld) {
  log_.communicator(0, {0, 1});
  expect("invalid ranks in a communicator");
}

TEST_F(DamagedLogReader, ReportsUnknownRecordKind) {
  log_.clock(1, 2, 3, 4).change_last<rank_log::ClockRecord>([](rank_log::ClockRecord& record, char*) {
    record.header.kind = static_cast<rank_log::Kind>(99);
  });
  expect("unknown record kind 99");
}

TEST_F(DamagedLogReader, ReportsZeroLength) {
  log_.bytes() += std::string("\x04\0\0\0\0\0\0\0", 8);
  expect("invalid record length");
}

TEST_F(DamagedLogReader, ReportsRecordTooShortForItsCounts) {
  log_.row({.send = {1}, .recv = {1}});
  log_.change_last<rank_log::RowRecord>(
      [](rank_log::RowRecord& record, char*) { record.send_count = std::uint64_t{1} << 56; });
  expect("row too short for its numbers");
}

TEST_F(DamagedLogReader, ReportsTimesOfUnknownOperation) {
  log_.times({{.operation = 24}}, 1);
  expect("times or hashes of an unknown operation or communicator");
}

TEST_F(DamagedLogReader, ReportsInvalidHashes) {
  log_.hashes({{.received = 2, .hash = 5}}, 1);
  expect("invalid hash of a call");
}

TEST(LogReader, ReportsOtherVersion) {
  std::string log = LogBuilder(0, 1).bytes();
  log[15] = '1';
  EXPECT_ERROR(merge_logs({log}), bad_input, "the rank log has format version 1: expected version 3");
}

TEST(LogReader, ReportsOppositeByteOrder) {
  std::string log = LogBuilder(0, 1).bytes();
  std::reverse(log.begin() + 8, log.begin() + 16);
  EXPECT_ERROR(merge_logs({log}), bad_input, "opposite byte order");
}

// The writer died while it wrote a record, or a part of the file was not stored.
TEST(LogReader, ReportsDataAfterEnd) {
  LogBuilder log(0, 1);
  log.communicator(0, {0});
  log.row({.send = {1}, .recv = {1}});
  log.calls({.operation = alltoallv, .count = 3}).unused_room(8);
  const std::size_t end = log.bytes().size() - 8;
  EXPECT_THAT(merge_logs({log.bytes()}).findings, IsEmpty());
  log.bytes() += "part of a row";
  EXPECT_EQ(damage_of(log, end).what, "data after the end of the log");
}

/// Returns everything that a result contains about calls.
std::string text_of(const MergeResult& result) {
  std::string text = result.profile.cut_short.to_string() + std::to_string(result.profile.incomplete_calls);
  for (const Lead& lead : result.profile.leads) {
    for (const std::vector<Signature>* list : {&lead.signatures, &lead.displacements})
      for (const Signature& signature : *list) {
        text += '\n' + signature.operation.name() + signature.calls.to_string();
        for (const Direction direction : {Direction::send, Direction::recv}) {
          const Side& side = side_of(signature, direction);
          text += ' ' + std::to_string(side.type_size);
          for (const std::int64_t number : side.matrix.counts) text += ' ' + std::to_string(number);
        }
      }
    for (const RankValues& values : lead.execution_s)
      for (const double value : values.values) text += ' ' + std::to_string(value);
    for (const Backtrace& backtrace : lead.backtraces)
      for (const std::string& frame : backtrace.frames) text += frame;
    for (const std::uint64_t calls : lead.total_calls) text += ' ' + std::to_string(calls);
  }
  for (const FailedCalls& failed : result.profile.failed_calls) text += std::to_string(failed.calls);
  return text;
}

TEST(LogReader, ReadsOrRejectsRandomSequences) {
  std::mt19937_64 random(1);
  const auto one_of = [&](const std::vector<std::uint64_t>& values) {
    return values[random() % values.size()];
  };
  for (int attempt = 0; attempt < 2000; ++attempt) {
    LogBuilder log(0, 1);
    log.communicator(0, {0});
    log.row({.send = {1}, .recv = {1}});
    log.row({.send = {-1}, .recv = {1}});
    for (int stream = 0; stream < 2; ++stream) {
      rank_log::StreamRecord record{};
      record.operation = static_cast<std::uint8_t>(alltoallv.index());
      record.origin_index = one_of({UINT64_MAX, 0, 5, UINT64_MAX / 2});
      record.origin_id = one_of({UINT64_MAX, 0, 5});
      std::vector<rank_log::StepRecord> steps(3);
      for (rank_log::StepRecord& step : steps) {
        step.item = static_cast<std::uint32_t>(random() % 2);
        step.index_step = one_of({0, 1, 1, 1, 2, 1000, std::uint64_t{1} << 59, UINT64_MAX});
        step.id_step = one_of({0, 1, 1, 1, 3, UINT64_MAX});
      }
      std::vector<std::uint64_t> words;
      for (std::uint64_t k = 1 + random() % 20; k > 0; --k)
        words.push_back(one_of({2, 2, 4, 6, 8, 3, 5, 7, 9, 1, 1000, 1001, rank_log::max_word}));
      log.sequence(record, steps, words);
    }
    log.failed(0, alltoallv, random() % 2 == 0, random() % 10, random() % 10, 1 + random() % 3);
    const auto refused = error_of([&] { merge_logs({log.bytes()}, {.max_scattered_calls = 10'000}); });
    EXPECT_FALSE(refused) << refused->what();
  }
}

TEST(LogReader, DetectsEveryChangedBit) {
  const std::string log = rich_log().bytes();
  const std::string expected = text_of(merge_logs({log}));
  for (std::size_t bit = 0; bit < 8 * log.size(); ++bit) {
    std::string changed = log;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    MergeResult result;
    if (error_of([&] { result = merge_logs({changed}); })) continue;
    EXPECT_TRUE(!result.findings.empty() || text_of(result) == expected) << "bit " << bit;
  }
}

}  // namespace
}  // namespace plimsoll::testing
