#pragma once

#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/support/json_text.hpp>

#include "lbdata/writing/record_texts.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Converts records to JSON text, with members in alphabetical order. Part of the text may remain in the
/// buffer until it is flushed.
class RecordEmitter {
 public:
  /// Requires that both arguments outlive the emitter.
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
