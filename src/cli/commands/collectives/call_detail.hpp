#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::inline v0_1::cli {

/// All that is known of a call, for people.
std::string call_text(const collectives::CallDetail& detail,
                      const std::vector<collectives::LeadPatterns>& patterns);
/// The same as JSON (docs/json.md).
std::string call_json(const collectives::CallDetail& detail);

/// What a call shares with others in a row, into an open object.
void write_call(support::JsonWriter& json, const collectives::CallRun& run);

}  // namespace plimsoll::cli
