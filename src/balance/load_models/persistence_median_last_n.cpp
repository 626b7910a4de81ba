#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/balance/load_models.hpp>

#include "balance/load_models/parameter_checks.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

LoadModelInfo PersistenceMedianLastN::info() {
  return {.name = "PersistenceMedianLastN",
          .help = "predicts the median of the last n phases: ignores a single slow phase",
          .parameters = {{"n", std::int64_t{5}, "number of phases (>= 1)"}},
          .example = "PersistenceMedianLastN(n=5)",
          .make = [](LoadModelPtr base, const Parameters& parameters) {
            return std::make_shared<PersistenceMedianLastN>(std::move(base),
                                                            parameters.get<std::int64_t>("n"));
          }};
}

PersistenceMedianLastN::PersistenceMedianLastN(LoadModelPtr base, std::int64_t n)
    : ComposedModel(std::move(base)), n_(static_cast<std::size_t>(n)) {
  check_phase_count("PersistenceMedianLastN", "n", n, 1'000'000);
}

double PersistenceMedianLastN::load_s(ObjectIndex object, PhaseOffset when) const {
  if (when.is_past()) return base().load_s(object, when);
  const std::size_t n = std::min(n_, n_past_phases(object));
  if (n == 0) return 0;
  std::vector<double> loads;
  loads.reserve(n);
  for (std::size_t back = 1; back <= n; ++back)
    loads.push_back(base().load_s(object, when.at(-static_cast<std::int64_t>(back))));
  std::ranges::sort(loads);
  return (loads[(n - 1) / 2] + loads[n / 2]) / 2;
}

std::size_t PersistenceMedianLastN::past_phases_needed(std::size_t look_back) const {
  return base().past_phases_needed(std::max(n_, look_back));
}

std::string PersistenceMedianLastN::own_text() const {
  return fmt::format("PersistenceMedianLastN(n={})", n_);
}

}  // namespace plimsoll::balance
