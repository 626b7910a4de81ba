#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>

#include <plimsoll/collectives/rank_log.hpp>
#include <plimsoll/support/descriptor.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::collectives {

/// A file of records (rank_log.hpp) that grows at its end. It is written through memory shared with the
/// system, so that what is stored survives the program's death and costs no system call. Room on disk is
/// reserved before it is mapped: a full disk is an error, never a signal. Nobody else can open it for
/// writing, for a file cut short while it is mapped would end the program (SIGBUS); and it is locked (flock),
/// so that nobody takes it for one that its writer has left. Only the latest two windows on the file stay
/// mapped, which bounds the memory; records before can no longer change.
class MappedLog {
 public:
  using Position = std::uint64_t;
  static constexpr Position nowhere = UINT64_MAX;

  /// Throws Error: system if the file cannot be made or there is no room for its first records, usage if it
  /// exists.
  explicit MappedLog(std::string path);
  ~MappedLog();
  MappedLog(const MappedLog&) = delete;
  MappedLog& operator=(const MappedLog&) = delete;

  /// Appends `record` of `kind`, followed by `parts`, and by `room` bytes of zeros. `nowhere` once the log
  /// cannot grow, see error().
  template <class Record>
  Position append(rank_log::Kind kind, const Record& record,
                  std::initializer_list<std::span<const std::byte>> parts = {}, std::uint64_t room = 0) {
    return append_bytes(kind, std::as_bytes(std::span(&record, 1)), parts, room);
  }

  /// The record at a position if it may still change, else null.
  template <class Record>
  Record* find(Position position) {
    if (position - current_.begin < current_.size)
      return reinterpret_cast<Record*>(current_.bytes + (position - current_.begin));
    if (position - previous_.begin < previous_.size)
      return reinterpret_cast<Record*>(previous_.bytes + (position - previous_.begin));
    return nullptr;
  }

  /// Cuts the file to what it holds; nothing can be appended any more. Only the process that made it can.
  void finish();
  /// Unlocks and closes the file, which finish() has kept.
  void release() { file_.close(); }
  /// Lets go of the file as it is, in a child made by fork(), in which it is not mapped.
  void abandon();
  /// Neither finished nor full.
  bool can_grow() const { return current_.bytes && error_.empty(); }
  /// Not so in a child made by fork().
  bool is_ours() const;

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return used_; }
  /// Why the log stopped growing; empty if it did not.
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

/// Sets a number in a log after all that was written to the log before.
template <class Number>
void publish(Number& place, Number number) {
  std::atomic_ref<Number>(place).store(number, std::memory_order_release);
}

}  // namespace plimsoll::collectives
