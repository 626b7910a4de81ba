#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/balance/load_models.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "balance/database/phase_records.hpp"
#include "balance/registry/call_syntax.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

using lbdata::EntityKind;

void add(MessageVolume& volume, double bytes, std::int64_t messages) {
  volume.bytes += bytes;
  volume.messages += messages;
}

}  // namespace

LoadHistory::LoadHistory(const lbdata::EntityTable& entities, std::vector<Phase> phases, Traffic traffic,
                         std::optional<std::uint32_t> only_rank)
    : entities_(entities), phases_(std::move(phases)), places_(phases_.size()), only_rank_(only_rank) {
  PLIMSOLL_EXPECT(!phases_.empty());
  std::size_t n_objects = 0;
  for (const lbdata::PhaseRecord* record : phases_.back()) n_objects += record->tasks.size();
  for (std::vector<Place>& places : places_) places.resize(n_objects);

  std::uint32_t object = 0;
  const Phase& last = phases_.back();
  for (std::uint32_t record = 0; record < last.size(); ++record) {
    const lbdata::Tasks& tasks = last[record]->tasks;
    for (std::uint32_t task = 0; task < tasks.size(); ++task) {
      check_time(tasks, task, rank_of(record), last[record]->id);
      places_.back()[object++] = {record, task};
    }
  }
  if (phases_.size() > 1) find_in_earlier_phases();

  ages_.assign(n_objects, 1);
  for (ObjectIndex each = 0; each < n_objects; ++each)
    while (find(each, ages_[each] + std::int64_t{1}) != nullptr) ++ages_[each];

  if (traffic == Traffic::ignore) return;
  for (std::size_t phase = 0; phase < phases_.size(); ++phase) count_traffic(phase);
}

void LoadHistory::find_in_earlier_phases() {
  const ObjectNumbers numbers(entities_, phases_.back(), only_rank_.value_or(0));
  // Look up by entity first: most objects are the same entity in all phases, which needs no hash.
  std::vector<ObjectIndex> object_of_entity(entities_.size(), nowhere);
  for (ObjectIndex object = 0; object < n_places(); ++object) {
    const Place& place = places_.back()[object];
    const lbdata::EntityIndex entity = record(place, 1).tasks.entity[place.task];
    if (is_migratable(entities_, entity)) object_of_entity[entity] = object;
  }
  const auto object_of = [&](lbdata::EntityIndex entity, std::uint32_t record) -> std::optional<ObjectIndex> {
    if (object_of_entity[entity] != nowhere) return object_of_entity[entity];
    const std::optional<ObjectIndex> object = numbers.find(entity, record);
    if (!object || only_rank_ || is_migratable(entities_, entity) || places_.back()[*object].record == record)
      return object;
    return {};
  };
  for (std::size_t phase = 0; phase + 1 < phases_.size(); ++phase) {
    std::vector<Place>& places = places_[phase];
    for (std::uint32_t record = 0; record < phases_[phase].size(); ++record) {
      const lbdata::PhaseRecord& there = *phases_[phase][record];
      for (std::uint32_t task = 0; task < there.tasks.size(); ++task) {
        const std::optional<ObjectIndex> object = object_of(there.tasks.entity[task], record);
        if (!object) continue;
        check_time(there.tasks, task, rank_of(record), there.id);
        if (places[*object].record != nowhere)
          throw support::bad_input(fmt::format("object {} has two tasks in phase {}, on ranks {} and {}",
                                               to_string(entities_.number(there.tasks.entity[task])),
                                               there.id, rank_of(places[*object].record), rank_of(record)));
        places[*object] = {record, task};
      }
    }
  }
}

void LoadHistory::count_traffic(std::size_t phase) {
  const Phase records = only_rank_ ? Phase{phases_[phase].front()} : phases_[phase];
  std::vector<std::uint32_t> first_task(records.size());
  std::vector<std::uint32_t> record_of_task;
  for (std::uint32_t record = 0; record < records.size(); ++record) {
    first_task[record] = static_cast<std::uint32_t>(record_of_task.size());
    record_of_task.resize(record_of_task.size() + records[record]->tasks.size(), record);
  }
  std::vector<ObjectIndex> object_of_task(record_of_task.size(), nowhere);
  for (ObjectIndex object = 0; object < n_places(); ++object) {
    const Place& place = places_[phase][object];
    if (place.record < records.size()) object_of_task[first_task[place.record] + place.task] = object;
  }

  /// End of an edge: the record of its rank, if `records` contains it, and the object, if the history
  /// contains it.
  struct End {
    std::uint32_t record = nowhere;
    ObjectIndex object = nowhere;
  };
  const ObjectNumbers numbers(entities_, records, only_rank_.value_or(0));
  const auto end_of = [&](lbdata::EntityIndex entity, std::uint32_t record) -> End {
    const std::optional<CommEnd> end = numbers.end(entity, record);
    if (!end) return {};
    if (!end->is_object()) return {.record = end->index()};
    return {record_of_task[end->index()], object_of_task[end->index()]};
  };
  const auto is_message_end = [&](lbdata::EntityIndex entity) {
    return entities_.kind(entity) == EntityKind::object || entities_.kind(entity) == EntityKind::node;
  };

  std::vector<OffRankTraffic>& traffic = traffic_.emplace_back(n_places());
  for (std::uint32_t record = 0; record < records.size(); ++record) {
    if (!records[record]->communications) continue;
    const lbdata::Communications& edges = *records[record]->communications;
    for (std::size_t edge = 0; edge < edges.size(); ++edge) {
      const double bytes = edges.bytes[edge];
      const std::int64_t messages = edges.messages[edge];
      check_volume(edges, edge, rank_of(record), records[record]->id);
      if (!is_message_end(edges.from[edge]) || !is_message_end(edges.to[edge])) continue;
      const End from = end_of(edges.from[edge], record);
      const End to = end_of(edges.to[edge], record);
      const bool dangles = !only_rank_ && (from.record == nowhere || to.record == nowhere);
      if (dangles || from.record == to.record) continue;
      const bool send_recv = edges.category[edge] + 1 == static_cast<int>(lbdata::CommCategory::SendRecv);
      if (to.object != nowhere) {
        add(traffic[to.object].received, bytes, messages);
        if (send_recv) add(traffic[to.object].received_send_recv, bytes, messages);
      }
      if (from.object != nowhere && send_recv) add(traffic[from.object].sent_send_recv, bytes, messages);
    }
  }
}

double LoadHistory::subphase_load_s(ObjectIndex object, std::int64_t back, std::uint32_t subphase) const {
  const Place* place = find(object, back);
  if (place == nullptr) return 0;
  const lbdata::Tasks& tasks = record(*place, back).tasks;
  const std::uint32_t begin = tasks.subphase_begin(place->task);
  const std::uint32_t end = tasks.subphase_end[place->task];
  const auto is_it = [&](std::uint32_t row) {
    return tasks.subphase_id[row] == static_cast<std::int32_t>(subphase);
  };
  if (subphase < end - begin && is_it(begin + subphase)) return tasks.subphase_time_s[begin + subphase];
  double load_s = 0;
  for (std::uint32_t row = begin; row < end; ++row)
    if (is_it(row)) load_s += tasks.subphase_time_s[row];
  return load_s;
}

std::uint32_t LoadHistory::n_subphases(ObjectIndex object) const {
  constexpr std::int32_t limit = 65535;  // limit of vt's 16-bit type
  std::int32_t count = 0;
  for (std::int64_t back = 1; back <= static_cast<std::int64_t>(phases_.size()); ++back) {
    const Place* place = find(object, back);
    if (place == nullptr) continue;
    const lbdata::Tasks& tasks = record(*place, back).tasks;
    for (std::uint32_t row = tasks.subphase_begin(place->task); row < tasks.subphase_end[place->task];
         ++row) {
      const std::int32_t id = tasks.subphase_id[row];
      if (id < 0 || id >= limit)
        throw support::bad_input(
            fmt::format("invalid subphase {1} of object {0}: must be between 0 and 65534",
                        to_string(entities_.number(tasks.entity[place->task])), id));
      count = std::max(count, id + 1);
    }
  }
  return static_cast<std::uint32_t>(count);
}

std::optional<lbdata::WideInteger> LoadHistory::collection(ObjectIndex object) const {
  const Place& place = places_.back()[object];
  const lbdata::EntityFamily& family = entities_.family(record(place, 1).tasks.entity[place.task]);
  return family.has_collection_id ? std::optional(family.collection_id) : std::nullopt;
}

LoadHistory dataset_history(const lbdata::Dataset& dataset, std::int64_t phase, std::size_t n_phases,
                            LoadHistory::Traffic traffic) {
  std::vector<LoadHistory::Phase> phases = {phase_records(dataset, phase)};
  if (n_phases > 1) {
    std::vector<std::int64_t> ids = lbdata::phase_coverage(dataset).complete;
    std::ranges::reverse(ids);
    for (const std::int64_t id : ids) {
      if (phases.size() >= n_phases) break;
      if (id >= phase) continue;
      LoadHistory::Phase records;
      for (const lbdata::RankData& rank : dataset.ranks) records.push_back(rank.resolve(id).record);
      phases.push_back(std::move(records));
    }
  }
  std::ranges::reverse(phases);
  return LoadHistory(dataset.entities, std::move(phases), traffic);
}

std::string ComposedModel::text(const LoadModel* bottom) const {
  if (base_.get() == bottom) return own_text_;
  const std::string below = base_->text(bottom);
  const bool goes_without_saying =
      below == "NaivePersistence" || (below == "RawData" && own_text_ == "NaivePersistence");
  return goes_without_saying ? own_text_ : below + " | " + own_text_;
}

std::vector<double> next_phase_loads(const LoadModel& model) {
  std::vector<double> loads(model.n_objects());
  double sum_s = 0;
  for (ObjectIndex object = 0; object < loads.size(); ++object) {
    const double load_s = model.load_s(object, {});
    // Negate the comparison so that NaN reaches the sum.
    loads[object] = !(load_s < 0) ? load_s : 0;
    sum_s += loads[object];
  }
  if (!std::isfinite(sum_s))
    throw support::usage_error(
        fmt::format("the sum of the loads that {} predicts is not finite", model.text()),
        "use smaller weights or fewer phases");
  return loads;
}

namespace {

/// Replaces the loads of the subphases by those that the model predicts. `loads` are the predicted loads of
/// the whole phase.
void predict_subphases(const LoadModel& model, std::span<const double> loads, SubphaseLoads& subphases) {
  std::uint32_t n_subphases = 0;
  for (ObjectIndex object = 0; object < loads.size(); ++object)
    n_subphases = std::max(n_subphases, model.n_subphases(object));
  subphases = SubphaseLoads::zeros(loads.size(), n_subphases);
  std::vector<double> of_object;
  for (ObjectIndex object = 0; object < loads.size(); ++object) {
    of_object.clear();
    for (std::uint32_t subphase = 0; subphase < model.n_subphases(object); ++subphase) {
      const double load_s = model.load_s(object, PhaseOffset().of(subphase));
      of_object.push_back(load_s > 0 ? load_s : 0);
    }
    const std::span<LBRealType> predicted = subphases.of_object(object);
    predicted[SubphaseLoads::outside] = static_cast<LBRealType>(fit_subphases(of_object, loads[object]));
    for (std::size_t k = 0; k < of_object.size(); ++k)
      predicted[k + 1] = static_cast<LBRealType>(of_object[k]);
  }
}

}  // namespace

void apply_load_model(const lbdata::Dataset& dataset, DatasetPhase& phase, LoadModel& model) {
  using Traffic = LoadHistory::Traffic;
  const LoadHistory history = dataset_history(dataset, phase.phase, model.past_phases_needed(),
                                              model.needs_traffic() ? Traffic::count : Traffic::ignore);
  model.use(history);
  const std::vector<double> loads = next_phase_loads(model);
  LDStats& stats = phase.stats;
  if (!stats.subphases.empty() && model.text() != measured_loads)
    predict_subphases(model, loads, stats.subphases);
  for (ProcStats& proc : stats.procs) proc.total_walltime = 0;
  for (std::size_t object = 0; object < loads.size(); ++object) {
    stats.obj_data[object].walltime = static_cast<LBRealType>(loads[object]);
    stats.procs[static_cast<std::size_t>(stats.from_proc[object])].total_walltime +=
        stats.obj_data[object].walltime;
  }
}

const LoadModelInfo& load_model_info(const std::string& name) {
  const auto found = std::ranges::find(load_models(), name, &LoadModelInfo::name);
  if (found != load_models().end()) return *found;
  std::vector<std::string> names;
  for (const LoadModelInfo& info : load_models()) names.push_back(info.name);
  throw support::unknown_name("load model", name, names);
}

namespace {

constexpr const char* raw = "RawData";
constexpr const char* persistence = measured_loads;

constexpr CallSyntax pipeline_syntax = {"load model", '|',
                                        "use a form such as Norm(power=3) | PersistenceMedianLastN(n=4)"};

std::vector<Call> parse(std::string_view text) {
  constexpr std::size_t limit = 4096;  // limits nesting as well
  if (text.size() > limit)
    throw support::usage_error(fmt::format("load model text is too long: {} characters", text.size()),
                               fmt::format("use at most {} characters", limit));
  std::vector<Call> stages = parse_calls(text, pipeline_syntax);
  if (std::ranges::any_of(stages, [](const Call& stage) { return stage.name.empty(); }))
    throw support::usage_error(fmt::format("invalid load model {}: missing name", support::in_quotes(text)),
                               pipeline_syntax.example);
  return stages;
}

/// Names of the models that another model is stacked on. Each may appear once: most models query several
/// loads of their underlying model, so the cost of a long pipeline would grow exponentially.
using Names = std::set<std::string>;

LoadModelPtr build(const std::vector<Call>& stages, LoadModelPtr model, Names& below);

std::uint64_t collection_number(const std::string& text) {
  const auto number = support::parse_number<std::uint64_t>(text);
  if (!number)
    throw support::usage_error(
        fmt::format("invalid collection {} of PerCollection: expected a collection number",
                    support::in_quotes(text)),
        "use the collection_id in the files, as in " + load_model_info("PerCollection").example);
  return *number;
}

LoadModelPtr build_per_collection(const Call& stage, const LoadModelPtr& base, Names& below) {
  PerCollection::Models models;
  const Names below_all = below;
  for (const auto& [name, pipeline] : stage.parameters) {
    Names below_this = below_all;
    const auto [entry, is_new] =
        models.emplace(collection_number(name), build(parse(pipeline), base, below_this));
    below.merge(below_this);
    if (!is_new)
      throw support::usage_error(fmt::format("duplicate collection {} of PerCollection", entry->first),
                                 "set it once");
  }
  return std::make_shared<PerCollection>(base, std::move(models));
}

LoadModelPtr build(const Call& stage, LoadModelPtr base, Names& below) {
  const LoadModelInfo& info = load_model_info(stage.name);
  if (info.name == "PerCollection") return build_per_collection(stage, base, below);
  const bool may_repeat = info.name == persistence || info.name == "MultiplePhases";
  if (!may_repeat && !below.insert(info.name).second)
    throw support::usage_error(
        fmt::format("duplicate load model {}: {} cannot be stacked on itself", info.name, info.name),
        "use it once");
  if (!info.make)
    throw support::usage_error(fmt::format("{} cannot be stacked on another model", info.name),
                               "use it as the first model of the pipeline, or remove it");
  return info.make(std::move(base), Parameters(info.name, info.parameters, parameter_map(stage)));
}

LoadModelPtr build(const std::vector<Call>& stages, LoadModelPtr model, Names& below) {
  for (const Call& stage : stages) model = build(stage, std::move(model), below);
  return model;
}

}  // namespace

LoadModelPtr make_load_model(std::string_view pipeline) {
  std::vector<Call> stages = parse(pipeline);
  if (stages.front().name == raw) {
    const Parameters none(raw, load_model_info(raw).parameters, parameter_map(stages.front()));
    stages.erase(stages.begin());
  }
  if (stages.empty() || stages.front().name != persistence)
    stages.insert(stages.begin(), {.name = persistence});
  Names below;
  return build(stages, std::make_shared<RawData>(), below);
}

}  // namespace plimsoll::balance
