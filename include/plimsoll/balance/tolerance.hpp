#pragma once

#include <string>

#include <plimsoll/balance/parameters.hpp>

namespace plimsoll::inline v0_1::balance {

/// The value of a parameter that is a greatest load to reach, as a multiple of the average. `owner` is the
/// strategy's name, for messages. Throws Error (usage) if it is below 1.
double tolerance_of(const std::string& owner, const Parameters& parameters,
                    const std::string& name = "tolerance");

}  // namespace plimsoll::balance
