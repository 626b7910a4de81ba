#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/balance/load_models.hpp>

#include "balance/load_models/parameter_checks.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

LoadModelInfo LinearModel::info() {
  return {.name = "LinearModel",
          .help = "extrapolates the regression line through the last phases: for loads that grow or shrink",
          .parameters = {{"length", std::int64_t{5}, "number of phases (>= 1)"}},
          .example = "LinearModel(length=5)",
          .make = [](LoadModelPtr base, const Parameters& parameters) {
            return std::make_shared<LinearModel>(std::move(base), parameters.get<std::int64_t>("length"));
          }};
}

LinearModel::LinearModel(LoadModelPtr base, std::int64_t length)
    : ComposedModel(std::move(base)), length_(static_cast<std::size_t>(length)) {
  check_phase_count("LinearModel", "length", length, 1'000'000);
}

double LinearModel::load_s(ObjectIndex object, PhaseOffset when) const {
  if (when.is_past()) return base().load_s(object, when);
  const auto count = static_cast<std::int64_t>(std::min(length_, n_past_phases(object)));
  if (count == 0) return 0;
  if (count == 1) return base().load_s(object, when.at(-1));  // a line needs two points

  // Number the phases from -count to -1.
  const double mean_x = -0.5 * static_cast<double>(count + 1);
  double sum_y = 0;
  double sum_xy = 0;
  double sum_xx = 0;
  for (std::int64_t x = -count; x < 0; ++x) {
    const double load_s = base().load_s(object, when.at(x));
    const double distance = static_cast<double>(x) - mean_x;
    sum_y += load_s;
    sum_xy += distance * load_s;
    sum_xx += distance * distance;
  }
  return sum_y / static_cast<double>(count) + sum_xy / sum_xx * (static_cast<double>(when.phases) - mean_x);
}

std::size_t LinearModel::past_phases_needed(std::size_t look_back) const {
  return base().past_phases_needed(std::max(length_, look_back));
}

std::string LinearModel::own_text() const {
  return fmt::format("LinearModel(length={})", length_);
}

}  // namespace plimsoll::balance
