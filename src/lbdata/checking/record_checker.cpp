#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "lbdata/checking/checks.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

bool NumberSet::insert(std::uint64_t number) {
  const std::uint64_t hash = support::mix_bits(number);
  if (hash_.find(hash, [&](std::uint32_t row) { return numbers_[row] == number; }) !=
      support::PositionHash::none)
    return false;
  hash_.insert(hash, static_cast<std::uint32_t>(numbers_.size()),
               [this](std::uint32_t row) { return support::mix_bits(numbers_[row]); });
  numbers_.push_back(number);
  return true;
}

bool NumberSet::contains(std::uint64_t number) const {
  return hash_.find(support::mix_bits(number), [&](std::uint32_t row) { return numbers_[row] == number; }) !=
         support::PositionHash::none;
}

RecordChecker::RecordChecker(const CheckSet& checks, std::optional<std::int64_t> rank, std::string file,
                             const EntityTable& entities, FindingSink findings)
    : checks_(checks),
      rank_(rank),
      file_(std::move(file)),
      entities_(entities),
      findings_(std::move(findings)) {}

void RecordChecker::add(Check check, std::string what, std::string pointer, std::uint64_t byte,
                        std::string suggestion) {
  Diagnostic diagnostic = finding(check, std::move(what), std::move(suggestion));
  diagnostic.file = file_;
  diagnostic.pointer = std::move(pointer);
  diagnostic.byte = byte;
  findings_(std::move(diagnostic), true);
}

std::string RecordChecker::record_pointer(const char* array, std::size_t position) const {
  return fmt::format("{}/{}/{}", work_->pointer, array, position);
}

RecordChecker::Work RecordChecker::new_work(std::string pointer) {
  return {.pointer = std::move(pointer), .number = ++works_};
}

void RecordChecker::begin_phase(RecordPlace place) {
  phase_ = new_work(fmt::format("/phases/{}", place.position));
  iteration_ids_.clear();
  work_ = &phase_;
}

void RecordChecker::begin_iteration(RecordPlace place) {
  iteration_ = new_work(fmt::format("{}/lb_iterations/{}", phase_.pointer, place.position));
  work_ = &iteration_;
}

void RecordChecker::coming(const EntityRecord& entity) {
  work_->migratable.prefetch(entity.value.number().bits);
}

void RecordChecker::task(const TaskRecord& task, RecordPlace place) {
  ++file_references_.task_count;
  if (checks_.has(Check::negative_value)) {
    const bool negative_subphase =
        std::ranges::any_of(task.subphase_time_s, [](double time_s) { return time_s < 0; });
    if (task.time_s < 0) {
      add(Check::negative_value, fmt::format("invalid time {}: must be >= 0", task.time_s),
          record_pointer("tasks", place.position) + "/time", task.time_byte);
    } else if (negative_subphase) {
      add(Check::negative_value, "invalid time of a subphase: must be >= 0",
          record_pointer("tasks", place.position) + "/subphases", place.byte);
    }
  }
  if (checks_.has(Check::task_node) && rank_ && task.node != *rank_) {
    add(Check::task_node,
        fmt::format("the task's node is {}, but the file belongs to rank {}", task.node, *rank_),
        record_pointer("tasks", place.position) + "/node", task.node_byte);
  }
  if (checks_.has(Check::memory_value) && task.has_user_defined) check_memory(task, place);
  if (checks_.has(Check::duplicate_task) || checks_.has(Check::dangling_reference) || checks_messages()) {
    const std::uint64_t number = task.entity->value.number().bits;
    const bool migratable = task.entity->value.migratable.value_or(false);
    NumberSet& own = migratable ? work_->migratable : work_->not_migratable;
    const NumberSet& other = migratable ? work_->not_migratable : work_->migratable;
    if ((!own.insert(number) || other.contains(number)) && checks_.has(Check::duplicate_task)) {
      add(Check::duplicate_task, fmt::format("task {} appears twice in the phase", number),
          record_pointer("tasks", place.position) + "/entity", task.entity->byte);
    }
  }
}

void RecordChecker::check_memory(const TaskRecord& task, RecordPlace place) {
  check_memory_members(task.user_defined, user_defined_parser_,
                       [&](std::string_view member, std::string what) {
                         add(Check::memory_value, std::move(what),
                             fmt::format("{}/user_defined{}{}", record_pointer("tasks", place.position),
                                         member.empty() ? "" : "/", member),
                             place.byte, "correct it: balancing with memory rejects the data set");
                       });
}

void RecordChecker::communication(const CommunicationRecord& edge, RecordPlace place) {
  ++file_references_.communication_count;
  if (edge.type != last_type_ || file_references_.communication_count == 1) {
    last_type_ = edge.type;
    last_category_ = comm_category(edge.type);
  }
  if (checks_.has(Check::unknown_communication_type) && !last_category_) {
    add(Check::unknown_communication_type,
        fmt::format("unknown communication type {}", support::in_quotes(edge.type)),
        record_pointer("communications", place.position) + "/type", edge.type_byte);
  }
  if (checks_.has(Check::negative_value) && edge.bytes < 0) {
    add(Check::negative_value, fmt::format("invalid number of bytes {}: must be >= 0", edge.bytes),
        record_pointer("communications", place.position) + "/bytes", edge.bytes_byte);
  }
  if (checks_.has(Check::negative_value) && edge.messages < 0) {
    add(Check::negative_value, fmt::format("invalid number of messages {}: must be >= 0", edge.messages),
        record_pointer("communications", place.position) + "/messages", edge.messages_byte);
  }
  between_objects_.push_back(checks_messages() && work_ == &phase_ && count_message(edge));
}

void RecordChecker::edge_ends(EntityIndex from, EntityIndex to) {
  if (checks_.has(Check::dangling_reference)) {
    if (referenced_in_.size() < entities_.size()) referenced_in_.resize(entities_.size(), 0);
    refer(from);
    refer(to);
  }
  if (between_objects_[next_edge_++] != 0) work_->pairs.emplace_back(from, to);
  if (next_edge_ < between_objects_.size()) return;
  between_objects_.clear();
  next_edge_ = 0;
}

bool RecordChecker::checks_messages() const {
  return checks_.has(Check::local_messages) || checks_.has(Check::object_messages);
}

bool RecordChecker::count_message(const CommunicationRecord& edge) {
  const auto is_end = [](const EntityRecord& end) {
    return end.value.kind() == EntityKind::object || end.value.kind() == EntityKind::node;
  };
  const auto is_rank = [](const EntityRecord& end) {
    return end.value.kind() == EntityKind::node ||
           is_rank_object(end.value.number().bits, end.value.home.value_or(-1),
                          end.value.migratable.value_or(true));
  };
  if (!is_end(*edge.from) || !is_end(*edge.to)) return false;
  const bool has_rank = is_rank(*edge.from) || is_rank(*edge.to);
  if (has_rank && last_category_ && is_broadcast(*last_category_)) return false;
  MessageKinds& messages = file_references_.messages;
  messages.bytes += edge.bytes;
  if (has_rank) {
    messages.rank_bytes += edge.bytes;
    return false;
  }
  if (edge.from->value.number().bits == edge.to->value.number().bits) return false;
  ++messages.between_objects;
  return !messages.within_ranks;
}

void RecordChecker::count_messages_within_rank(Work& work) {
  MessageKinds& messages = file_references_.messages;
  messages.several_objects = messages.several_objects || work.migratable.size() > 1;
  messages.within_ranks = messages.within_ranks || std::ranges::any_of(work.pairs, [&](const auto& ends) {
                            return work.contains(entities_.number(ends.first).bits) &&
                                   work.contains(entities_.number(ends.second).bits);
                          });
  work.pairs = {};
}

void RecordChecker::refer(EntityIndex entity) {
  if (referenced_in_[entity] == work_->number) return;
  referenced_in_[entity] = work_->number;
  const EntityFamily& family = entities_.family(entity);
  const std::uint64_t number = entities_.number(entity).bits;
  std::int64_t& highest_rank = file_references_.highest_rank;
  if (family.kind == EntityKind::object) {
    work_->references.objects.push_back(number);
    if (family.has_home) highest_rank = std::max<std::int64_t>(highest_rank, entities_.home(entity));
  }
  if (family.kind == EntityKind::node) {
    work_->references.nodes.push_back(number);
    highest_rank = std::max(highest_rank, static_cast<std::int64_t>(number));
  }
}

void RecordChecker::finish(Work& work, std::int64_t phase, std::optional<std::int64_t> iteration) {
  std::vector<std::uint64_t>& objects = work.references.objects;
  std::size_t open = 0;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    constexpr std::size_t ahead = 16;
    if (i + ahead < objects.size()) work.migratable.prefetch(objects[i + ahead]);
    const bool here = work.migratable.contains(objects[i]) || work.not_migratable.contains(objects[i]);
    if (!here) objects[open++] = objects[i];
  }
  objects.resize(open);
  for (auto* numbers : {&work.references.objects, &work.references.nodes}) {
    std::ranges::sort(*numbers);
    numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
    numbers->shrink_to_fit();
  }
  file_references_.phases.push_back({.phase = phase,
                                     .iteration = iteration,
                                     .pointer = std::move(work.pointer),
                                     .migratable = work.migratable.take(),
                                     .not_migratable = work.not_migratable.take(),
                                     .open = std::move(work.references)});
}

void RecordChecker::end_iteration(PhaseHeader&& header) {
  if (header.has_id && !iteration_ids_.insert(header.id).second && checks_.has(Check::duplicate_phase)) {
    add(Check::duplicate_phase, fmt::format("iteration {} appears twice in the phase", header.id),
        iteration_.pointer + "/id", header.id_byte, "use a unique ID for each iteration");
  }
  finish(iteration_, 0, header.id);  // the phase's ID may come later
  work_ = &phase_;
}

void RecordChecker::end_phase(PhaseHeader&& header, bool) {
  ++file_references_.phase_count;
  auto& finished = file_references_.phases;
  for (auto iteration = finished.rbegin(); iteration != finished.rend() && iteration->iteration &&
                                           iteration->pointer.starts_with(phase_.pointer + '/');
       ++iteration) {
    iteration->phase = header.id;
  }
  if (header.has_id && !phase_ids_.insert(header.id).second && checks_.has(Check::duplicate_phase)) {
    add(Check::duplicate_phase, fmt::format("phase {} appears twice", header.id), phase_.pointer + "/id",
        header.id_byte, "use a unique ID for each phase");
  }
  if (checks_messages()) count_messages_within_rank(phase_);
  finish(phase_, header.id, std::nullopt);
}

void RecordChecker::metadata(RankMetadata&& metadata) {
  file_references_.metadata = std::move(metadata);
  if (!checks_.has(Check::metadata)) return;
  for (Diagnostic& contradiction : metadata_findings(file_references_.metadata, rank_, phase_ids_)) {
    contradiction.file = file_;
    contradiction.byte = 0;
    findings_(std::move(contradiction), true);
  }
}

}  // namespace plimsoll::lbdata
