#include <plimsoll/balance/parameters.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

double tolerance_of(const std::string& owner, const Parameters& parameters, const std::string& name) {
  const auto tolerance = parameters.get<double>(name);
  if (!(tolerance >= 1))
    throw invalid_parameter(owner, name, tolerance,
                            "use 1 or more: the maximum load cannot be below the average");
  return tolerance;
}

}  // namespace plimsoll::balance
