#pragma once

#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/support/text_buffer.hpp>

#include "lbdata/writing/record_texts.hpp"

namespace plimsoll::inline v0_1::lbdata {

/// Turns records into JSON text, members in alphabetical order. The text may lag behind in the buffer.
class RecordEmitter {
 public:
  /// Both must outlive the emitter.
  RecordEmitter(const RecordTexts& texts, support::TextBuffer& buffer) : texts_(texts), buffer_(buffer) {}

  void emit(const PhaseRecord& phase);

 private:
  void emit_work(const WorkRecord& record, const std::vector<WorkRecord>* iterations);
  void emit_tasks(const Tasks& tasks);
  void emit_subphases(const Tasks& tasks, std::size_t task);
  void emit_communications(const Communications& communications);
  void emit_entity(EntityIndex entity);
  void emit_index(const IndexTuple& index);

  const RecordTexts& texts_;
  support::TextBuffer& buffer_;
};

}  // namespace plimsoll::lbdata
