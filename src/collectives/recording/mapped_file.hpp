#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the smallest multiple that is not below a number.
constexpr std::uint64_t round_up(std::uint64_t number, std::uint64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

/// A new file that is written through shared memory, so that stored data survive the program's death and cost
/// no system call. Space on disk is reserved before it is mapped: a full disk is an error, never a signal.
///
/// Other processes cannot open it for writing, because they could truncate the mapped file, which would end
/// the program (SIGBUS). It is locked (flock), so that it is not mistaken for the file of a process that has
/// ended.
class MappedFile {
 public:
  /// Words in messages to the user.
  struct Texts {
    const char* file;  ///< such as "the log"
    const char* loss;  ///< what happens if it cannot grow
  };

  /// Mapped parts begin and end at multiples of this size, itself a multiple of all common page sizes.
  static constexpr std::uint64_t smallest_part = std::uint64_t{64} << 10;

  /// Creates the file. Throws Error: system if it cannot be created, usage if it exists.
  MappedFile(std::string path, const Texts& texts);

  /// Reserves space for the file up to `file_bytes`, and maps a part of it. The part is not mapped in
  /// children made by fork(). Throws Error (system).
  std::byte* map(std::uint64_t begin, std::uint64_t bytes, std::uint64_t file_bytes);
  /// Truncates the file. If that fails, zeros stay at its end.
  void truncate(std::uint64_t bytes);
  /// Unlocks and closes the file, which stays mapped.
  void close() { file_.close(); }
  /// Returns whether this process created the file; false in a child made by fork().
  bool is_ours() const;
  const std::string& path() const { return path_; }
  /// Returns the Error (system) for a failure of this file.
  support::Error failure(const char* verb, int errno_value) const;

 private:
  void reserve(std::uint64_t file_bytes);

  std::string path_;
  Texts texts_;
  support::Descriptor file_;
  pid_t owner_;
  std::uint64_t file_bytes_ = 0;
};

}  // namespace plimsoll::collectives
