#pragma once

#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>

#include <plimsoll/collectives/internal/rank_log.hpp>

#include "collectives/recording/mapped_file.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A mapped file of records (rank_log.hpp) that grows at its end. Only the latest two windows on the file
/// stay mapped, which bounds the memory; earlier records can no longer change.
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
  bool is_ours() const { return file_.is_ours(); }

  const std::string& path() const { return file_.path(); }
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
  static void unmap(Window& window);

  MappedFile file_;
  std::uint64_t used_ = 0;
  std::uint64_t next_window_ = MappedFile::smallest_part;
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
