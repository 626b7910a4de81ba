#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <plimsoll/balance/load_models.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

double power_of(const std::string& text) {
  if (text == "infinity") return std::numeric_limits<double>::infinity();
  const auto power = support::parse_number<double>(text);
  if (power && std::isfinite(*power)) return *power;
  throw invalid_parameter("Norm", "power", text, "use a number > 0, or infinity");
}

}  // namespace

LoadModelInfo Norm::info() {
  return {.name = "Norm",
          .help = "norm of the subphase loads: a higher power gives more weight to the longest subphase",
          .parameters = {{"power", std::string("2"),
                          "a number > 0 (1: sum), or infinity (the longest subphase)"}},
          .example = "Norm(power=3) | PersistenceMedianLastN(n=4)",
          .make = [](LoadModelPtr base, const Parameters& parameters) {
            return std::make_shared<Norm>(std::move(base), power_of(parameters.get<std::string>("power")));
          }};
}

Norm::Norm(LoadModelPtr base, double power) : ComposedModel(std::move(base)), power_(power) {
  if (!(power > 0)) throw invalid_parameter("Norm", "power", power, "use a number > 0, or infinity");
}

double Norm::load_s(ObjectIndex object, PhaseOffset when) const {
  const std::uint32_t n = n_subphases(object);
  if (!when.is_whole() || n == 0) return base().load_s(object, when);
  std::vector<double> loads(n);
  double most_s = 0;
  for (std::uint32_t subphase = 0; subphase < n; ++subphase) {
    loads[subphase] = std::max(0.0, base().load_s(object, when.of(subphase)));
    most_s = std::max(most_s, loads[subphase]);
  }
  if (most_s == 0 || std::isinf(power_)) return most_s;
  // Scale by the longest subphase: high powers of small loads would underflow to 0.
  double sum = 0;
  for (const double load_s : loads) sum += std::pow(load_s / most_s, power_);
  return most_s * std::pow(sum, 1 / power_);
}

std::string Norm::own_text() const {
  return std::isinf(power_) ? "Norm(power=infinity)" : fmt::format("Norm(power={})", power_);
}

}  // namespace plimsoll::balance
