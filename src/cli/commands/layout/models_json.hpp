#pragma once

#include <plimsoll/pelayout/study.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Writes the models as a list: their points, fits and warnings.
void write_models(support::JsonWriter& json, const pelayout::Study& study);

}  // namespace plimsoll::cli
