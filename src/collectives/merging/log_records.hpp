#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/collectives/internal/rank_log.hpp>
#include <plimsoll/collectives/merge.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

template <class Record>
Record load_record(std::span<const char> bytes, std::uint64_t offset) {
  Record record;
  std::memcpy(&record, bytes.data() + offset, sizeof record);
  return record;
}

/// Cursor over the records of a log. Each function throws Error (bad_input) if the log is damaged there.
class LogRecords {
 protected:
  explicit LogRecords(const LogContent& content) : bytes_(content.bytes), name_(content.name) {}

  /// Throws Error (bad_input): the log is damaged at the current position.
  [[noreturn]] void fail(std::string what) const {
    throw Error(ErrorKind::bad_input,
                {.check = "rank log", .what = std::move(what), .file = name_, .byte = position_});
  }

  void require(bool condition, const char* what) const {
    if (!condition) fail(what);
  }

  // Returns whether another record exists; then header_ is its header, and the record is complete.
  bool next_record() {
    position_ += header_.bytes;
    if (bytes_.size() - position_ < sizeof(rank_log::RecordHeader)) return false;
    header_ = load_record<rank_log::RecordHeader>(bytes_, position_);
    if (header_.kind == rank_log::Kind::end || header_.bytes > bytes_.size() - position_) return false;
    require(header_.bytes >= sizeof(rank_log::RecordHeader) && header_.bytes % 8 == 0,
            "invalid record length");
    return true;
  }

  template <class Record>
  Record record() const {
    require(header_.bytes >= sizeof(Record), "record too short for its kind");
    return load_record<Record>(bytes_, position_);
  }

  // Returns the entries that follow the fixed part of a record.
  template <class Record, class Entry>
  std::vector<Entry> tail(std::uint64_t count) const {
    require(count * sizeof(Entry) <= header_.bytes - sizeof(Record), "record too short for its contents");
    std::vector<Entry> entries(count);
    if (count > 0)
      std::memcpy(entries.data(), bytes_.data() + position_ + sizeof(Record), count * sizeof(Entry));
    return entries;
  }

  void go_to(std::uint64_t offset) {
    position_ = offset;
    header_ = load_record<rank_log::RecordHeader>(bytes_, position_);
  }

  std::span<const char> bytes_;
  const std::string& name_;
  std::uint64_t position_ = 0;
  rank_log::RecordHeader header_{};
};

}  // namespace plimsoll::collectives
