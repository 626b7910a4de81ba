#pragma once

#include <cstdint>

#include <plimsoll/collectives/internal/rank_log.hpp>

/// The file with the sums over the MPI calls of one rank. It contains the hash tables in which the rank's
/// threads add up their calls, so that it is current at any moment, even after the program was killed.
///
/// The file is a sequence of blocks without gaps, in the byte order of its machine, each with a size that is
/// a multiple of `alignment`. The writer reserves a block, fills it, and then stores its head in one store.
/// Of several blocks of the same kind and number, the last one is valid: a table that grows continues in a
/// new block. Blocks without a head are unused. The file ends with a header of zeros or with its last byte.
///
/// The content of tables, threads and `progress` changes as long as the program runs: each value in one
/// store, so readers may find a call in some sums of its entry only. Until the rank has recorded its last
/// call, only the keys of entries have checksums there. Then the writer seals the file: it adds a checksum to
/// each block, to that of `progress` last. Each changed bit of a sealed file is noticed, or changes nothing
/// that is read.
namespace plimsoll::PLIMSOLL_ABI::collectives::rank_sums {

/// The first eight bytes of the content of a file: "PLIMSUM2", little endian. The last one is the digit of
/// the version.
inline constexpr std::uint64_t magic = 0x324d55534d494c50;

/// Size of a cache line.
inline constexpr std::uint64_t alignment = 64;

/// Largest number of ranks in a file that readers accept, because they need memory for each rank.
inline constexpr std::uint32_t max_ranks = 1 << 20;

/// Kind of a block.
enum class Kind : std::uint8_t {
  unused = 0,
  rank,       ///< RankRecord, the host; the first block
  progress,   ///< Progress; the second block
  functions,  ///< names of the functions, each with a final null character
  module,     ///< path of the program or of a library; its number is that of the module
  place,      ///< PlaceRecord
  thread,     ///< ThreadRecord of a thread
  sites,      ///< Entry<SiteRecord>, by return address and number of the function; of a thread
  calls,      ///< Entry<FunctionSums>, by 0 and number of the function; of a thread
  messages,   ///< Entry<MessageSums>, by rank in MPI_COMM_WORLD and Direction; of a thread
  waits,      ///< Entry<MeasuredWaits>, by return address and number of the function
};

/// Beginning of each block.
struct alignas(alignment) BlockHeader {
  std::uint64_t head;   ///< head_of() the block; 0 if it is unused
  std::uint64_t bytes;  ///< rank_log::checked() size of the block, including this header
  std::uint64_t content_bytes;
  std::uint64_t check;  ///< check_of() the content; 0 if it may still change
};

/// Returns the head of a block.
constexpr std::uint64_t head_of(Kind kind, std::uint32_t number) {
  return rank_log::checked(static_cast<std::uint64_t>(kind) | std::uint64_t{number} << 8);
}

/// Returns the checksum of a block whose content no longer changes.
inline std::uint64_t check_of(std::uint64_t head, std::span<const std::byte> content) {
  return support::hash_bytes(content, head);
}

/// The rank; the name of its host follows.
struct RankRecord {
  std::uint64_t magic;
  std::uint64_t run_id;
  std::uint64_t job;
  std::uint64_t pid;
  std::uint32_t world_rank;
  std::uint32_t world_size;
};

/// Times of the process in ns of its CLOCK_MONOTONIC.
struct Progress {
  std::uint64_t begin_ns;     ///< begin of the current interval of recording; 0 during a pause
  std::uint64_t before_ns;    ///< length of the earlier intervals
  std::uint64_t finalized;    ///< whether the rank has called MPI_Finalize
  std::uint64_t lacks_calls;  ///< whether the file could not grow, so that it does not contain all calls
  std::uint64_t used_bytes;   ///< size of all blocks of a sealed file; 0 before
};

/// Code to which calls return.
struct PlaceRecord {
  std::uint64_t address;  ///< in the memory of the process
  std::uint64_t offset;   ///< in the module
  std::uint32_t module;   ///< its number
  std::uint32_t padding;
};

/// A thread that calls MPI.
struct ThreadRecord {
  std::uint64_t last_ns;  ///< end of the last recorded call of the thread
};

/// An entry of a hash table.
template <class Sums>
struct Entry {
  std::uint64_t place;
  std::uint32_t kind;
  std::uint32_t check;  ///< check_of_key() its key; 0 if it is unused
  Sums sums;
};

/// Returns the checksum of the key of an entry, which is not 0.
inline std::uint32_t check_of_key(std::uint64_t place, std::uint32_t kind) {
  return static_cast<std::uint32_t>(support::mix_bits(place + (kind + 1) * support::splitmix64_step) >> 32) |
         1;
}

/// The direction of messages in the key of an entry.
enum class Direction : std::uint32_t { to_peer, from_peer };

}  // namespace plimsoll::collectives::rank_sums
