#include <algorithm>
#include <filesystem>
#include <numeric>
#include <vector>

#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>

#include "runtime/output/object_history.hpp"
#include "runtime/output/phase_stream.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

PastLoad load_of_task(const lbdata::PhaseRecord& record, std::uint32_t task) {
  const lbdata::Tasks& tasks = record.tasks;
  PastLoad load{.phase = record.id, .time_s = tasks.time_s[task], .subphases_s = {}};
  for (std::uint32_t row = tasks.subphase_begin(task); row < tasks.subphase_end[task]; ++row) {
    const auto subphase = static_cast<std::size_t>(tasks.subphase_id[row]);
    if (load.subphases_s.size() <= subphase) load.subphases_s.resize(subphase + 1);
    load.subphases_s[subphase] += tasks.subphase_time_s[row];
  }
  return load;
}

void add_to(PastLoad& sum, const PastLoad& load) {
  sum.phase = load.phase;
  sum.time_s += load.time_s;
  sum.subphases_s.resize(std::max(sum.subphases_s.size(), load.subphases_s.size()));
  for (std::size_t k = 0; k < load.subphases_s.size(); ++k) sum.subphases_s[k] += load.subphases_s[k];
}

std::vector<NodeLBData*>& instances() {
  static std::vector<NodeLBData*> all;
  return all;
}

void expect_single_writer(const std::string& path) {
  if (std::ranges::find(instances(), path, &NodeLBData::path) == instances().end()) return;
  throw Error(ErrorKind::usage, {.what = "another recorder of this program writes this file",
                                 .file = path,
                                 .suggestion = "use a separate directory per recorder (--vt_lb_data_dir)"});
}

void expect_free(const std::string& path) {
  for (const char* suffix : {"", ".partial", ".pending"}) {
    std::error_code code;
    if (!std::filesystem::exists(path + suffix, code)) continue;
    // Ignores empty .partial and .pending files: they contain no data, because the run ended before the end
    // of its first phase.
    if (*suffix != '\0' && std::filesystem::file_size(path + suffix, code) == 0) continue;
    throw Error(
        ErrorKind::usage,
        {.what = "already exists from an earlier run",
         .file = path + suffix,
         .suggestion =
             "use another directory (--vt_lb_data_dir), or allow overwriting (--vt_lb_data_overwrite)"});
  }
}

template <class Work>
void for_each_entity(lbdata::WorkRecord& record, const Work& work) {
  std::ranges::for_each(record.tasks.entity, work);
  if (!record.communications) return;
  std::ranges::for_each(record.communications->from, work);
  std::ranges::for_each(record.communications->to, work);
}

}  // namespace

std::uint32_t ObjectHistory::find_task(const lbdata::PhaseRecord& record, std::uint64_t number) {
  const auto number_of = [&](std::uint32_t task) { return this->number(record.tasks.entity[task]); };
  const auto hash_of = [&](std::uint32_t task) { return support::mix_bits(number_of(task)); };
  support::PositionHash& measured = by_phase_[record.id].measured;
  for (auto task = static_cast<std::uint32_t>(measured.size()); task < record.tasks.size(); ++task)
    measured.insert(hash_of(task), task, hash_of);
  return measured.find(support::mix_bits(number),
                       [&](std::uint32_t task) { return number_of(task) == number; });
}

std::vector<PastLoad> ObjectHistory::loads(lbdata::EntityIndex object) {
  std::vector<PastLoad> loads;
  for (const lbdata::PhaseRecord& record : phases_) {
    if (const std::uint32_t task = find_task(record, number(object)); task != support::PositionHash::none) {
      loads.push_back(load_of_task(record, task));
      continue;
    }
    const auto& added = by_phase_[record.id].added;
    if (const auto found = added.find(number(object)); found != added.end())
      loads.push_back(found->second.load);
  }
  return loads;
}

void ObjectHistory::add(lbdata::EntityIndex object, const PastLoad& load) {
  const auto record = std::ranges::find(phases_, load.phase, &lbdata::PhaseRecord::id);
  if (record == phases_.end() || find_task(*record, number(object)) != support::PositionHash::none) return;
  AddedLoad& sum = by_phase_[load.phase].added[number(object)];
  sum.entity = object;
  add_to(sum.load, load);
}

void ObjectHistory::forget(lbdata::EntityIndex object) {
  for (auto& [id, phase] : by_phase_) phase.added.erase(number(object));
}

lbdata::PhaseRecord ObjectHistory::added(std::int64_t phase) const {
  lbdata::PhaseRecord record;
  record.id = phase;
  const auto found = by_phase_.find(phase);
  if (found == by_phase_.end()) return record;
  lbdata::Tasks& tasks = record.tasks;
  for (const auto& [number, added] : found->second.added) {
    tasks.entity.push_back(added.entity);
    tasks.time_s.push_back(added.load.time_s);
    for (const double time_s : added.load.subphases_s) {
      const std::uint32_t begin = tasks.subphase_end.empty() ? 0 : tasks.subphase_end.back();
      tasks.subphase_id.push_back(static_cast<std::int32_t>(tasks.subphase_id.size() - begin));
      tasks.subphase_time_s.push_back(time_s);
    }
    tasks.subphase_end.push_back(static_cast<std::uint32_t>(tasks.subphase_id.size()));
  }
  return record;
}

void ObjectHistory::trim() {
  const auto first = phases_.empty() ? by_phase_.end() : by_phase_.lower_bound(phases_.front().id);
  by_phase_.erase(by_phase_.begin(), first);
}

void ObjectHistory::mark(std::vector<bool>& used) const {
  for (const auto& [id, phase] : by_phase_)
    for (const auto& [number, added] : phase.added) used[added.entity] = true;
}

void ObjectHistory::renumber(std::span<const lbdata::EntityIndex> new_index) {
  for (auto& [id, phase] : by_phase_)
    for (auto& [number, added] : phase.added) added.entity = new_index[added.entity];
}

NodeLBData::NodeLBData(const Settings& settings, const Place& place,
                       std::optional<lbdata::PhaseSpecification> specification)
    : settings_(settings),
      place_(place),
      specification_(std::move(specification)),
      path_(settings.lb_data ? data_file_path(settings, place.rank) : ""),
      cpu_(tables_.resources.intern("cpu")),
      history_(std::make_unique<ObjectHistory>(tables_.entities, phases_)) {
  if (!path_.empty()) expect_single_writer(path_);
  if (!path_.empty() && !settings.lb_data_overwrite) expect_free(path_);
  instances().push_back(this);
}

NodeLBData::~NodeLBData() {
  std::erase(instances(), this);
}

const lbdata::PhaseRecord* NodeLBData::phase(std::int64_t id) const {
  const auto found = std::ranges::find(phases_, id, &lbdata::PhaseRecord::id);
  return found == phases_.end() ? nullptr : &*found;
}

double NodeLBData::load_s(std::int64_t phase) const {
  const lbdata::PhaseRecord* record = this->phase(phase);
  if (record == nullptr) return 0;
  return std::accumulate(record->tasks.time_s.begin(), record->tasks.time_s.end(), 0.0);
}

void NodeLBData::keep(std::size_t phases) {
  settings_.lb_history = static_cast<std::int64_t>(phases);
}

void NodeLBData::set_attributes(std::string json) {
  if (stream_ && stream_->has_begun() && !ends_with_metadata()) {
    throw support::usage_error(
        "rank attributes set too late: they are stored at the beginning of the LB data file",
        "set them before the first phase ends");
  }
  attributes_ = std::move(json);
  if (stream_ && stream_->has_begun()) stream_->set_metadata(metadata());
}

lbdata::PhaseRecord& NodeLBData::add(lbdata::PhaseRecord&& phase) {
  phases_.push_back(std::move(phase));
  if (settings_.lb_history > 0) trim();
  return phases_.back();
}

void NodeLBData::trim() {
  while (phases_.size() > static_cast<std::size_t>(settings_.lb_history)) phases_.pop_front();
  history_->trim();
}

std::vector<PastLoad> NodeLBData::history(lbdata::EntityIndex object) {
  return history_->loads(object);
}

void NodeLBData::add_history(lbdata::EntityIndex object, const PastLoad& load) {
  history_->add(object, load);
}

void NodeLBData::forget_history(lbdata::EntityIndex object) {
  history_->forget(object);
}

lbdata::PhaseRecord NodeLBData::added_history(std::int64_t phase) const {
  return history_->added(phase);
}

void NodeLBData::stop_writing() {
  stream_.reset();
  path_.clear();
}

void NodeLBData::close() {
  if (path_.empty()) return;
  complete();
  stream_->close();
  stop_writing();
}

void NodeLBData::end() {
  if (path_.empty()) return;
  complete();
  stream_->end();
}

void NodeLBData::published() {
  if (stream_) stream_->remove_pending();
  stop_writing();
}

void NodeLBData::complete() {
  begin();
  if (ends_with_metadata()) stream_->set_metadata(metadata());
}

bool NodeLBData::ends_with_metadata() const {
  return specification_ || settings_.lb_data_elide_identical;
}

void NodeLBData::open() {
  if (path_.empty() || stream_) return;
  PhaseStream::Options options;
  options.file = {.compress = settings_.lb_data_compress,
                  .overwrite = settings_.lb_data_overwrite,
                  .metadata_last = ends_with_metadata()};
  options.with_thread = place_.may_have_threads;
  if (ends_with_metadata())
    options.elided =
        lbdata::ElidedPhases{.identical = settings_.lb_data_elide_identical, .specification = specification_};
  stream_ = std::make_unique<PhaseStream>(path_, options);
}

void NodeLBData::begin() {
  open();
  if (!stream_->has_begun()) stream_->begin(metadata());
}

void NodeLBData::write(const lbdata::PhaseRecord& phase) {
  if (path_.empty()) return;
  begin();
  if (specification_ && !specification_->includes(phase.id)) return elide(phase, skipped_);
  if (settings_.lb_data_elide_identical && is_placed_as_before(phase)) return elide(phase, identical_);
  stream_->write(phase, lbdata::RecordTables(tables_));
}

void NodeLBData::elide(const lbdata::PhaseRecord& phase, lbdata::PhaseNumbers& list) {
  stream_->elide(phase.id);
  list.append(phase.id);
}

bool NodeLBData::is_placed_as_before(const lbdata::PhaseRecord& phase) {
  std::vector<std::uint64_t> placement;
  placement.reserve(phase.tasks.size());
  for (const lbdata::EntityIndex entity : phase.tasks.entity)
    placement.push_back(entities().number(entity).bits);
  std::ranges::sort(placement);
  if (placement == written_placement_) return true;
  written_placement_ = std::move(placement);
  return false;
}

lbdata::RankMetadata NodeLBData::metadata() const {
  lbdata::RankMetadata metadata;
  metadata.present = true;
  metadata.type = "LBDatafile";
  if (ends_with_metadata()) metadata.top_level_type = metadata.type;
  metadata.rank = place_.rank;
  metadata.shared_node = place_.shared_node;
  metadata.phases = lbdata::PhaseMetadata{.skipped = skipped_, .identical_to_previous = identical_};
  metadata.attributes = attributes_;
  return metadata;
}

std::vector<lbdata::EntityIndex> NodeLBData::compact(std::span<const lbdata::EntityIndex> in_use) {
  constexpr std::size_t worth_it = 4096;
  const lbdata::EntityTable& old = tables_.entities;
  if (old.size() < worth_it || old.size() < 2 * in_use.size()) return {};
  std::vector<bool> used(old.size());
  for (const lbdata::EntityIndex entity : in_use) used[entity] = true;
  for (lbdata::PhaseRecord& phase : phases_)
    for_each_entity(phase, [&](lbdata::EntityIndex entity) { used[entity] = true; });
  history_->mark(used);
  if (2 * static_cast<std::size_t>(std::ranges::count(used, true)) >= old.size()) return {};

  lbdata::EntityTable fresh;
  std::vector<lbdata::EntityIndex> new_index(old.size());
  for (lbdata::EntityIndex entity = 0; entity < old.size(); ++entity) {
    if (used[entity]) new_index[entity] = fresh.intern(old, entity);
  }
  tables_.entities = std::move(fresh);
  for (lbdata::PhaseRecord& phase : phases_)
    for_each_entity(phase, [&](lbdata::EntityIndex& entity) { entity = new_index[entity]; });
  history_->renumber(new_index);
  return new_index;
}

NodeLBData& the_node_lb_data() {
  if (instances().empty()) {
    throw support::usage_error("missing LoadRecorder: NodeLBData is available only through a LoadRecorder",
                               "create a LoadRecorder first");
  }
  return *instances().front();
}

}  // namespace plimsoll::runtime
