#include <fmt/format.h>

#include <plimsoll/balance/inferred_costs.hpp>
#include <plimsoll/support/json_view.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "balance/database/user_data.hpp"

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
  support::JsonParser parser("user_defined");
  try {
    const auto found = user_data_object(parser, *record.user_defined).find(inferred_costs_name);
    if (!found) return {};
    InferredCosts result;
    found->at("costs").for_each_element([&](const support::JsonView& cost) {
      result.costs.push_back(
          {std::string(cost.at("feature").text()), cost.at("cost").number(), cost.at("error").number()});
    });
    found->at("remarks").for_each_element(
        [&](const support::JsonView& remark) { result.remarks.emplace_back(remark.text()); });
    return result;
  } catch (const Error& error) {
    throw support::bad_input(fmt::format("invalid {} in user_defined of phase {}: {}", inferred_costs_name,
                                         record.id, error.what()));
  }
}

}  // namespace plimsoll::balance
