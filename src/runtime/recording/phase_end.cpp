// What LoadRecorder does when a phase ends.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/support/format.hpp>

#include "runtime/output/statistics_output.hpp"
#include "runtime/recording/modelled_loads.hpp"
#include "runtime/recording/phase_reduction.hpp"

namespace plimsoll::runtime {

namespace {

std::string summary_line(const PhaseSummary& summary) {
  return fmt::format("phase {}: {}, rank load max {}, mean {}, imbalance {:.4f}, {} objects", summary.phase,
                     support::format_seconds(summary.duration_s),
                     support::format_seconds(summary.rank_load_s.maximum()),
                     support::format_seconds(summary.rank_load_s.average()), summary.rank_load_s.imbalance(),
                     support::format_count(summary.object_load_s.count()));
}

bool counts_for_ranks(lbdata::CommCategory category) {
  using enum lbdata::CommCategory;
  return category != Broadcast && category != CollectionToNodeBcast && category != NodeToCollectionBcast;
}

std::uint8_t number_of(lbdata::CommCategory category) {
  return static_cast<std::uint8_t>(static_cast<int>(category) - 1);
}

}  // namespace

PhaseSummary LoadRecorder::next_phase() {
  if (closed_) throw support::usage_error("next_phase() after close()", "close the recorder last");
  if (in_hook_)
    throw support::usage_error("next_phase() in a hook of a phase", "call it when the hook is over");
  end_open_work();
  timer_.clock().recalibrate();
  guarded([&] { ask_models(); });
  lbdata::PhaseRecord record;
  std::vector<std::uint32_t> slots;
  std::vector<double> modelled_s;
  guarded([&] {
    resolve_edges();
    add_communications(record);
    slots = slots_of_tasks();
    add_tasks(record, slots);
    if (load_model_) modelled_s = load_model_->after(record);
  });
  const std::optional<Error> mine = std::exchange(error_, std::nullopt);
  PhaseReduction ranks;
  PhaseSummary summary = reduce(record, modelled_s, mine.has_value(), ranks);
  if (ranks.failed_to_write_rank != PhaseReduction::none) go_on_without_writing(ranks.failed_to_write_rank);

  guarded([&] { add_values(record, slots, summary.times); });
  guarded([&] { clear_phase(); });
  write([&] {
    data_->add(std::move(record));
    if (statistics_) statistics_->add(summary);
  });
  if (!settings_.lb_quiet) tell(summary_line(summary));
  call(end_hooks_, summary);
  ++phase_;
  guarded([&] { begin_next_phase(); });
  call(start_hooks_, phase_);
  if (ranks.failed_rank != PhaseReduction::none) mpi::throw_error_of(communicator_, ranks.failed_rank, mine);
  return summary;
}

// Then no work is under way, and the clock stands still.
void LoadRecorder::end_open_work() {
  if (!on_) return;
  if (cpu_) cpu_->charge(timer_.current());
  if (timer_.depth() > 0) {
    note(support::usage_error(fmt::format("a phase ends while {} begin() lack their end()", timer_.depth()),
                              "end() all work before next_phase()"));
  }
  timer_.unwind();
  timer_.set_column(0);
}

void LoadRecorder::ask_models() {
  if (!model_) return;
  for (std::size_t slot = ObjectRegistry::first_slot; slot < objects_.size(); ++slot) {
    if (!objects_[slot].alive || objects_[slot].measured) continue;
    const double load = model_(objects_.handle(slot));
    if (!(load >= 0) || !std::isfinite(load)) {
      throw support::usage_error(fmt::format("user_set_lb_load() gave {} s for object {}", load,
                                             static_cast<std::uint64_t>(objects_[slot].id)));
    }
    replace_added(slot, load);
  }
}

// Edges.

void LoadRecorder::resolve_edges() {
  if (resolved_version_ != objects_.version()) edges_.unresolve();
  resolved_version_ = objects_.version();
  for (EdgeTable::Edge& edge : edges_.edges()) {
    if (edge.messages == 0 || edge.from_entity != EdgeTable::unresolved) continue;
    edge.from_entity = entity_of(edge.from);
    edge.to_entity = entity_of(edge.to);
    edge.off_rank = !is_here(edge.from) || !is_here(edge.to);
  }
}

lbdata::EntityIndex LoadRecorder::entity_of(Endpoint end) {
  const lbdata::WideInteger number{end.number()};
  if (end.kind() == lbdata::EntityKind::node) return data_->entities().intern({.type = "node", .id = number});
  if (end.kind() == lbdata::EntityKind::shared_id)
    return data_->entities().intern({.type = "shared_id", .id = number});
  const std::uint32_t slot = objects_.slot_of(ObjectId{end.number()});
  if (slot != 0) return objects_[slot].entity;
  // Of an object elsewhere we know what its id says.
  lbdata::Entity entity{.id = number};
  if (const auto parts = lbdata::decode_identifier(end.number())) {
    entity.home = static_cast<std::int32_t>(parts->home);
    entity.migratable = parts->kind == lbdata::IdentifierKind::migratable_element;
  }
  return data_->entities().intern(entity);
}

bool LoadRecorder::is_here(Endpoint end) const {
  if (end.kind() == lbdata::EntityKind::node) return end.number() == static_cast<std::uint64_t>(rank());
  return end.kind() == lbdata::EntityKind::object && objects_.slot_of(ObjectId{end.number()}) != 0;
}

void LoadRecorder::add_communications(lbdata::PhaseRecord& record) {
  lbdata::Communications communications;
  for (const EdgeTable::Edge& edge : edges_.edges()) {
    if (edge.messages == 0) continue;
    communications.from.push_back(edge.from_entity);
    communications.to.push_back(edge.to_entity);
    communications.bytes.push_back(static_cast<double>(edge.bytes));
    communications.messages.push_back(static_cast<std::int64_t>(edge.messages));
    communications.category.push_back(number_of(edge.category));
  }
  if (communications.size() > 0) record.communications = std::move(communications);
}

// Tasks.

// The objects that are here, and those that worked here before they were removed. One that is only named by
// messages has a task where it is now.
std::vector<std::uint32_t> LoadRecorder::slots_of_tasks() const {
  std::vector<std::uint32_t> slots;
  slots.reserve(objects_.size());
  for (std::uint32_t slot = ObjectRegistry::first_slot; slot < objects_.size(); ++slot) {
    const ObjectRegistry::Object& object = objects_[slot];
    if (object.alive || (object.removed && load_s(slot) > 0)) slots.push_back(slot);
  }
  return slots;
}

void LoadRecorder::add_tasks(lbdata::PhaseRecord& record, const std::vector<std::uint32_t>& slots) {
  lbdata::Tasks& tasks = record.tasks;
  record.id = phase_;
  tasks.entity.reserve(slots.size());
  tasks.time_s.reserve(slots.size());
  tasks.subphase_end.reserve(slots.size());
  tasks.node.assign(slots.size(), rank());
  tasks.resource.assign(slots.size(), data_->cpu());
  for (const std::uint32_t slot : slots) {
    tasks.entity.push_back(objects_[slot].entity);
    tasks.time_s.push_back(load_s(slot));
    add_subphases(tasks, slot);
  }
}

// As vt has them: from 0 to the highest in which the object worked.
void LoadRecorder::add_subphases(lbdata::Tasks& tasks, std::uint32_t slot) const {
  std::uint32_t count = column_count();
  while (count > 1 && load_s(count - 1, slot) == 0) --count;
  for (std::uint32_t column = 1; column < count; ++column) {
    tasks.subphase_id.push_back(static_cast<std::int32_t>(column - 1));
    tasks.subphase_time_s.push_back(load_s(column, slot));
  }
  tasks.subphase_end.push_back(static_cast<std::uint32_t>(tasks.subphase_id.size()));
}

void LoadRecorder::add_values(lbdata::PhaseRecord& record, const std::vector<std::uint32_t>& slots,
                              const RankTimes& times) {
  if (!phase_values_.empty()) record.user_defined = phase_values_.to_json();
  const auto& user_defined = objects_.values(UserValueKind::user_defined);
  const auto& attributes = objects_.values(UserValueKind::attributes);
  for (std::uint32_t task = 0; task < slots.size(); ++task) {
    const std::uint32_t slot = slots[task];
    if (const auto found = user_defined.find(slot); found != user_defined.end() && !found->second.empty()) {
      record.tasks.user_defined.add(task, found->second.to_json());
    }
    const auto found = attributes.find(slot);
    if (found == attributes.end() && !cpu_ && slot != rank_object_.slot) continue;
    UserValues values = found == attributes.end() ? UserValues{} : found->second;
    if (cpu_) values.set("cpu_time", cpu_->seconds(slot));
    if (slot == rank_object_.slot) {
      values.set("total_time", times.total_s);
      values.set("background_time", times.background_s);
      values.set("idle_time", times.idle_s);
      if (cpu_) values.set("total_cpu_time", times.cpu_total_s);
    }
    record.tasks.attributes.add(task, values.to_json());
  }
}

// All ranks.

RankTimes LoadRecorder::rank_times() const {
  RankTimes times;
  std::int64_t objects = replaced_ticks_;
  for (std::uint32_t column = 0; column < timer_.column_count(); ++column) {
    if (!timer_.has_column(column)) continue;
    times.background_s += timer_.clock().seconds(timer_.ticks(column, ObjectRegistry::background_slot));
    times.idle_s += timer_.clock().seconds(timer_.ticks(column, ObjectRegistry::idle_slot));
    for (std::size_t slot = ObjectRegistry::first_slot; slot < objects_.size(); ++slot) {
      objects += timer_.ticks(column, static_cast<WorkTimer::Slot>(slot));
    }
  }
  // Work that the program timed itself has been background to the clock.
  const double from_background = std::min(added_total_s_, times.background_s);
  times.background_s -= from_background;
  times.objects_s = timer_.clock().seconds(objects) + from_background;
  times.total_s = times.objects_s + times.background_s + times.idle_s;
  if (cpu_) {
    for (std::size_t slot = 0; slot < cpu_->size(); ++slot) times.cpu_total_s += cpu_->seconds(slot);
    times.cpu_objects_s = times.cpu_total_s - cpu_->seconds(ObjectRegistry::background_slot) -
                          cpu_->seconds(ObjectRegistry::idle_slot);
  }
  return times;
}

PhaseSummary LoadRecorder::reduce(const lbdata::PhaseRecord& record, const std::vector<double>& modelled_s,
                                  bool failed, PhaseReduction& ranks) {
  PhaseReduction mine;
  mine.object_load_s = lbdata::Statistics(record.tasks.time_s);
  mine.rank_load_s.add(std::accumulate(record.tasks.time_s.begin(), record.tasks.time_s.end(), 0.0));
  if (load_model_) {
    mine.object_load_modeled_s = lbdata::Statistics(modelled_s);
    mine.rank_load_modeled_s.add(std::accumulate(modelled_s.begin(), modelled_s.end(), 0.0));
  }
  double rank_bytes = 0;
  for (const EdgeTable::Edge& edge : edges_.edges()) {
    if (edge.messages == 0 || edge.from == edge.to) continue;
    const auto bytes = static_cast<double>(edge.bytes);
    if (edge.category == lbdata::CommCategory::SendRecv) mine.object_comm_bytes.add(bytes);
    if (edge.off_rank && counts_for_ranks(edge.category)) rank_bytes += bytes;
  }
  mine.rank_comm_bytes.add(rank_bytes);
  mine.duration_s = rank_times().total_s;
  if (failed) mine.failed_rank = rank();
  if (write_error_) mine.failed_to_write_rank = rank();

  // The wait for the others, and nothing else of what the recorder does, is time of the phase.
  if (on_) {
    timer_.start();
    timer_.begin(ObjectRegistry::idle_slot);
    if (cpu_) cpu_->start();
  }
  ranks = communicator_.all_reduce<&merge_reductions>(mine);
  if (on_) {
    if (cpu_) cpu_->charge(ObjectRegistry::idle_slot);
    timer_.end();
  }
  return {.phase = phase_,
          .times = rank_times(),
          .object_load_s = ranks.object_load_s,
          .rank_load_s = ranks.rank_load_s,
          .object_load_modeled_s = load_model_ ? ranks.object_load_modeled_s : ranks.object_load_s,
          .rank_load_modeled_s = load_model_ ? ranks.rank_load_modeled_s : ranks.rank_load_s,
          .object_comm_bytes = ranks.object_comm_bytes,
          .rank_comm_bytes = ranks.rank_comm_bytes,
          .duration_s = ranks.duration_s};
}

// Afterwards.

// After a failure nothing more is written, whether the program goes on or not.
void LoadRecorder::write(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    const Error error = mpi::current_error();
    stop_writing();
    if (settings_.lb_data_on_write_error == OnWriteError::stop) {
      note(error);
    } else {
      write_error_ = error;
    }
  }
}

// All ranks stop together: files of which some end earlier would not be a set. So this happens once.
void LoadRecorder::go_on_without_writing(int failed_rank) {
  try {
    mpi::throw_error_of(communicator_, failed_rank, write_error_);
  } catch (const Error& error) {
    tell(fmt::format("LB data are no longer written: {}", error.what()));
  }
  write_error_.reset();
  stop_writing();
}

void LoadRecorder::stop_writing() {
  data_->stop_writing();
  statistics_.reset();
}

void LoadRecorder::clear_phase() {
  timer_.clear();
  if (cpu_) cpu_->clear();
  edges_.end_phase();
  objects_.end_phase();
  added_s_.clear();
  added_total_s_ = 0;
  replaced_ticks_ = 0;
  phase_values_.clear();
}

void LoadRecorder::begin_next_phase() {
  std::vector<lbdata::EntityIndex> in_use;
  in_use.reserve(objects_.size());
  for (std::size_t slot = ObjectRegistry::first_slot; slot < objects_.size(); ++slot) {
    if (objects_[slot].alive) in_use.push_back(objects_[slot].entity);
  }
  if (const auto new_index = data_->compact(in_use); !new_index.empty()) {
    for (std::size_t slot = ObjectRegistry::first_slot; slot < objects_.size(); ++slot) {
      if (objects_[slot].alive) objects_.set_entity(slot, new_index[objects_[slot].entity]);
    }
    edges_.unresolve();
  }
  switched_ = false;
  if (!on_) return;
  timer_.start();
  if (cpu_) cpu_->start();
}

void LoadRecorder::close() {
  if (closed_) return;
  write([&] {
    data_->close();
    if (statistics_) statistics_->close();
  });
  on_ = false;
  PhaseReduction mine;
  if (error_) mine.failed_rank = rank();
  if (write_error_) mine.failed_to_write_rank = rank();
  const auto ranks = communicator_.all_reduce<&merge_reductions>(mine);
  if (ranks.failed_to_write_rank != PhaseReduction::none) go_on_without_writing(ranks.failed_to_write_rank);
  closed_ = true;
  if (ranks.failed_rank != PhaseReduction::none)
    mpi::throw_error_of(communicator_, ranks.failed_rank, error_);
}

}  // namespace plimsoll::runtime
