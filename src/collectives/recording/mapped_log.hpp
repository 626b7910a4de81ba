#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>

#include <plimsoll/collectives/internal/rank_log.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A file of records (rank_log.hpp) that grows at its end. It is written through shared memory, so that
/// stored data survive the program's death and cost no system call. Space on disk is reserved before it is
/// mapped: a full disk is an error, never a signal.
///
/// Other processes cannot open it for writing, because they could truncate the mapped file, which would end
/// the program (SIGBUS). It is locked (flock), so that it is not mistaken for the log of a process that has
/// ended. Only the latest two windows on the file stay mapped, which bounds the memory; earlier records can
/// no longer change.
class MappedLog {
 public:
  using Position = std::uint64_t;
  static constexpr Position nowhere = UINT64_MAX;

  /// Creates the log. Throws Error: system if the file cannot be created or the disk lacks space for its
  /// first records, usage if it exists.
  explicit MappedLog(std::string path);
  ~MappedLog();
  MappedLog(const MappedLog&) = delete;
  MappedLog& operator=(const MappedLog&) = delete;

  /// Appends `record` of `kind`, followed by `parts`, their checksum, and `room` bytes of zeros. Returns
  /// `nowhere` if the log can no longer grow; see error().
  template <class Record>
  Position append(rank_log::Kind kind, const Record& record,
                  std::initializer_list<std::span<const std::byte>> parts = {}, std::uint64_t room = 0) {
    return append_bytes(kind, std::as_bytes(std::span(&record, 1)), parts, room);
  }

  /// Returns the record at a position if it may still change, else null.
  template <class Record>
  Record* find(Position position) {
    if (position - current_.begin < current_.size)
      return reinterpret_cast<Record*>(current_.bytes + (position - current_.begin));
    if (position - previous_.begin < previous_.size)
      return reinterpret_cast<Record*>(previous_.bytes + (position - previous_.begin));
    return nullptr;
  }

  /// Truncates the file to its used size; nothing can be appended any more. Only the process that created it
  /// can call this.
  void finish();
  /// Unlocks and closes the file, which finish() has kept open.
  void release() { file_.close(); }
  /// Closes the file without changing it. Used in a child made by fork(), where the file is not mapped.
  void abandon();
  /// Returns whether the log is neither finished nor full.
  bool can_grow() const { return current_.bytes && error_.empty(); }
  /// Returns whether this process created the log; false in a child made by fork().
  bool is_ours() const;

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return used_; }
  /// Returns why the log stopped growing; empty if it did not.
  const std::string& error() const { return error_; }

 private:
  struct Window {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    std::byte* bytes = nullptr;
  };

  Position append_bytes(rank_log::Kind kind, std::span<const std::byte> record,
                        std::initializer_list<std::span<const std::byte>> parts, std::uint64_t room);
  void make_room(std::uint64_t bytes);
  void reserve(std::uint64_t file_bytes);
  support::Error failure(const std::string& what, int errno_value) const;
  static void unmap(Window& window);

  std::string path_;
  support::Descriptor file_;
  pid_t owner_;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t next_window_;
  Window current_;
  Window previous_;
  std::string error_;
};

/// Returns the space after the checksum of a record that grows in place.
template <class Entry, class Record>
Entry* space_of(Record* record) {
  return reinterpret_cast<Entry*>(reinterpret_cast<std::uint64_t*>(record + 1) + 1);
}

/// Stores a number in a log after all earlier writes to the log.
template <class Number>
void publish(Number& place, Number number) {
  std::atomic_ref<Number>(place).store(number, std::memory_order_release);
}

}  // namespace plimsoll::collectives
