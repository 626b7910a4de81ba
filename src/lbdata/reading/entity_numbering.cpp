#include "lbdata/reading/entity_numbering.hpp"

#include <algorithm>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

void EntityNumbering::task(const TaskRecord& task, RecordPlace place) {
  if (task.is_placeholder()) return next_.task(task, place);
  if (!tasks_wait_ || size_ == waiting_.size()) number_waiting();
  tasks_wait_ = true;
  wait(*task.entity);
  next_.task(task, place);
}

void EntityNumbering::communication(const CommunicationRecord& edge, RecordPlace place) {
  if (tasks_wait_ || size_ == waiting_.size()) number_waiting();
  tasks_wait_ = false;
  wait(*edge.from);
  wait(*edge.to);
  next_.communication(edge, place);
}

void EntityNumbering::wait(const EntityRecord& entity) {
  Waiting& waiting = waiting_[size_];
  const std::uint64_t place = first_place_ + size_;
  waiting.is_numbered = entity.number.has_value();
  waiting.has_key = !waiting.is_numbered && entity.place < first_place_;
  if (waiting.is_numbered) {
    waiting.index = *entity.number;
    ++size_;
    return;
  }
  waiting.kept = entity.is_kept ? &entity : nullptr;
  if (!waiting.has_key) {
    waiting.distance = place - entity.place;
    ++size_;
    return;
  }
  entity.place = place;
  if (entity.family == EntityRecord::unknown_family) entity.family = table_.family_of(entity.value);
  table_.set_key(waiting.key, entity.value, entity.family, waiting.words);
  // An edge often begins where the previous one ends.
  const Waiting* const other = size_ > 0 ? &waiting_[size_ - 1] : nullptr;
  waiting.distance = other != nullptr && other->has_key && waiting.key.equals(other->key) ? 1 : 0;
  ++size_;
  if (waiting.distance > 0) return;
  waiting.hash = waiting.key.hash();
  table_.prefetch_slot(waiting.hash);
}

EntityIndex EntityNumbering::number(std::size_t place) {
  Waiting& waiting = waiting_[place];
  if (waiting.is_numbered) return waiting.index;
  waiting.index = waiting.distance > 0 ? waiting_[place - waiting.distance].index
                                       : table_.intern(waiting.key, waiting.hash, waiting.candidate);
  if (waiting.kept != nullptr) waiting.kept->number = waiting.index;
  return waiting.index;
}

void EntityNumbering::number_waiting() {
  for (std::size_t k = 0; k < size_; ++k) {
    Waiting& waiting = waiting_[k];
    if (waiting.has_key && waiting.distance == 0) waiting.candidate = table_.prefetch_row(waiting.hash);
  }
  if (tasks_wait_) {
    for (std::size_t k = 0; k < size_; ++k) next_.task_entity(number(k));
  } else {
    for (std::size_t k = 0; k < size_; k += 2) {
      const EntityIndex from = number(k);
      next_.edge_ends(from, number(k + 1));
    }
  }
  first_place_ += size_;
  size_ = 0;
}

}  // namespace plimsoll::lbdata
