#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/pelayout/study.hpp>

// Numbers and words in which a study is printed.

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Formats a number such as "5", "27.4", "9.89" or "0.0383": with three significant digits, or all digits
/// before the decimal point, and with thousands separators.
std::string figure(double number);
/// Formats one of several costs that are shown together. The maximum determines the number of decimals of
/// all.
std::string cost_figure(double cost, double maximum);
/// Formats a count with a unit: "1 task", "1,234 tasks".
std::string counted(std::int64_t number, const std::string& what);
/// Joins words: "ATM, ICE and OCN".
std::string enumeration(const std::vector<std::string>& words);

/// Returns the unit of totals: "processor" or "task".
const char* processor_of(const Study& study);
/// Returns the total of the solution: a kept layout has its own.
std::int64_t total_of(const Study& study);
/// Returns the unit of times: "s/day".
const char* unit_of(const Study& study);
/// Describes the measured range if the component's count lies outside: "up to 512".
std::string where_measured(const Study& study, const Place& place);

}  // namespace plimsoll::pelayout
