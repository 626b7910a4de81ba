#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <plimsoll/balance/inferred_costs.hpp>
#include <plimsoll/balance/load_inference.hpp>
#include <plimsoll/balance/load_models.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "balance/database/user_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Reads the features and times of a rank in one phase.
class RankReader {
 public:
  RankReader(const lbdata::PhaseRecord& record, std::size_t rank, const std::vector<std::string>& features)
      : record_(record), rank_(rank), features_(features) {}

  /// Calls `visit(task, features)`, in order, with no features for a task that does not have all.
  template <class Visit>
  void for_each_task(Visit&& visit) {
    std::vector<double> values;
    for (std::uint32_t task = 0; task < record_.tasks.size(); ++task) {
      read(task, values);
      visit(task, std::span<const double>(values));
    }
  }

  /// Returns the sums over the tasks with features, and adds these tasks to `objects`.
  PackTime pack(FeatureSums& objects) {
    PackTime pack;
    double with_features_s = 0;
    double others_s = 0;
    for_each_task([&](std::uint32_t task, std::span<const double> values) {
      (values.empty() ? others_s : with_features_s) += record_.tasks.time_s[task];
      if (values.empty()) return;
      objects.add_object(values);
      for (std::size_t feature = 0; feature < values.size(); ++feature)
        pack.features[feature] += values[feature];
    });
    if (const auto recorded_s = recorded_time_s())
      pack.time_s = *recorded_s;
    else if (with_features_s > 0)
      pack.time_s = with_features_s;
    else
      pack.time_s = std::max(0.0, busy_time_s().value_or(0) - others_s);
    return pack;
  }

 private:
  /// Reads the features of a task; none unless it has all.
  void read(std::uint32_t task, std::vector<double>& values) {
    values.clear();
    const std::string_view text = record_.tasks.user_defined.at(task);
    if (text.empty()) return;
    try {
      const support::JsonView object = user_data_object(parser_, text);
      for (const std::string& feature : features_) {
        const std::optional<double> value = size_member(object, feature);
        if (!value) return values.clear();
        if (*value > max_feature)
          throw support::bad_input(fmt::format("invalid value {} of member {}: must be at most 1e100", *value,
                                               support::in_quotes(feature)));
        values.push_back(*value);
      }
    } catch (const Error& error) {
      throw support::bad_input(fmt::format("user_defined of task {} of rank {} in phase {}: {}", task, rank_,
                                           record_.id, error.what()));
    }
  }

  std::optional<double> recorded_time_s() {
    if (!record_.user_defined) return {};
    const support::JsonView values = parser_.parse(*record_.user_defined);
    const auto found = values.find(inferred_time_name);
    return found ? found->get<double>() : std::nullopt;
  }

  /// Returns the time of the rank object outside of idle time, if it is recorded.
  std::optional<double> busy_time_s() {
    for (std::uint32_t task = 0; task < record_.tasks.size(); ++task) {
      const std::string_view text = record_.tasks.attributes.at(task);
      if (text.find("total_time") == std::string_view::npos) continue;
      const support::JsonView values = parser_.parse(text);
      const auto member = [&](std::string_view name) {
        const auto found = values.find(name);
        return found ? found->get<double>() : std::nullopt;
      };
      const auto total_s = member("total_time");
      const auto idle_s = member("idle_time");
      if (total_s && idle_s) return *total_s - *idle_s;
    }
    return {};
  }

  const lbdata::PhaseRecord& record_;
  std::size_t rank_;
  const std::vector<std::string>& features_;
  support::JsonParser parser_{""};
};

PhaseFeatures features_of(const LoadHistory::Phase& records, const std::vector<std::string>& features) {
  PhaseFeatures phase;
  for (std::size_t rank = 0; rank < records.size(); ++rank)
    phase.packs.push_back(RankReader(*records[rank], rank, features).pack(phase.objects));
  return phase;
}

std::vector<std::string> recorded_features(const LoadHistory& history) {
  std::vector<std::string> features;
  if (const auto costs = inferred_costs(*history.phases().back().front()))
    for (const FeatureCost& cost : costs->costs) features.push_back(cost.feature);
  return features;
}

}  // namespace

Inferred::Inferred(LoadModelPtr base, std::vector<std::string> features, std::int64_t phases)
    : ComposedModel(std::move(base),
                    fmt::format("Inferred(features=[{}], phases={})", fmt::join(features, ", "), phases)),
      features_(std::move(features)),
      phases_(static_cast<std::size_t>(phases)) {
  if (!features_.empty()) LoadInference{features_};  // throws for invalid features
  if (phases < 1 || phases > 1000) throw invalid_parameter("Inferred", "phases", phases, "use 1 to 1000");
}

void Inferred::use(const LoadHistory& history) {
  ComposedModel::use(history);
  if (history.is_of_one_rank())
    throw support::usage_error("Inferred needs the data of all ranks",
                               "call infer_loads() in the program instead of setting this load model");
  const std::vector<std::string> features = features_.empty() ? recorded_features(history) : features_;
  if (features.empty())
    throw support::usage_error(
        "the data contain no costs of features",
        "specify members of user_defined, as in Inferred(features=[cells, particles])");
  LoadInference inference(features);
  const std::size_t n_phases = std::min(phases_, history.phases().size());
  for (const LoadHistory::Phase& records : std::span(history.phases()).last(n_phases))
    inference.observe(features_of(records, features), [](const FeatureSums& sums) { return sums; });

  loads_s_.clear();
  bool any = false;
  const LoadHistory::Phase& last = history.phases().back();
  for (std::size_t rank = 0; rank < last.size(); ++rank) {
    RankReader(*last[rank], rank, features).for_each_task([&](std::uint32_t, std::span<const double> values) {
      loads_s_.push_back(values.empty() ? std::nullopt : std::optional(inference.load_s(values)));
      any = any || !values.empty();
    });
  }
  if (!any)
    throw support::usage_error(
        fmt::format("no object has all of the features {} in user_defined", fmt::join(features, ", ")),
        "check their names");
}

double Inferred::load_s(ObjectIndex object, PhaseOffset when) const {
  if (when.is_past() || !when.is_whole() || !loads_s_[object]) return base().load_s(object, when);
  return *loads_s_[object];
}

}  // namespace plimsoll::balance
