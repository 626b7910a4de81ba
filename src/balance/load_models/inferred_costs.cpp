#include <ranges>
#include <string_view>
#include <utility>

#include <plimsoll/balance/inferred_costs.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/json_view.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

std::string to_json(const InferredCosts& costs) {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object().key("costs").begin_array();
  for (const FeatureCost& cost : costs.costs)
    json.begin_object()
        .member("feature", std::string_view(cost.feature))
        .member("cost", cost.cost_s)
        .member("error", cost.error_s)
        .end_object();
  json.end_array().key("remarks").begin_array();
  for (const std::string& remark : costs.remarks) json.value(std::string_view(remark));
  json.end_array().end_object();
  return text;
}

std::optional<InferredCosts> inferred_costs(const lbdata::PhaseRecord& record) {
  if (!record.user_defined || record.user_defined->find(inferred_costs_name) == std::string::npos) return {};
  support::JsonParser parser("");
  try {
    InferredCosts result;
    const support::JsonView found = parser.parse(*record.user_defined).at(inferred_costs_name);
    found.at("costs").for_each_element([&](const support::JsonView& cost) {
      result.costs.push_back(
          {std::string(cost.at("feature").text()), cost.at("cost").number(), cost.at("error").number()});
    });
    found.at("remarks").for_each_element(
        [&](const support::JsonView& remark) { result.remarks.emplace_back(remark.text()); });
    return result;
  } catch (const Error&) {
    return {};
  }
}

InferredCosts last_inferred_costs(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases) {
  if (dataset.ranks.empty()) return {};
  for (const std::int64_t phase : std::views::reverse(phases)) {
    const lbdata::PhaseRecord* record = dataset.ranks.front().find(phase);
    if (record == nullptr) continue;
    if (auto found = inferred_costs(*record)) return *std::move(found);
  }
  return {};
}

}  // namespace plimsoll::balance
