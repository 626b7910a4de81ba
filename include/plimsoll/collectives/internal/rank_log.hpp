#pragma once

#include <cstdint>

#include <plimsoll/support/version.hpp>

/// The log of one rank: its collective calls in the order in which it recorded them. It is readable at any
/// moment, even after the program was killed. It contains each row of counts once, and calls as runs that
/// grow in place. Therefore 10^6 equal calls take no more space than one.
///
/// A log is a sequence of records without gaps, in the byte order of its machine. Each record is aligned to 8
/// bytes and begins with a RecordHeader. The writer fills a record before it sets its `kind` (with release
/// order). It increases the growing numbers (CallRun::count, TimesRecord::used, HashesRecord::used) after it
/// has written the counted data. Therefore all data are complete if the writer dies.
///
/// The log ends with the file, with a record of kind `end`, or with a record longer than the rest of the
/// file. Kind `end` is 0, which fills new parts of the file. Such a record was being written, or its space is
/// not used yet. Data after it are not part of the log.
namespace plimsoll::PLIMSOLL_ABI::collectives::rank_log {

/// The first eight bytes of a log. The last one is the digit of the version.
inline constexpr std::uint64_t magic = 0x32474f4c41324150;  // "PA2ALOG2", little endian

/// Returns the digit of the version in the first eight bytes of a log, or 0 if a file begins differently.
constexpr char version_of(std::uint64_t first_bytes) {
  constexpr int version_at = 56;
  return ((first_bytes ^ magic) & ((std::uint64_t{1} << version_at) - 1)) == 0
             ? static_cast<char>(first_bytes >> version_at)
             : '\0';
}

/// The type of a record.
enum class Kind : std::uint32_t {
  end = 0,       ///< end of the log
  rank,          ///< RankRecord: the first record
  communicator,  ///< CommunicatorRecord
  neighbors,     ///< NeighborsRecord
  row,           ///< RowRecord
  run,           ///< CallRun
  times,         ///< TimesRecord
  backtrace,     ///< BacktraceRecord
  module,        ///< ModuleRecord
  clock,         ///< ClockRecord
  finished,      ///< FinishedRecord: the program reached MPI_Finalize or called exit()
  failed,        ///< FailureRun
  hashes,        ///< HashesRecord
};

/// Common beginning of all records.
struct RecordHeader {
  Kind kind;
  std::uint32_t bytes;  ///< size of the record, including this header, a multiple of 8
  friend bool operator==(const RecordHeader&, const RecordHeader&) = default;
};

/// Identity of the writer. The record also contains `host_bytes` characters of the host's name and
/// `program_bytes` characters of the executable's path.
struct RankRecord {
  RecordHeader header;
  std::uint64_t magic;
  std::uint64_t run_id;  ///< equal on all ranks of a run
  std::uint64_t job;     ///< id of the batch job, or 0
  std::uint32_t world_rank;
  std::uint32_t world_size;
  std::uint64_t pid;
  std::uint32_t host_bytes;
  std::uint32_t program_bytes;
};

/// A communicator, numbered in order of first use on this rank. The record also contains the ranks in
/// MPI_COMM_WORLD of its members, then of its remote group, as runs (two std::uint32_t each: first and last).
struct CommunicatorRecord {
  RecordHeader header;
  std::uint32_t number;
  std::uint32_t comm_rank;
  std::uint32_t comm_size;
  std::uint32_t remote_size;  ///< 0 if it is not an inter-communicator
  std::uint32_t member_runs;
  std::uint32_t remote_runs;
  std::uint64_t order;  ///< distinguishes communicators with the same members; equal on all members
};

/// Neighbours of this rank in the topology of a communicator. The record also contains their ranks in the
/// communicator: sources, then destinations, std::uint32_t each.
struct NeighborsRecord {
  RecordHeader header;
  std::uint32_t communicator;
  std::uint32_t sources;
  std::uint32_t destinations;
  std::uint32_t reserved;
};

/// Kind of numbers in a row.
enum class Content : std::uint8_t { counts, displacements };

/// Counts (or displacements) that this rank passed to MPI. The record also contains `send_count` and
/// `recv_count` numbers, each std::int32_t, or std::int64_t if `wide`; padded to 8 bytes. Counts of Alltoallw
/// are bytes, with type sizes of 1. For MPI_IN_PLACE, the send side equals the receive side.
struct RowRecord {
  RecordHeader header;
  std::uint32_t row;  ///< number of the row in this log, ascending; another row may have the same numbers
  Content content;
  std::uint8_t wide;
  std::uint8_t in_place;
  std::uint8_t reserved;
  std::uint64_t send_type_size;
  std::uint64_t recv_type_size;
  std::uint64_t send_count;
  std::uint64_t recv_count;
  friend bool operator==(const RowRecord&, const RowRecord&) = default;
};

/// Kind of record to which calls refer by number.
enum class Subject : std::uint8_t { counts, displacements, backtrace };

/// `count` calls of one operation on one communicator, with the same row (or backtrace), number `item`. The
/// k-th call of the run is the (first_index + k * index_step)-th call of this operation on this communicator.
/// This index is equal on all ranks of the communicator. The k-th call is also the (first_id + k *
/// id_step)-th call of this operation on this rank; this number is the call's id on the rank. Both numbers
/// count from 0 and include calls that are not recorded. Runs of the same subject may interleave. Calls are
/// added before MPI executes them, so that runs also contain calls that fail (FailureRun).
struct CallRun {
  RecordHeader header;
  std::uint32_t communicator;
  std::uint8_t operation;  ///< Operation::index()
  Subject subject;
  std::uint16_t reserved;
  std::uint32_t item;
  std::uint32_t reserved2;
  std::uint64_t first_index;
  std::uint64_t index_step;
  std::uint64_t first_id;
  std::uint64_t id_step;
  std::uint64_t count;  ///< number of calls; grows in place
};

/// Communicator of failed calls whose communicator is invalid, such as MPI_COMM_NULL.
inline constexpr std::uint32_t no_communicator = UINT32_MAX;

/// `count` calls with consecutive ids for which MPI returned an error, in the call or in one that completed
/// its request. They exchanged no data, or an unknown part of it.
struct FailureRun {
  RecordHeader header;
  std::uint32_t communicator;
  std::uint8_t operation;
  /// 1: MPI refused the arguments before it communicated. Such calls have no counterparts on other ranks: all
  /// have `first_index`, as does the next call. 0: the calls have consecutive indices.
  std::uint8_t refused;
  std::uint16_t reserved;
  std::uint64_t first_index;
  std::uint64_t first_id;
  std::uint64_t count;  ///< number of calls; grows in place
};

/// Times of one call in ns, on the clock of this rank (CLOCK_MONOTONIC). The duration of a nonblocking or
/// persistent call includes its share of the calls that waited for its request or tested it. Times of such
/// calls are recorded when the request is complete, so that times are not sorted.
struct CallTime {
  std::uint32_t communicator;
  std::uint8_t operation;
  std::uint8_t reserved[3];
  std::uint64_t index;  ///< see CallRun
  std::uint64_t begin_ns;
  std::uint64_t duration_ns;
};

/// Hash of the data that this rank sent or received in one call. docs/reference/collective-files.md defines
/// it.
struct CallHash {
  std::uint32_t communicator;
  std::uint8_t operation;
  std::uint8_t received;  ///< 0: hash of the data sent; 1: hash of the data received
  std::uint16_t reserved;
  std::uint64_t index;  ///< see CallRun
  std::uint64_t hash;   ///< never 0
};

/// Times or hashes of calls. The record also contains space for `capacity` CallTimes or CallHashes, of which
/// the first `used` are valid.
struct EntriesRecord {
  RecordHeader header;
  std::uint32_t capacity;
  std::uint32_t reserved;
  std::uint64_t used;  ///< number of valid entries; grows in place
};
using TimesRecord = EntriesRecord;   ///< followed by CallTimes
using HashesRecord = EntriesRecord;  ///< followed by CallHashes

/// Frame of a backtrace: the return address.
struct Frame {
  std::uint32_t module;
  std::uint32_t reserved;
  std::uint64_t offset;  ///< offset of the return address in the module's file as linked: equal in every run
};

/// A call stack, innermost frame first. The record also contains `frames` Frames.
struct BacktraceRecord {
  RecordHeader header;
  std::uint32_t backtrace;  ///< number of the backtrace in this log
  std::uint32_t frames;
};

/// A module of the program. The record also contains `path_bytes` characters of its path.
struct ModuleRecord {
  RecordHeader header;
  std::uint32_t module;
  std::uint32_t path_bytes;
};

/// Comparison of this rank's clock with that of world rank 0: `rank 0's time = local_ns + offset_ns`, within
/// error_ns. The first record is written in MPI_Init. Its `origin_ns` is the time at which rank 0 left
/// MPI_Init, on rank 0's clock.
struct ClockRecord {
  RecordHeader header;
  std::int64_t local_ns;
  std::int64_t offset_ns;
  std::int64_t error_ns;
  std::int64_t origin_ns;
};

/// End of recording. The record also contains Operation::count numbers, std::uint64_t each: the calls of each
/// operation, including calls that were not recorded.
struct FinishedRecord {
  RecordHeader header;
  std::uint32_t finalized;  ///< 1: MPI_Finalize; 0: exit() without it
  std::uint32_t operations;
};

}  // namespace plimsoll::collectives::rank_log
