#pragma once

#include <plimsoll/lbdata/generator.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Throws Error (usage) if the options contradict each other or cannot be represented.
void check(const GenerateOptions& options);

}  // namespace plimsoll::lbdata
