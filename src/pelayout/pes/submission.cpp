#include <plimsoll/pelayout/submission.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::pelayout {

std::vector<std::pair<std::string, std::string>> parse_extra_options(std::string_view, const std::string&) {
  throw support::usage_error("unfinished");
}
std::vector<CasePlan> plan_submission(const PesFile&, const SubmissionOptions&) {
  throw support::usage_error("unfinished");
}

}  // namespace plimsoll::pelayout
