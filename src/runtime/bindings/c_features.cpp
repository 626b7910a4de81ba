// Inferred loads in the C interface, plimsoll.h.

#include <plimsoll.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/bindings/c_recorder.hpp"

using namespace plimsoll;
using namespace plimsoll::runtime;

namespace {

/// Splits names at commas, without the spaces around them.
std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    std::string_view name = text.substr(0, comma);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    names.emplace_back(name);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return names;
}

}  // namespace

extern "C" {

int plimsoll_infer_loads(plimsoll_recorder* recorder, const char* names) {
  return status_with(recorder, [&](plimsoll_recorder& self) {
    self.recorder.infer_loads(names == nullptr ? std::vector<std::string>() : split_names(names));
  });
}

void plimsoll_set_features(plimsoll_recorder* recorder, plimsoll_object object, int count,
                           const double* features) {
  with(recorder, [&](LoadRecorder& self) {
    self.set_features(handle(object), {features, checked_count("features", count, features)});
  });
}

void plimsoll_set_pack(plimsoll_recorder* recorder, plimsoll_object object, int pack) {
  with(recorder, [&](LoadRecorder& self) { self.set_pack(handle(object), pack); });
}

void plimsoll_add_pack_time(plimsoll_recorder* recorder, int pack, double time_s) {
  with(recorder, [&](LoadRecorder& self) { self.add_pack_time(pack, time_s); });
}

int plimsoll_get_feature_cost(plimsoll_recorder* recorder, const char* name, double* cost_s,
                              double* error_s) {
  return with(recorder, [&](LoadRecorder& self) {
    const auto costs = self.inferred_costs().costs;
    const auto found = std::ranges::find(costs, std::string_view(name == nullptr ? "" : name),
                                         &balance::FeatureCost::feature);
    if (found == costs.end() || cost_s == nullptr || error_s == nullptr) return 0;
    *cost_s = found->cost_s;
    *error_s = found->error_s;
    return 1;
  });
}

}  // extern "C"
