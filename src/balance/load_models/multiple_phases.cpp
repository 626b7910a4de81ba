#include <fmt/format.h>

#include <plimsoll/balance/load_models.hpp>

#include "balance/load_models/parameter_checks.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::int64_t max_phases = 1000;

}  // namespace

LoadModelInfo MultiplePhases::info() {
  return {
      .name = "MultiplePhases",
      .help = "sums the predicted loads of the next phases: for a placement that is kept for several phases",
      .parameters = {{"phases", std::int64_t{10}, "number of phases, 1 to 1000"}},
      .example = "LinearModel(length=5) | MultiplePhases(phases=10)",
      .make = [](LoadModelPtr base, const Parameters& parameters) {
        return std::make_shared<MultiplePhases>(std::move(base), parameters.get<std::int64_t>("phases"));
      }};
}

MultiplePhases::MultiplePhases(LoadModelPtr base, std::int64_t phases)
    : ComposedModel(std::move(base)), phases_(phases) {
  check_phase_count("MultiplePhases", "phases", phases, max_phases);
  if (phases_in_one() > max_phases)
    throw support::usage_error(fmt::format("too many phases in stacked MultiplePhases: {}", phases_in_one()),
                               fmt::format("use at most {}", max_phases));
}

double MultiplePhases::load_s(ObjectIndex object, PhaseOffset when) const {
  if (when.is_past()) return base().load_s(object, when);
  double sum = 0;
  for (std::int64_t phase = 0; phase < phases_; ++phase)
    sum += base().load_s(object, when.at(phases_ * when.phases + phase));
  return sum;
}

std::string MultiplePhases::own_text() const {
  return fmt::format("MultiplePhases(phases={})", phases_);
}

}  // namespace plimsoll::balance
