#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/balance/load_models.hpp>

#include "balance/load_models/parameter_checks.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

PhaseOffset last_if_not_past(PhaseOffset when) {
  return when.is_past() ? when : when.at(-1);
}

}  // namespace

LoadModelInfo NaivePersistence::info() {
  return {.name = "NaivePersistence",
          .help = "assumes that the next phase repeats the last one",
          .example = "NaivePersistence",
          .make = [](LoadModelPtr base, const Parameters&) {
            return std::make_shared<NaivePersistence>(std::move(base));
          }};
}

double NaivePersistence::load_s(ObjectIndex object, PhaseOffset when) const {
  return base().load_s(object, last_if_not_past(when));
}

double NaivePersistence::raw_load_s(ObjectIndex object, PhaseOffset when) const {
  return base().raw_load_s(object, last_if_not_past(when));
}

double NaivePersistence::communication(ObjectIndex object, PhaseOffset when) const {
  return base().communication(object, last_if_not_past(when));
}

std::size_t NaivePersistence::past_phases_needed(std::size_t look_back) const {
  return base().past_phases_needed(std::max<std::size_t>(1, look_back));
}

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
