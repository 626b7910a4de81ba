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
  waiting.is_numbered = entity.number.has_value();
  if (waiting.is_numbered) {
    waiting.index = *entity.number;
    ++size_;
    return;
  }
  waiting.kept = entity.is_kept ? &entity : nullptr;
  if (entity.family == EntityRecord::unknown_family) entity.family = table_.family_of(entity.value);
  table_.set_key(waiting.key, entity.value, entity.family, waiting.words);
  // Consecutive edges often share an end.
  waiting.distance = 0;
  for (std::size_t distance = 1; distance <= std::min<std::size_t>(size_, 2); ++distance)
    if (const Waiting& other = waiting_[size_ - distance];
        !other.is_numbered && waiting.key.equals(other.key))
      waiting.distance = distance;
  ++size_;
  if (waiting.distance > 0) return;
  waiting.hash = waiting.key.hash();
  table_.prefetch_slot(waiting.hash);
}

EntityIndex EntityNumbering::number(std::size_t place) {
  Waiting& waiting = waiting_[place];
  if (waiting.is_numbered) return waiting.index;
  waiting.index = waiting.distance > 0 ? waiting_[place - waiting.distance].index
                                       : table_.intern(waiting.key, waiting.hash);
  if (waiting.kept != nullptr) waiting.kept->number = waiting.index;
  return waiting.index;
}

void EntityNumbering::number_waiting() {
  for (std::size_t k = 0; k < size_; ++k)
    if (!waiting_[k].is_numbered && waiting_[k].distance == 0) table_.prefetch_row(waiting_[k].hash);
  if (tasks_wait_) {
    for (std::size_t k = 0; k < size_; ++k) next_.task_entity(number(k));
  } else {
    for (std::size_t k = 0; k < size_; k += 2) {
      const EntityIndex from = number(k);
      next_.edge_ends(from, number(k + 1));
    }
  }
  size_ = 0;
}

}  // namespace plimsoll::lbdata
