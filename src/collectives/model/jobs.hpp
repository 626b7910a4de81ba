#pragma once

#include <cstdint>
#include <set>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the jobs of a profile; 0 if it has no leads.
inline std::set<std::uint64_t> jobs_of(const Profile& profile) {
  std::set<std::uint64_t> jobs;
  for (const Lead& lead : profile.leads) jobs.insert(lead.job);
  if (jobs.empty()) jobs.insert(0);
  return jobs;
}

}  // namespace plimsoll::collectives
