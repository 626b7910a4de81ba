#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "collectives/recording/known_rows.hpp"
#include "collectives/recording/step_history.hpp"
#include "collectives/recording/stream_words.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Resources that all streams of a log share.
struct StreamResources {
  MappedLog& log;
  std::uint32_t streams = 0;                              ///< number of streams in the log
  std::uint64_t history_bytes = std::uint64_t{24} << 20;  ///< memory that is left for finding repetitions
};

/// The rows (or backtraces) of the calls of one operation on one communicator, in order, written to the log.
/// Programs repeat sequences of calls. After such a repetition is found, the stream predicts each call: the
/// prediction selects the row to compare first, and if it is right, the log does not grow.
class CallStream {
 public:
  CallStream(std::uint32_t communicator, Operation operation, rank_log::Subject subject)
      : communicator_(communicator),
        operation_(static_cast<std::uint8_t>(operation.index())),
        subject_(subject) {}

  /// Returns the row to compare first; null if none is known. `generation` is the generation of the known
  /// rows.
  const KnownRow* expected(std::uint64_t generation, StreamResources& shared) {
    if (generation != std::exchange(generation_, generation)) free_memory(shared);
    if (history_.empty()) return nullptr;
    return steps_[history_.distance() > 0 ? history_.predicted() : history_.latest()].row;
  }

  /// Discards the past calls: the next call begins another stream.
  void free_memory(StreamResources& shared) {
    shared.history_bytes += history_.clear();
    steps_ = {};
    positions_.clear();
    words_.reset();
  }

  /// Appends one call. Returns false if the log is full.
  bool append(const KnownRow& row, std::uint64_t index, std::uint64_t id, StreamResources& shared) {
    if (history_.distance() > 0) {
      const Step& predicted = steps_[history_.predicted()];
      if (predicted.row == &row && index - index_ == predicted.index_step && id - id_ == predicted.id_step) {
        index_ = index;
        id_ = id;
        history_.confirm();
        return words_->add_repetition(history_.distance(), shared.log);
      }
    }
    if (!words_ || steps_.size() == StepHistory::largest) begin(index, id, shared);
    const Step step = {&row, index - std::exchange(index_, index), id - std::exchange(id_, id)};
    const std::uint32_t number = number_of(step, shared.log);
    if (!shared.log.can_grow()) return false;
    history_.push(number, shared.history_bytes);
    return words_->add_step(number, shared.log);
  }

 private:
  struct Step {
    const KnownRow* row;
    std::uint64_t index_step;
    std::uint64_t id_step;
    friend bool operator==(const Step&, const Step&) = default;
  };

  void begin(std::uint64_t index, std::uint64_t id, StreamResources& shared) {
    free_memory(shared);
    index_ = index - 1;
    id_ = id - 1;
    stream_ = shared.streams++;
    words_.emplace(stream_);
    shared.log.append(rank_log::Kind::stream, rank_log::StreamRecord{.stream = stream_,
                                                                     .communicator = communicator_,
                                                                     .operation = operation_,
                                                                     .subject = subject_,
                                                                     .origin_index = index_,
                                                                     .origin_id = id_});
  }

  static std::uint64_t hash_of(const Step& step) {
    return support::mix_bits(step.row->number + step.index_step * support::splitmix64_step +
                             support::mix_bits(step.id_step));
  }

  std::uint32_t number_of(const Step& step, MappedLog& log) {
    const std::uint64_t hash = hash_of(step);
    const std::uint32_t known =
        positions_.find(hash, [&](std::uint32_t number) { return steps_[number] == step; });
    if (known != support::PositionHash::none) return known;
    const auto number = static_cast<std::uint32_t>(steps_.size());
    positions_.insert(hash, number, [this](std::uint32_t other) { return hash_of(steps_[other]); });
    steps_.push_back(step);
    log.append(rank_log::Kind::step, rank_log::StepRecord{.stream = stream_,
                                                          .step = number,
                                                          .item = step.row->number,
                                                          .index_step = step.index_step,
                                                          .id_step = step.id_step});
    return number;
  }

  std::uint32_t communicator_;
  std::uint8_t operation_;
  rank_log::Subject subject_;
  std::uint32_t stream_ = 0;
  std::uint64_t generation_ = 0;
  std::uint64_t index_ = 0;  // index of the last call
  std::uint64_t id_ = 0;     // ID of the last call
  std::optional<StreamWords> words_;
  StepHistory history_;
  std::vector<Step> steps_;
  support::PositionHash positions_;  // of steps_
};

}  // namespace plimsoll::collectives
