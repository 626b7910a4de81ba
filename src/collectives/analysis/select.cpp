#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/collectives/traffic.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

void keep_lead(Profile& profile, std::uint32_t rank) {
  std::vector<std::uint32_t> others;
  for (const Lead& lead : profile.leads)
    if (others.empty() || others.back() != lead.rank) others.push_back(lead.rank);
  std::erase_if(profile.leads, [&](const Lead& lead) { return lead.rank != rank; });
  if (profile.leads.empty())
    throw support::usage_error(fmt::format("rank {} is not a lead rank in this profile", rank),
                               fmt::format("use a lead rank: {}", fmt::join(others, ", ")));
}

void keep_operation(Profile& profile, Operation operation) {
  const auto is_other = [&](const auto& item) { return !(item.operation == operation); };
  std::erase_if(profile.failed_calls, is_other);
  bool any = false;
  for (Lead& lead : profile.leads) {
    std::erase_if(lead.signatures, is_other);
    std::erase_if(lead.displacements, is_other);
    for (Communicator& communicator : lead.communicators) std::erase_if(communicator.calls, is_other);
    for (auto* values : {&lead.execution_s, &lead.late_arrival_s, &lead.begin_s})
      std::erase_if(*values, is_other);
    std::erase_if(lead.hashes, is_other);
    std::erase_if(lead.backtraces, is_other);
    for (std::size_t k = 0; k < lead.total_calls.size(); ++k)
      if (k != operation.index()) lead.total_calls[k] = 0;
    any = any || !lead.signatures.empty() || !lead.execution_s.empty() || !lead.late_arrival_s.empty() ||
          !lead.hashes.empty() || !lead.backtraces.empty();
  }
  if (!any) throw support::usage_error(fmt::format("no calls of {} in this profile", operation.name()));
}

}  // namespace

Profile select(Profile profile, const Selection& selection) {
  if (selection.lead) {
    profile.world_size = known_world_size(profile);  // cannot be derived from the remaining leads
    keep_lead(profile, *selection.lead);
  }
  if (!selection.operation.empty()) keep_operation(profile, operation_named(selection.operation));
  return profile;
}

}  // namespace plimsoll::collectives
