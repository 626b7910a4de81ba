#include "collectives/merging/log_stream.hpp"

#include <bit>
#include <cstring>

#include "collectives/merging/log_reader.hpp"
#include "collectives/model/packed_words.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

LogStream::Step operator+(const LogStream::Step& sum, const LogStream::Step& step) {
  return {step.item, sum.index_step + step.index_step, sum.id_step + step.id_step};
}

}  // namespace

StreamRuns::StreamRuns(const LogStream& stream, std::span<const char> bytes)
    : stream_(stream),
      bytes_(bytes),
      ring_(std::bit_ceil(std::max<std::uint64_t>(stream.max_distance, 1))),
      index_(stream.origin_index),
      id_(stream.origin_id) {}

bool StreamRuns::next(LogRun& run) {
  if (damage_) return false;
  if (repetition_.distance > 0) return next_of_repetition(run);
  if (word_ == words_.size() && !load_part()) return false;
  const std::uint64_t word = words_[word_++];
  if (word % 2 == 0) return take_step(word / 2 - 1, run);
  if (word_ == words_.size())  // the writer died between the two words
    return part_ == stream_.parts.size() ? false : fail("repetition without a count");
  return begin_repetition(word / 2, words_[word_++]) && next_of_repetition(run);
}

bool StreamRuns::fail(const char* damage) {
  damage_ = damage;
  return false;
}

bool StreamRuns::load_part() {
  words_.clear();
  word_ = 0;
  while (words_.empty() && part_ < stream_.parts.size()) {
    const LogStream::Part& part = stream_.parts[part_++];
    if (part.packed_bytes > 0) {
      unpack(std::as_bytes(bytes_.subspan(part.offset, part.packed_bytes)),
             static_cast<std::uint32_t>(part.words), words_);
    } else {
      words_.resize(part.words);
      if (part.words > 0)
        std::memcpy(words_.data(), bytes_.data() + part.offset, part.words * sizeof(std::uint64_t));
      for (std::uint64_t& word : words_) word &= rank_log::max_word;
    }
  }
  return !words_.empty();
}

bool StreamRuns::take_step(std::uint64_t number, LogRun& run) {
  if (number >= stream_.steps.size()) return fail("calls refer to a missing step");
  const LogStream::Step& step = stream_.steps[number];
  index_ += step.index_step;
  id_ += step.id_step;
  if (index_ > max_call || id_ > max_call || (steps_ > 0 && (step.index_step > index_ || step.id_step > id_)))
    return fail("invalid call numbers");
  push(static_cast<std::uint32_t>(number));
  ++cost_;
  run = {.first_index = index_, .first_id = id_, .count = 1, .item = step.item};
  return true;
}

bool StreamRuns::begin_repetition(std::uint64_t distance, std::uint64_t calls) {
  if (distance == 0 || calls == 0 || distance > steps_ || distance > ring_.size())
    return fail("repetition of missing calls");
  repetition_ = {.distance = distance, .calls = calls};
  for (std::uint64_t k = distance; k > 0; --k) repetition_.all = repetition_.all + step_before(k);
  const auto fits = [rounds = calls / distance + 1](std::uint64_t last, std::uint64_t step) {
    return step > 0 && step <= max_call && rounds <= (max_call - last) / step;
  };
  if (!fits(index_, repetition_.all.index_step) || !fits(id_, repetition_.all.id_step))
    return fail("invalid call numbers");
  max_distance_ = std::max(max_distance_, distance);
  cost_ += distance > 1 || repetition_.all.index_step > 1 || repetition_.all.id_step > 1
               ? std::max(calls, distance)
               : std::min<std::uint64_t>(calls, ring_.size());
  return true;
}

bool StreamRuns::next_of_repetition(LogRun& run) {
  Repetition& repetition = repetition_;
  repetition.before = repetition.before + step_before(repetition.distance - repetition.done);
  const std::uint64_t calls =
      (repetition.calls - repetition.done + repetition.distance - 1) / repetition.distance;
  run = {.first_index = index_ + repetition.before.index_step,
         .index_step = calls > 1 ? repetition.all.index_step : 1,
         .first_id = id_ + repetition.before.id_step,
         .id_step = calls > 1 ? repetition.all.id_step : 1,
         .count = calls,
         .item = repetition.before.item};
  if (++repetition.done == std::min(repetition.distance, repetition.calls)) end_repetition();
  return true;
}

void StreamRuns::end_repetition() {
  const Repetition repetition = std::exchange(repetition_, {});
  const std::uint64_t rounds = repetition.calls / repetition.distance;
  const std::uint64_t rest = repetition.calls % repetition.distance;
  LogStream::Step last;
  for (std::uint64_t k = 0; k < rest; ++k) last = last + step_before(repetition.distance - k);
  index_ += rounds * repetition.all.index_step + last.index_step;
  id_ += rounds * repetition.all.id_step + last.id_step;
  // The steps before are known as soon as the ring contains only repeated ones.
  const std::uint64_t known = ring_.size() + (repetition.calls - ring_.size()) % repetition.distance;
  const std::uint64_t pushed = repetition.calls <= ring_.size() ? repetition.calls : known;
  for (std::uint64_t k = 0; k < pushed; ++k) push(ring_[(steps_ - repetition.distance) & (ring_.size() - 1)]);
}

}  // namespace plimsoll::collectives
