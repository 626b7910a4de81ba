#pragma once

#include <algorithm>
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

  // Returns whether another record exists; then header_ is its header, and the record is complete and intact.
  bool next_record() {
    position_ += header_.bytes;
    header_ = {};
    const std::uint64_t rest = bytes_.size() - position_;
    if (rest == 0) return false;
    require(rest >= sizeof header_, truncated);
    header_ = load_record<rank_log::RecordHeader>(bytes_, position_);
    if (header_ == rank_log::RecordHeader{}) {
      require(std::ranges::all_of(bytes_.subspan(position_), [](char byte) { return byte == 0; }),
              "data after the end of the log");
      return false;
    }
    check_record();
    return true;
  }

  // Checks the current record.
  void check_record() const {
    require(header_.bytes % 8 == 0 && header_.bytes >= sizeof header_ + sizeof(std::uint64_t),
            "invalid record length");
    require(header_.bytes <= bytes_.size() - position_, truncated);
    const std::uint64_t content = rank_log::content_bytes(header_);
    require(content + sizeof(std::uint64_t) <= header_.bytes, "invalid record length");
    const auto checked = std::as_bytes(bytes_.subspan(position_, content)).subspan(sizeof header_);
    require(load_record<std::uint64_t>(bytes_, position_ + content) == rank_log::check_of(header_, checked),
            "checksum mismatch");
  }

  template <class Record>
  Record record() const {
    require(rank_log::content_bytes(header_) >= sizeof(Record), "record too short for its kind");
    return load_record<Record>(bytes_, position_);
  }

  // Returns the entries that follow the fixed part of a record.
  template <class Record, class Entry>
  std::vector<Entry> tail(std::uint64_t count) const {
    return load<Entry>(sizeof(Record), count, rank_log::content_bytes(header_));
  }

  // Returns the entries that follow the checksum of a record.
  template <class Record, class Entry>
  std::vector<Entry> space(std::uint64_t count) const {
    return load<Entry>(sizeof(Record) + sizeof(std::uint64_t), count, header_.bytes);
  }

  void go_to(std::uint64_t offset) {
    position_ = offset;
    header_ = load_record<rank_log::RecordHeader>(bytes_, position_);
  }

  static constexpr const char* truncated = "log truncated in a record";

  std::span<const char> bytes_;
  const std::string& name_;
  std::uint64_t position_ = 0;
  rank_log::RecordHeader header_{};

 private:
  template <class Entry>
  std::vector<Entry> load(std::uint64_t begin, std::uint64_t count, std::uint64_t end) const {
    require(begin <= end && count <= (end - begin) / sizeof(Entry), "record too short for its contents");
    std::vector<Entry> entries(count);
    if (count > 0) std::memcpy(entries.data(), bytes_.data() + position_ + begin, count * sizeof(Entry));
    return entries;
  }
};

}  // namespace plimsoll::collectives
