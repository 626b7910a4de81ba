#pragma once

#include <string>

#include <plimsoll/collectives/comparison.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats the comparison of the data of two runs. The last lines contain the first difference.
std::string content_text(const collectives::ContentComparison& comparison);

/// Writes the comparison as a JSON object.
void write_contents(support::JsonWriter& json, const collectives::ContentComparison& comparison);

}  // namespace plimsoll::cli
