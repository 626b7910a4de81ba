#include "lbdata/model/dataset_builder.hpp"

#include <algorithm>
#include <limits>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

template <class... Columns>
void shrink(Columns&... columns) {
  (columns.shrink_to_fit(), ...);
}

void finish(WorkRecord& record, PhaseHeader&& header) {
  record.id = header.id;
  record.user_defined = std::move(header.user_defined);
  if (header.has_communications && !record.communications) record.communications.emplace();
  Tasks& tasks = record.tasks;
  shrink(tasks.entity, tasks.time_s, tasks.node, tasks.resource, tasks.subphase_end, tasks.subphase_id,
         tasks.subphase_time_s);
  tasks.user_defined.shrink();
  tasks.attributes.shrink();
  if (auto& edges = record.communications)
    shrink(edges->from, edges->to, edges->bytes, edges->messages, edges->category);
}

/// Adds the names of one table to another, and returns their numbers in the other table.
std::vector<std::uint8_t> merge(NameTable& into, const NameTable& from) {
  std::vector<std::uint8_t> numbers;
  for (std::size_t i = 0; i < from.size(); ++i)
    numbers.push_back(into.intern(from[static_cast<std::uint8_t>(i)]));
  return numbers;
}

/// Reserves many more rows if columns are full. Growing fourfold copies and touches less memory than
/// doubling. The excess is freed at the end of the phase.
template <class First, class... Others>
void make_room(First& first, Others&... others) {
  if (first.size() < first.capacity()) return;
  const std::size_t rows = std::max<std::size_t>(64, 4 * first.size());
  first.reserve(rows);
  (others.reserve(rows), ...);
}

constexpr std::size_t most_rows = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void refuse_rows(const char* what) {
  throw support::bad_input(std::string("more than 4,294,967,294 ") + what + " in one phase of one file", {},
                           "split the file");
}

void require_room(std::size_t rows, const char* what) {
  if (rows >= most_rows) refuse_rows(what);
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

void DatasetBuilder::task(const TaskRecord& task, RecordPlace) {
  if (task.is_placeholder()) return;
  Tasks& tasks = record_->tasks;
  const auto row = static_cast<std::uint32_t>(tasks.time_s.size());
  require_room(row, "tasks");
  make_room(tasks.time_s, tasks.entity, tasks.node, tasks.resource, tasks.subphase_end);
  require_room(tasks.subphase_id.size() + task.subphase_id.size(), "subphases");
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
  require_room(edges.bytes.size(), "communications");
  make_room(edges.bytes, edges.from, edges.to, edges.messages, edges.category);
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
  std::vector<PhaseRecord>& phases = file_.rank.phases;
  // The metadata, which list identical phases, may follow the phases.
  if (!phases.empty() && !selection_.contains(phases.back().id) && !may_be_repeated(phases.back(), header.id))
    phases.pop_back();
  file_.phases.insert(header.id);
  if (header.has_lb_iterations && !phase_.lb_iterations) phase_.lb_iterations.emplace();
  finish(phase_, std::move(header));
  phases.push_back(std::move(phase_));
}

// Returns whether a selected phase may be identical to this record, if the next record of the file has this
// ID.
bool DatasetBuilder::may_be_repeated(const PhaseRecord& record, std::int64_t next_id) const {
  if (record.id < 0 || next_id <= record.id) return true;
  return selection_.contains_any(record.id + 1, next_id - 1);
}

FileData DatasetBuilder::take() {
  std::vector<PhaseRecord>& phases = file_.rank.phases;
  const auto& listed = file_.rank.metadata.phases;
  const std::vector<PhaseRange> identical =
      listed ? listed->identical_to_previous.ranges() : std::vector<PhaseRange>();
  std::vector<std::int64_t> ids;
  ids.reserve(phases.size());
  for (const PhaseRecord& record : phases) ids.push_back(record.id);
  std::ranges::sort(ids);
  std::erase_if(phases, [&](const PhaseRecord& record) {
    if (selection_.contains(record.id)) return false;
    const auto next = std::ranges::upper_bound(ids, record.id);
    const std::int64_t first = std::max<std::int64_t>(0, record.id + 1);
    const std::int64_t last = next == ids.end() ? std::numeric_limits<std::int64_t>::max() : *next - 1;
    auto range = std::ranges::lower_bound(identical, first, {}, &PhaseRange::last);
    for (; range != identical.end() && range->first <= last; ++range)
      if (selection_.contains_any(std::max(first, range->first), std::min(last, range->last))) return false;
    return true;
  });
  return std::move(file_);
}

void replace_entities(PhaseRecord& phase, const std::vector<EntityIndex>& replacement) {
  const auto replace_in = [&](WorkRecord& record) {
    for (EntityIndex& index : record.tasks.entity) index = replacement[index];
    if (!record.communications) return;
    for (EntityIndex& index : record.communications->from) index = replacement[index];
    for (EntityIndex& index : record.communications->to) index = replacement[index];
  };
  replace_in(phase);
  if (!phase.lb_iterations) return;
  for (WorkRecord& iteration : *phase.lb_iterations) replace_in(iteration);
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
    for (std::uint8_t& number : record.tasks.resource) number = resource[number];
    if (!record.communications) return;
    for (std::uint8_t& number : record.communications->category) number = category[number];
  };
  for (PhaseRecord& phase : file.rank.phases) {
    replace_entities(phase, entity);
    renumber(phase);
    if (!phase.lb_iterations) continue;
    for (WorkRecord& iteration : *phase.lb_iterations) renumber(iteration);
  }
  dataset.ranks.push_back(std::move(file.rank));
}

}  // namespace plimsoll::lbdata
