#pragma once

#include <plimsoll/pelayout/study.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::inline v0_1::cli {

/// The models as a list: their points, their fits, and what is odd about them.
void write_models(support::JsonWriter& json, const pelayout::Study& study);

}  // namespace plimsoll::cli
