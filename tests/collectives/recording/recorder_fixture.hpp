#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/collectives/internal/recorder.hpp>

#include "collectives/log_dump.hpp"
#include "collectives/profiles.hpp"
#include "common/temporary_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A row that owns its numbers.
struct OwnedRow {
  std::vector<std::int32_t> send;
  std::vector<std::int32_t> recv;
  Row row() const {
    return {.send_type_size = 8,
            .recv_type_size = 4,
            .send = IntegerSpan(send.data(), send.size()),
            .recv = IntegerSpan(recv.data(), recv.size())};
  }
  LogDump::Row dump() const {
    return {.send_type_size = 8,
            .recv_type_size = 4,
            .send = {send.begin(), send.end()},
            .recv = {recv.begin(), recv.end()}};
  }
};

inline OwnedRow row_of(std::int32_t number, std::size_t ranks = 4) {
  OwnedRow row{std::vector<std::int32_t>(ranks, 1), std::vector<std::int32_t>(ranks, 2)};
  row.send.back() = number;
  return row;
}

class LogRecorder : public ::testing::Test {
 protected:
  Recorder recorder(const RecorderOptions& options = {}) {
    RecorderOptions here = options;
    here.folder = folder_.path();
    return Recorder(here, {.run_id = 0xab12,
                           .job = 77,
                           .world_rank = 3,
                           .world_size = 8,
                           .pid = 4242,
                           .host = "node7",
                           .program = "/opt/app"});
  }
  static std::uint32_t add_world(Recorder& recorder) {
    return recorder.add_communicator({.comm_rank = 3, .members = {0, 1, 2, 3, 4, 5, 6, 7}});
  }
  static void call(Recorder& recorder, std::uint32_t communicator, const OwnedRow& row,
                   Operation operation = alltoallv) {
    const Recorder::Call call = recorder.begin_call(communicator, operation);
    if (call.recorded) recorder.record_counts(call, row.row());
  }
  std::string path() const { return folder_ / "plimsoll-ab12.rank3.log"; }
  LogDump dump() const { return dump_log(path()); }

  testing::TemporaryFolder folder_;
};

}  // namespace plimsoll::collectives
