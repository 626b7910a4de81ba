#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <plimsoll/collectives/internal/rank_sums.hpp>
#include <plimsoll/collectives/internal/recorder.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The file of this rank with its sums over MPI calls (rank_sums.hpp), written through shared memory: the
/// sums in it survive the program's death, and updating them costs no system call. Space on disk is reserved
/// before it is mapped: a full disk is an error, never a signal. Like the log of a rank, the file is locked
/// (flock) as long as the program runs, and other processes cannot open it for writing.
///
/// Functions may be called by several threads at the same time. The memory stays valid until the process
/// ends, even after remove().
class SumsFile {
 public:
  /// Creates the file in a directory. `functions` are the names of the functions by number. Throws Error:
  /// system if the file cannot be created or the disk lacks space, usage if it exists.
  SumsFile(const std::string& folder, const RankIdentity& identity, std::span<const char* const> functions);
  ~SumsFile();

  /// Returns memory of zeros in the file, aligned to a cache line; null if the file cannot grow, which
  /// error() and Progress::lacks_calls then tell.
  std::byte* allocate(std::uint64_t bytes) noexcept;
  /// Makes the content of allocated memory valid, in place of earlier content of this kind and number.
  void publish(std::byte* content, rank_sums::Kind kind, std::uint32_t number) noexcept;
  /// Notes the module and the offset of code, before a table contains its address. Cost for a known address:
  /// a lookup; else that of dladdr().
  void add_place(std::uint64_t address) noexcept;

  rank_sums::Progress& progress();
  /// Adds checksums to all content, which must not change any more. Cost: O(bytes).
  void seal() noexcept;

  /// Removes the file. The memory stays usable.
  void remove() noexcept;
  /// Closes the file in a child made by fork(), in which it is not mapped.
  void leave_to_parent() noexcept;

  const std::string& path() const;
  /// Returns why the file could not grow; empty if it could.
  std::string error() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plimsoll::collectives
