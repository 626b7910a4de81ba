#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include <plimsoll/balance/load_models.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/support/error.hpp>
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

namespace {

// Parses a list such as "[2, 1]".
std::vector<std::uint32_t> parse_list(const std::string& text) {
  const auto fail = [&] {
    return invalid_parameter("SelectSubphases", "subphases", text, "use a list such as [2, 1]");
  };
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') throw fail();
  std::vector<std::uint32_t> list;
  std::string_view rest = std::string_view(text).substr(1, text.size() - 2);
  const auto skip_blanks = [&] {
    while (support::take(rest, " ")) {
    }
  };
  for (bool more = true; more;) {
    skip_blanks();
    if (!support::take_number(rest, list.emplace_back())) throw fail();
    skip_blanks();
    more = !rest.empty();
    if (more && !support::take(rest, ",")) throw fail();
  }
  return list;
}

}  // namespace

LoadModelInfo SelectSubphases::info() {
  return {.name = "SelectSubphases",
          .help = "sums selected subphases and ignores all others",
          .parameters = {{"subphases", std::string("[0]"), "subphase IDs; an ID may be repeated"}},
          .example = "SelectSubphases(subphases=[2, 1])",
          .make = [](LoadModelPtr base, const Parameters& parameters) {
            return std::make_shared<SelectSubphases>(std::move(base),
                                                     parse_list(parameters.get<std::string>("subphases")));
          }};
}

SelectSubphases::SelectSubphases(LoadModelPtr base, std::vector<std::uint32_t> subphases)
    : ComposedModel(std::move(base)), subphases_(std::move(subphases)) {
  constexpr std::uint32_t limit = 65535;
  for (const std::uint32_t subphase : subphases_)
    if (subphase >= limit)
      throw support::usage_error(fmt::format("invalid subphase {} of SelectSubphases", subphase),
                                 "use 0 to 65534");
}

double SelectSubphases::load_s(ObjectIndex object, PhaseOffset when) const {
  if (!when.is_whole())
    return when.subphase < subphases_.size() ? base().load_s(object, when.of(subphases_[when.subphase])) : 0;
  double sum = 0;
  for (const std::uint32_t subphase : subphases_) sum += base().load_s(object, when.of(subphase));
  return sum;
}

double SelectSubphases::raw_load_s(ObjectIndex object, PhaseOffset when) const {
  if (when.is_whole()) return base().raw_load_s(object, when);
  return when.subphase < subphases_.size() ? base().raw_load_s(object, when.of(subphases_[when.subphase]))
                                           : 0;
}

std::string SelectSubphases::own_text() const {
  return fmt::format("SelectSubphases(subphases=[{}])", fmt::join(subphases_, ", "));
}

}  // namespace plimsoll::balance
