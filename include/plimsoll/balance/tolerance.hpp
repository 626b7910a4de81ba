#pragma once

#include <string>

#include <plimsoll/balance/parameters.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns the value of a parameter that is a target maximum load relative to the average. `owner` is the
/// strategy's name, for messages. Throws Error (usage) if the value is below 1.
double tolerance_of(const std::string& owner, const Parameters& parameters,
                    const std::string& name = "tolerance");

}  // namespace plimsoll::balance
