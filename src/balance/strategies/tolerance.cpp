#include <fmt/format.h>

#include <plimsoll/balance/tolerance.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::balance {

double tolerance_of(const std::string& owner, const Parameters& parameters, const std::string& name) {
  const auto tolerance = parameters.get<double>(name);
  if (!(tolerance >= 1))
    throw support::usage_error(
        fmt::format("invalid value {} for parameter \"{}\" of {}", tolerance, name, owner),
        "use 1 or more: the maximum load cannot be below the average");
  return tolerance;
}

}  // namespace plimsoll::balance
