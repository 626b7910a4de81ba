#pragma once

#include <span>
#include <string>
#include <vector>

#include <plimsoll/pelayout/study.hpp>
#include <plimsoll/support/diagnostic.hpp>

namespace plimsoll::inline v0_1::cli {

/// Formats the result as one JSON object (docs/reference/json-output.md). `warnings`: about the data;
/// `outputs`: the files written.
std::string study_json(const pelayout::Study& study, std::span<const Diagnostic> warnings,
                       const std::vector<std::string>& outputs);

}  // namespace plimsoll::cli
