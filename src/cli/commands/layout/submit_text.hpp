#pragma once

#include <string>
#include <vector>

#include <plimsoll/pelayout/submission.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Hint for a case whose directory cannot be used.
constexpr const char* how_to_purge = "use --force_purge to delete it and start over";

/// Formats the commands as a shell script; comments separate the cases.
std::string text(const std::vector<pelayout::CasePreview>& previews);
/// Formats the cases as JSON. `next` is the command to run when the jobs have ended.
std::string json_text(const std::vector<pelayout::CasePreview>& previews, const std::string& next);

std::string text(const pelayout::CaseTally& counts, const std::string& next);
std::string json_text(const std::vector<pelayout::CasePlan>& plans,
                      const std::vector<pelayout::CaseReport>& reports, const std::string& next);

}  // namespace plimsoll::cli
