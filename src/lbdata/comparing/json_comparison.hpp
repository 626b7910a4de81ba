#pragma once

#include <string_view>

#include "lbdata/comparing/difference_list.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Compares two JSON objects by value: users' data, whose field at the place of `differences` is `field`. The
/// order of members has no effect; absent (empty) text equals an empty object. Texts that simdjson rejects,
/// e.g. because of integers beyond 64 bits, are compared as texts.
void compare_json(const std::string& field, std::string_view first, std::string_view second,
                  DifferenceList& differences);

}  // namespace plimsoll::lbdata
