#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include <plimsoll/collectives/internal/rank_log.hpp>
#include <plimsoll/collectives/internal/recorder.hpp>
#include <plimsoll/collectives/merge.hpp>

#include "collectives/merging/call_runs.hpp"
#include "collectives/model/distinct_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

struct LogCommunicator : rank_log::CommunicatorRecord {
  NumberList members = {};
  NumberList remote_members = {};
  bool has_neighbors = false;
  std::vector<std::uint32_t> sources = {};
  std::vector<std::uint32_t> destinations = {};
};

/// Position of a row's numbers in the log, and a digest that identifies them. The digest is computed from
/// 64-bit numbers, so it does not depend on the width of the original numbers.
struct LogRow {
  struct Side {
    std::uint64_t type_size = 0;
    std::uint64_t offset = 0;  ///< bytes from the start of the log
    std::uint64_t count = 0;
    Digest digest = {};
  };
  std::uint32_t number = 0;
  rank_log::Content content = rank_log::Content::counts;
  bool wide = false;
  bool negative = false;  ///< whether a number is below 0; MPI refuses such counts
  Side send;
  Side recv;
  Digest digest;  ///< digest of both sides and their type sizes

  const Side& side(Direction direction) const { return direction == Direction::send ? send : recv; }
};

struct LogTime {
  std::uint64_t index = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t duration_ns = 0;
};

/// Selects calls by communicator, operation and subject.
struct CallsKey {
  std::uint32_t communicator = 0;
  std::uint8_t operation = 0;
  rank_log::Subject subject = rank_log::Subject::counts;
  friend auto operator<=>(const CallsKey&, const CallsKey&) = default;
};

/// Content of one rank's log. It refers to the log's bytes, which must outlive it.
struct RankLog : RankIdentity {
  LogContent content;
  std::vector<LogCommunicator> communicators;  ///< indexed by number
  std::vector<LogRow> rows;                    ///< indexed by number
  std::map<CallsKey, CallRuns> calls;
  /// Calls that failed, by communicator and operation.
  std::map<std::pair<std::uint32_t, std::uint8_t>, std::vector<LogFailure>> failures;
  /// Times, sorted by index of the call. The subject of every key is Subject::counts.
  std::map<CallsKey, std::vector<LogTime>> times;
  /// Hashes of data, sorted by index of the call. The subject of every key is Subject::counts.
  std::map<CallsKey, std::vector<rank_log::CallHash>> hashes;
  std::vector<std::vector<rank_log::Frame>> backtraces;  ///< indexed by number
  std::vector<std::string> modules;                      ///< indexed by number
  std::vector<rank_log::ClockRecord> clocks;
  /// Number of calls per operation, if the program reached its end.
  std::optional<std::vector<std::uint64_t>> total_calls;
  bool finalized = false;
  std::optional<Diagnostic> damage;  ///< first damage, if any; the data before it are kept

  /// Returns the k-th number of a side of a row.
  std::int64_t number(const LogRow& row, const LogRow::Side& side, std::uint64_t k) const {
    const char* const first = content.bytes.data() + side.offset;
    if (row.wide) {
      std::int64_t number = 0;
      std::memcpy(&number, first + k * 8, 8);
      return number;
    }
    std::int32_t number = 0;
    std::memcpy(&number, first + k * 4, 4);
    return number;
  }
};

/// Reads a log. If it is truncated, damaged or malicious, returns the data before the damage. Memory is
/// bounded by the log's size. Throws Error (bad_input) if the content is not a log.
RankLog read_log(const LogContent& content, const MergeLimits& limits);

/// Returns the first record of a log, or nothing if the file is not a log.
std::optional<rank_log::RankRecord> read_log_header(std::span<const char> bytes);

/// Returns the first record of a log in a directory, or nothing if the entry is not a log: another file, or a
/// log whose writer has not written its first record yet.
std::optional<rank_log::RankRecord> log_header_of(const std::filesystem::path& path);

/// Reads the logs of one run, and returns one per rank, sorted by rank. Inputs that are not logs, or belong
/// to another run, become findings. Throws Error (bad_input) if the logs belong to several runs, or if no
/// input is a log.
std::vector<RankLog> read_logs_of_run(std::span<const LogContent> contents, const MergeLimits& limits,
                                      std::vector<Diagnostic>& findings, support::Progress& progress);

}  // namespace plimsoll::collectives
