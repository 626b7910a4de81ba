#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <plimsoll/pelayout/submission_run.hpp>

namespace plimsoll::cli {

/// What a dry run shows of a case.
struct Preview {
  const pelayout::CasePlan* plan;
  pelayout::CaseProgress progress;
  bool purges = false;  ///< what is there would be removed first

  /// The first command that would be run.
  std::size_t first_command() const;
};

/// Looks at a case; changes nothing.
Preview preview(const pelayout::CasePlan& plan, bool force_purge);
/// The commands as a shell has them; comments tell the cases apart.
std::string text(const std::vector<Preview>& previews);
/// `next` is what to do when the jobs have ended.
std::string json_text(const std::vector<Preview>& previews, const std::string& next);

/// How many cases came to which end.
struct Tally {
  std::size_t submitted = 0, skipped = 0, failed = 0;
};

Tally tally(const std::vector<pelayout::CaseReport>& reports);
std::string text(const Tally& counts, const std::string& next);
std::string json_text(const std::vector<pelayout::CasePlan>& plans,
                      const std::vector<pelayout::CaseReport>& reports, const std::string& next);

}  // namespace plimsoll::cli
