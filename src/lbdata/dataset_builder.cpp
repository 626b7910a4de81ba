#include "lbdata/dataset_builder.hpp"

#include <limits>

#include <plimsoll/support/error.hpp>

namespace plimsoll::lbdata {

namespace {

/// Gives back the spare capacity of small columns, of which a data set may have very many. That of large
/// ones is memory that was never touched, which costs nothing, unlike copying.
template <class Value>
void shrink(std::vector<Value>& column) {
  constexpr std::size_t small_bytes = std::size_t{256} << 10;
  if (column.size() * sizeof(Value) < small_bytes) column.shrink_to_fit();
}

void shrink(Tasks& tasks) {
  shrink(tasks.entity);
  shrink(tasks.time_s);
  shrink(tasks.node);
  shrink(tasks.resource);
  shrink(tasks.subphase_end);
  shrink(tasks.subphase_id);
  shrink(tasks.subphase_time_s);
  tasks.user_defined.shrink();
  tasks.attributes.shrink();
}

void shrink(Communications& edges) {
  shrink(edges.from);
  shrink(edges.to);
  shrink(edges.bytes);
  shrink(edges.messages);
  shrink(edges.category);
}

void finish(WorkRecord& record, PhaseHeader&& header) {
  record.id = header.id;
  record.user_defined = std::move(header.user_defined);
  if (header.has_communications && !record.communications) record.communications.emplace();
  shrink(record.tasks);
  if (record.communications) shrink(*record.communications);
}

/// Numbers of one table's names in another.
std::vector<std::uint8_t> merge(NameTable& into, const NameTable& from) {
  std::vector<std::uint8_t> numbers;
  for (std::size_t i = 0; i < from.size(); ++i) numbers.push_back(into.intern(from[static_cast<std::uint8_t>(i)]));
  return numbers;
}

constexpr std::size_t most_rows = std::numeric_limits<std::uint32_t>::max();

void require_room(std::size_t rows, const char* what) {
  if (rows < most_rows) return;
  throw support::bad_input(std::string("more than 4,294,967,294 ") + what + " in one phase of one file", {},
                           "split the file");
}

}  // namespace

void DatasetBuilder::begin_phase(RecordPlace) {
  phase_ = PhaseRecord{};
  record_ = &phase_;
}

void DatasetBuilder::begin_iteration(RecordPlace) {
  iteration_ = WorkRecord{};
  record_ = &iteration_;
}

EntityIndex DatasetBuilder::index_of(const EntityRecord& entity) {
  if (entity.interned == EntityRecord::not_interned) entity.interned = file_.entities.intern(entity.value);
  return entity.interned;
}

void DatasetBuilder::task(const TaskRecord& task, RecordPlace) {
  Tasks& tasks = record_->tasks;
  const auto row = static_cast<std::uint32_t>(tasks.size());
  require_room(tasks.size(), "tasks");
  require_room(tasks.subphase_id.size() + task.subphase_id.size(), "subphases");
  tasks.entity.push_back(index_of(*task.entity));
  tasks.time_s.push_back(task.time_s);
  tasks.node.push_back(task.node);
  tasks.resource.push_back(file_.resources.intern(task.resource));
  tasks.subphase_id.insert(tasks.subphase_id.end(), task.subphase_id.begin(), task.subphase_id.end());
  tasks.subphase_time_s.insert(tasks.subphase_time_s.end(), task.subphase_time_s.begin(),
                               task.subphase_time_s.end());
  tasks.subphase_end.push_back(static_cast<std::uint32_t>(tasks.subphase_id.size()));
  if (task.has_subphases && task.subphase_id.empty()) tasks.empty_subphases.push_back(row);
  if (task.has_user_defined) tasks.user_defined.add(row, task.user_defined);
  if (task.has_attributes) tasks.attributes.add(row, task.attributes);
}

void DatasetBuilder::communication(const CommunicationRecord& edge, RecordPlace) {
  if (!record_->communications) record_->communications.emplace();
  Communications& edges = *record_->communications;
  require_room(edges.size(), "communications");
  edges.from.push_back(index_of(*edge.from));
  edges.to.push_back(index_of(*edge.to));
  edges.bytes.push_back(edge.bytes);
  edges.messages.push_back(edge.messages);
  edges.category.push_back(file_.categories.intern(edge.type));
}

void DatasetBuilder::end_iteration(PhaseHeader&& header) {
  finish(iteration_, std::move(header));
  if (!phase_.lb_iterations) phase_.lb_iterations.emplace();
  phase_.lb_iterations->push_back(std::move(iteration_));
  record_ = &phase_;
}

void DatasetBuilder::end_phase(PhaseHeader&& header, bool) {
  if (!selection_.contains(header.id)) return;
  if (header.has_lb_iterations && !phase_.lb_iterations) phase_.lb_iterations.emplace();
  finish(phase_, std::move(header));
  file_.rank.phases.push_back(std::move(phase_));
}

void append_rank(Dataset& dataset, FileData&& file) {
  if (dataset.ranks.empty()) {  // the first file's tables become the data set's
    dataset.entities = std::move(file.entities);
    dataset.resources = std::move(file.resources);
    dataset.categories = std::move(file.categories);
    dataset.ranks.push_back(std::move(file.rank));
    return;
  }
  const std::vector<EntityIndex> entity = dataset.entities.merge(file.entities);
  const std::vector<std::uint8_t> resource = merge(dataset.resources, file.resources);
  const std::vector<std::uint8_t> category = merge(dataset.categories, file.categories);
  const auto renumber = [&](WorkRecord& record) {
    for (EntityIndex& index : record.tasks.entity) index = entity[index];
    for (std::uint8_t& number : record.tasks.resource) number = resource[number];
    if (!record.communications) return;
    for (EntityIndex& index : record.communications->from) index = entity[index];
    for (EntityIndex& index : record.communications->to) index = entity[index];
    for (std::uint8_t& number : record.communications->category) number = category[number];
  };
  for (PhaseRecord& phase : file.rank.phases) {
    renumber(phase);
    if (!phase.lb_iterations) continue;
    for (WorkRecord& iteration : *phase.lb_iterations) renumber(iteration);
  }
  dataset.ranks.push_back(std::move(file.rank));
}

}  // namespace plimsoll::lbdata
