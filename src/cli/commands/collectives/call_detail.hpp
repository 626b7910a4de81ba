#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/collectives/calls.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats all details of the call as text.
std::string call_text(const collectives::CallDetail& detail,
                      const std::vector<collectives::LeadPatterns>& patterns);
}  // namespace plimsoll::cli
