// Members of LoadRecorder that infer loads from features.

#include <fmt/format.h>

#include <cmath>

#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "runtime/recorder/recorder_parts.hpp"
#include "runtime/recording/inferred_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

using support::usage_error;

void LoadRecorder::infer_loads(const std::vector<std::string>& features) {
  is_owner("infer_loads");
  parts_->phase_end.infer_loads(features);
}

void LoadRecorder::set_features(ObjectHandle object, std::span<const double> features) {
  if (!is_owner("set_features") || !has_object("set_features", object)) return;
  const auto name = [&] { return parts_->recording.name_of(object.slot); };
  ObjectFeatures& known = parts_->recording.objects.features();
  if (known.names().empty())
    return note(usage_error(fmt::format("set_features() for {} before infer_loads()", name()),
                            "call infer_loads() with the names of the features first"));
  if (features.size() != known.names().size())
    return note(usage_error(fmt::format("{} features for {}: infer_loads() has {}", features.size(), name(),
                                        known.names().size()),
                            "specify a value for each feature"));
  for (std::size_t feature = 0; feature < features.size(); ++feature)
    if (!(features[feature] >= 0 && features[feature] <= balance::max_feature))
      return note(
          usage_error(fmt::format("invalid value {} of feature {} of {}: must be between 0 and 1e100",
                                  features[feature], support::in_quotes(known.names()[feature]), name())));
  parts_->guard([&] { known.set(object.slot, features); });
}

void LoadRecorder::set_pack(ObjectHandle object, int pack) {
  if (!is_owner("set_pack") || !has_object("set_pack", object)) return;
  if (pack < 0)
    return note(usage_error(
        fmt::format("invalid pack {} for {}: must be >= 0", pack, parts_->recording.name_of(object.slot))));
  parts_->guard([&] { parts_->recording.objects.features().set_pack(object.slot, pack); });
}

void LoadRecorder::add_pack_time(int pack, double time_s) {
  if (!is_owner("add_pack_time") || !instruments()) return;
  InferredLoads* inferred = parts_->phase_end.inferred();
  if (inferred == nullptr)
    return note(usage_error(fmt::format("add_pack_time() for pack {} before infer_loads()", pack),
                            "call infer_loads() with the names of the features first"));
  if (pack < 0 || !(time_s >= 0) || !std::isfinite(time_s))
    return note(
        usage_error(fmt::format("invalid time {} s of pack {}: both must be finite and >= 0", time_s, pack)));
  parts_->guard([&] { inferred->add_pack_time(pack, time_s); });
}

balance::InferredCosts LoadRecorder::inferred_costs() const {
  const InferredLoads* inferred = parts_->phase_end.inferred();
  return inferred == nullptr || !inferred->model().has_costs() ? balance::InferredCosts()
                                                               : inferred->model().result();
}

}  // namespace plimsoll::runtime
