#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/balance/load_models.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "balance/registry/call_syntax.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

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

void apply_load_model(const lbdata::Dataset& dataset, DatasetPhase& phase, LoadModel& model) {
  using Traffic = LoadHistory::Traffic;
  const LoadHistory history = dataset_history(dataset, phase.phase, model.past_phases_needed(),
                                              model.needs_traffic() ? Traffic::count : Traffic::ignore);
  model.use(history);
  const std::vector<double> loads = next_phase_loads(model);
  LDStats& stats = phase.stats;
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
