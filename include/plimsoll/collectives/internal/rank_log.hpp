#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <plimsoll/support/hash.hpp>
#include <plimsoll/support/version.hpp>

/// The log of one rank: its collective calls in the order in which it recorded them. It is readable at any
/// moment, even after the program was killed. It contains each row of counts once. The calls of one operation
/// on one communicator are a stream: a sequence of steps, in which repeated parts take no more space than
/// one.
///
/// A log is a sequence of records without gaps, in the byte order of its machine. Each record is aligned to 8
/// bytes and begins with a RecordHeader. A checksum follows its fixed content: check_of() the record up to
/// there. Kinds that grow in place (content_bytes()) have space after the checksum, for words or entries that
/// carry their own check bits. The writer fills a record before it stores its header, and entries before
/// their first word, in one store each. Therefore all data are complete if the writer dies, and every change
/// of a bit is detected.
///
/// The log ends with the file, with a `finished` record, or with a header of zeros, which fill new parts of
/// the file.
namespace plimsoll::PLIMSOLL_ABI::collectives::rank_log {

/// The first eight bytes of a log. The last one is the digit of the version.
inline constexpr std::uint64_t magic = 0x33474f4c41324150;  // "PA2ALOG3", little endian

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
  stream,        ///< StreamRecord
  times,         ///< TimesRecord
  backtrace,     ///< BacktraceRecord
  module,        ///< ModuleRecord
  clock,         ///< ClockRecord
  finished,      ///< FinishedRecord: the program reached MPI_Finalize or called exit()
  failed,        ///< FailureRun
  hashes,        ///< HashesRecord
  step,          ///< StepRecord
  words,         ///< WordsRecord
  packed,        ///< PackedRecord
};

/// Common beginning of all records.
struct RecordHeader {
  Kind kind;
  std::uint32_t bytes;  ///< size of the record, including this header and the checksum, a multiple of 8
  friend bool operator==(const RecordHeader&, const RecordHeader&) = default;
};

/// Returns the checksum of a record: of its header, and of the content after it.
inline std::uint64_t check_of(const RecordHeader& header, std::span<const std::byte> content) {
  return support::hash_bytes(content, std::bit_cast<std::uint64_t>(header));
}

/// Maximum number that a checked word can contain.
inline constexpr std::uint64_t max_word = (std::uint64_t{1} << 44) - 1;

/// Returns a word that contains a number, from 1 to max_word, and 20 check bits. It is never 0, which marks
/// unused space. `salt` distinguishes the uses of the same place. Every change of one bit is detected, others
/// with a probability of 1 - 2^-20.
constexpr std::uint64_t checked(std::uint64_t number, std::uint64_t salt = 0) {
  constexpr std::uint64_t factor = 0xd6e8feb86659fd93;
  const std::uint64_t check = (number + (salt + 1) * support::splitmix64_step) * factor;
  return (check & ~max_word) | number;
}

/// Returns the number in a checked word, or nothing if the word is damaged, unused, or has another salt.
constexpr std::optional<std::uint64_t> unchecked(std::uint64_t word, std::uint64_t salt = 0) {
  const std::uint64_t number = word & max_word;
  return number > 0 && word == checked(number, salt) ? std::optional(number) : std::nullopt;
}

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

/// Calls of one operation on one communicator and of one subject, in order. A communicator, operation and
/// subject may have several streams. Calls are recorded before MPI executes them, so that streams also
/// contain calls that fail (FailureRun).
struct StreamRecord {
  RecordHeader header;
  std::uint32_t stream;  ///< number of the stream in this log
  std::uint32_t communicator;
  std::uint8_t operation;  ///< Operation::index()
  Subject subject;
  std::uint16_t reserved;
  std::uint32_t reserved2;
  /// Index and ID before the first step, modulo 2^64. The index of a call is its number among the calls of
  /// its operation on its communicator, which is equal on all ranks of the communicator. The ID is its number
  /// among all calls of its operation on this rank. Both count from 0 and include calls that are not
  /// recorded.
  std::uint64_t origin_index;
  std::uint64_t origin_id;
};

/// A step of a stream: a call, relative to the call before.
struct StepRecord {
  RecordHeader header;
  std::uint32_t stream;
  std::uint32_t step;  ///< number of the step in its stream
  std::uint32_t item;  ///< number of the row or backtrace
  std::uint32_t reserved;
  std::uint64_t index_step;  ///< added to the index of the call before
  std::uint64_t id_step;     ///< added to its ID
};

/// Latest part of the sequence of a stream. The record also has space for `capacity` + 1 checked words. The
/// first one is the number of earlier words of this stream, plus 1, which is the salt of the others. These
/// end before the first one that is 0, or that has the salt of an earlier use of this record. One word
/// (2 * step + 2) is a call. Two words (2 * distance + 1; count) are `count` calls with the same steps as the
/// calls `distance` steps before; the count grows in place.
struct WordsRecord {
  RecordHeader header;
  std::uint32_t stream;
  std::uint32_t capacity;
};

/// Maximum number of words in a WordsRecord or a PackedRecord.
inline constexpr std::uint32_t max_words = 4096;
/// Maximum distance of repeated steps.
inline constexpr std::uint32_t max_distance = 1U << 16;

/// Earlier part of the sequence of a stream, compressed. The record also contains `packed_bytes` bytes, which
/// packed_words.hpp defines.
struct PackedRecord {
  RecordHeader header;
  std::uint32_t stream;
  std::uint32_t words;
  std::uint64_t begin;  ///< number of earlier words of this stream
  std::uint32_t packed_bytes;
  std::uint32_t reserved;
};

/// Communicator of failed calls whose communicator is invalid, such as MPI_COMM_NULL.
inline constexpr std::uint32_t no_communicator = UINT32_MAX;

/// Calls with consecutive ids for which MPI returned an error, in the call or in one that completed its
/// request. They exchanged no data, or an unknown part of it. The record also has space for one checked word,
/// the number of calls, which grows in place.
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
};

/// Times of one call in ns, on the clock of this rank (CLOCK_MONOTONIC). The duration of a nonblocking or
/// persistent call includes its share of the calls that waited for its request or tested it. Times of such
/// calls are recorded when the request is complete, so that times are not sorted.
struct CallTime {
  std::uint32_t communicator;
  std::uint8_t operation;
  std::uint8_t reserved;
  std::uint16_t check;
  std::uint64_t index;  ///< see StreamRecord
  std::uint64_t begin_ns;
  std::uint64_t duration_ns;
};

/// Hash of the data that this rank sent or received in one call. docs/reference/collective-files.md defines
/// it.
struct CallHash {
  std::uint32_t communicator;
  std::uint8_t operation;
  std::uint8_t received;  ///< 0: hash of the data sent; 1: hash of the data received
  std::uint16_t check;
  std::uint64_t index;  ///< see StreamRecord
  std::uint64_t hash;   ///< never 0
};

/// Returns the first eight bytes of a CallTime or CallHash as a number. `received` is `reserved` in a
/// CallTime.
constexpr std::uint64_t entry_head(std::uint32_t communicator, std::uint8_t operation, std::uint8_t received,
                                   std::uint16_t check) {
  const std::uint64_t from_left = std::uint64_t{communicator} << 32 | std::uint64_t{operation} << 24 |
                                  std::uint64_t{received} << 16 | check;
  const std::uint64_t from_right = communicator | std::uint64_t{operation} << 32 |
                                   std::uint64_t{received} << 40 | std::uint64_t{check} << 48;
  return std::endian::native == std::endian::little ? from_right : from_left;
}

/// Returns the check bits of the words of a CallTime or CallHash without check bits. They are not 0.
template <std::size_t words>
std::uint16_t check_of_entry(const std::array<std::uint64_t, words>& entry) {
  std::uint64_t sum = 0;
  for (const std::uint64_t word : entry) sum = (std::rotl(sum, 23) ^ word) * support::splitmix64_step;
  return static_cast<std::uint16_t>(support::mix_bits(sum) | 1);
}
/// Returns those of an entry, whose own are ignored.
template <class Entry>
std::uint16_t check_of_entry(Entry entry) {
  entry.check = 0;
  return check_of_entry(
      std::bit_cast<std::array<std::uint64_t, sizeof(Entry) / sizeof(std::uint64_t)>>(entry));
}

/// Times or hashes of calls. The record also has space for `capacity` CallTimes or CallHashes. The first one
/// whose first eight bytes are 0 ends them.
struct EntriesRecord {
  RecordHeader header;
  std::uint32_t capacity;
  std::uint32_t reserved;
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

/// Returns the size of the fixed content of a record with this header, up to the checksum. In kinds that grow
/// in place, entries or checked words follow the checksum.
constexpr std::uint64_t content_bytes(const RecordHeader& header) {
  switch (header.kind) {
    case Kind::times:
    case Kind::hashes: return sizeof(EntriesRecord);
    case Kind::failed: return sizeof(FailureRun);
    case Kind::words: return sizeof(WordsRecord);
    default: return header.bytes - sizeof(std::uint64_t);
  }
}

}  // namespace plimsoll::collectives::rank_log
