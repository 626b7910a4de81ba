#pragma once

#include <string>
#include <vector>

#include <plimsoll/pelayout/submission_run.hpp>

namespace plimsoll::inline v0_1::cli {

/// What to do about a case whose folder cannot be used.
constexpr const char* how_to_purge = "use --force_purge to delete it and start over";

/// The commands as a shell has them; comments tell the cases apart.
std::string text(const std::vector<pelayout::CasePreview>& previews);
/// `next` is what to do when the jobs have ended.
std::string json_text(const std::vector<pelayout::CasePreview>& previews, const std::string& next);

std::string text(const pelayout::CaseTally& counts, const std::string& next);
std::string json_text(const std::vector<pelayout::CasePlan>& plans,
                      const std::vector<pelayout::CaseReport>& reports, const std::string& next);

}  // namespace plimsoll::cli
