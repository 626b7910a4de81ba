#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats all details of the call as text.
std::string call_text(const collectives::CallDetail& detail,
                      const std::vector<collectives::LeadPatterns>& patterns);
/// Formats all details of the call as JSON (docs/reference/json-output.md).
std::string call_json(const collectives::CallDetail& detail);

/// Writes the common values of consecutive equal calls to an open object.
void write_call(support::JsonWriter& json, const collectives::CallRun& run);

}  // namespace plimsoll::cli
