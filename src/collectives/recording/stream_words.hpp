#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "collectives/model/packed_words.hpp"
#include "collectives/recording/mapped_log.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Writes the sequence of a stream (rank_log::StreamRecord) to the log. The latest words are stored as they
/// are, so that they survive the program's death. When their record is full, they are replaced by their
/// compressed form.
class StreamWords {
 public:
  explicit StreamWords(std::uint32_t stream) : stream_(stream) {}

  /// Appends a call. Returns false if the log is full.
  bool add_step(std::uint32_t step, MappedLog& log) {
    std::uint64_t* const word = space_for(1, log);
    repeated_ = 0;
    if (!word) return false;
    publish(*word, rank_log::checked(2 * std::uint64_t{step} + 2, salt()));
    return true;
  }

  /// Appends a call with the same step as the call `distance` steps before, which must be the distance of the
  /// previous call if that was a repetition. Returns false if the log is full.
  bool add_repetition(std::uint64_t distance, MappedLog& log) {
    if (auto* const record = log.find<rank_log::WordsRecord>(position_); record && repeated_ > 0) {
      publish(space_of<std::uint64_t>(record)[used_], rank_log::checked(++repeated_, salt()));
      return true;
    }
    std::uint64_t* const words = space_for(2, log);
    if (!words) return false;
    repeated_ = 1;
    publish(words[0], rank_log::checked(2 * distance + 1, salt()));
    publish(words[1], rank_log::checked(repeated_, salt()));
    return true;
  }

 private:
  static constexpr std::uint32_t smallest_capacity = 32;

  std::uint64_t salt() const { return begin_ + 1; }

  std::uint64_t* space_for(std::uint32_t words, MappedLog& log) {
    auto* record = log.find<rank_log::WordsRecord>(position_);
    if (record && used_ + words > capacity_ && capacity_ == rank_log::max_words) {
      if (!append_packed(space_of<std::uint64_t>(record) + 1, log)) return nullptr;
      begin_ += used_;
      used_ = 0;
      record = log.find<rank_log::WordsRecord>(position_);
      if (record) publish(space_of<std::uint64_t>(record)[0], rank_log::checked(begin_ + 1));
    }
    if (!record || used_ + words > capacity_) record = append_record(record != nullptr, log);
    if (!record) return nullptr;
    std::uint64_t* const space = space_of<std::uint64_t>(record) + 1 + used_;
    used_ += words;
    return space;
  }

  /// Begins another record. It is small if the log's other records soon made the previous one unreachable.
  rank_log::WordsRecord* append_record(bool is_full, MappedLog& log) {
    capacity_ = std::clamp(is_full ? 2 * capacity_ : std::bit_ceil(2 * used_), smallest_capacity,
                           rank_log::max_words);
    begin_ += used_;
    used_ = 0;
    position_ =
        log.append(rank_log::Kind::words, rank_log::WordsRecord{.stream = stream_, .capacity = capacity_}, {},
                   (capacity_ + 1) * sizeof(std::uint64_t));
    auto* const record = log.find<rank_log::WordsRecord>(position_);
    if (record) publish(space_of<std::uint64_t>(record)[0], rank_log::checked(begin_ + 1));
    return record;
  }

  bool append_packed(const std::uint64_t* words, MappedLog& log) const {
    std::vector<std::uint64_t> numbers(words, words + used_);
    for (std::uint64_t& number : numbers) number &= rank_log::max_word;
    const std::vector<std::byte> bytes = pack(numbers);
    return log.append(rank_log::Kind::packed,
                      rank_log::PackedRecord{.stream = stream_,
                                             .words = used_,
                                             .begin = begin_,
                                             .packed_bytes = static_cast<std::uint32_t>(bytes.size())},
                      {bytes}) != MappedLog::nowhere;
  }

  std::uint32_t stream_;
  std::uint32_t capacity_ = 0;
  std::uint32_t used_ = 0;
  std::uint64_t begin_ = 0;     // number of words before those in the record
  std::uint64_t repeated_ = 0;  // number of calls in the last word if that is a count, else 0
  MappedLog::Position position_ = MappedLog::nowhere;
};

}  // namespace plimsoll::collectives
