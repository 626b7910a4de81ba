#pragma once

#include <span>
#include <string>
#include <vector>

#include <plimsoll/pelayout/study.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats the result as one JSON object (docs/reference/json-output.md). `warnings` are about the data;
/// `outputs` are the files that were written.
std::string study_json(const pelayout::Study& study, std::span<const Diagnostic> warnings,
                       const std::vector<std::string>& outputs);

}  // namespace plimsoll::cli
