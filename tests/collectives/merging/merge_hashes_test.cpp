#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/internal/recorder.hpp>

#include "collectives/log_builder.hpp"
#include "collectives/merging/only_lead.hpp"
#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"

namespace plimsoll::testing {
namespace {

using namespace collectives;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(MergeHashes, ContainsBothDirectionsOfEachRank) {
  const auto hash = [](std::uint64_t index, bool received, std::uint64_t value) {
    return rank_log::CallHash{.operation = static_cast<std::uint8_t>(Operation{}.index()),
                              .received = received,
                              .index = index,
                              .hash = value};
  };
  LogBuilder first(0, 2);
  LogBuilder second(1, 2);
  for (LogBuilder* log : {&first, &second}) {
    log->communicator(log == &first ? 0 : 1, {0, 1});
    log->row({.send = {1, 1}, .recv = {1, 1}});
    log->calls({.count = 3, .id = 5});
  }
  first.hashes({hash(0, false, 10), hash(0, true, 11), hash(2, false, 12)}, 4).finished();
  // The receive of call 0 is recorded after call 2 has begun. The lead did not make call 3.
  second.hashes({hash(1, false, 20), hash(2, false, 21)}, 2);
  second.hashes({hash(0, true, 22), hash(3, false, 23)}, 2).finished();
  const MergeResult result = merge_logs({first.bytes(), second.bytes()});
  EXPECT_THAT(result.findings, IsEmpty());
  const Lead& lead = only_lead(result);
  ASSERT_THAT(lead.hashes, SizeIs(1));
  EXPECT_EQ(lead.hashes[0].comm_size, 2U);
  EXPECT_THAT(lead.hashes[0].calls, ElementsAre(5, 6, 7));
  EXPECT_THAT(lead.hashes[0].values, ElementsAre(DataHashes{10, 11}, DataHashes{0, 22}, DataHashes{0, 0},
                                                 DataHashes{20, 0}, DataHashes{12, 0}, DataHashes{21, 0}));
}

TEST(MergeHashes, ContainsAllHashesOfRecorder) {
  const TemporaryFolder folder;
  RecorderOptions options;
  options.folder = folder.path();
  Recorder recorder(options, RankIdentity{1, 5, 0, 1, 100, "host", "/bin/app"});
  recorder.add_communicator({.comm_rank = 0, .members = {0}});
  constexpr std::uint64_t calls = 5000;  // several records
  const std::int32_t count = 1;
  for (std::uint64_t k = 0; k < calls; ++k) {
    const auto call = recorder.begin_call(0, {});
    recorder.record_counts(call, {.send = IntegerSpan(&count, 1), .recv = IntegerSpan(&count, 1)});
    recorder.record_hash(call, Direction::send, k + 1);
    recorder.record_hash(call, Direction::recv, UINT64_MAX - k);
  }
  recorder.finish(true);
  const std::string log = file_content(recorder.path());
  const MergeResult result = merge_logs({log});
  const RankHashes& hashes = only_lead(result).hashes.at(0);
  ASSERT_THAT(hashes.values, SizeIs(calls));
  for (std::uint64_t k = 0; k < calls; ++k) EXPECT_EQ(hashes.values[k], (DataHashes{k + 1, UINT64_MAX - k}));
}

TEST(MergeHashes, AreMissingIfNotRecorded) {
  LogBuilder log(0, 1);
  log.communicator(0, {0});
  log.row({.send = {1}, .recv = {1}});
  const MergeResult result = merge_logs({log.calls({.count = 2}).finished().bytes()});
  EXPECT_THAT(only_lead(result).hashes, IsEmpty());
}

}  // namespace
}  // namespace plimsoll::testing
