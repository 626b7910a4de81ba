#include <algorithm>
#include <utility>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::collectives {

Lead& lead_of(Profile& profile, std::uint64_t job, std::uint32_t rank) {
  const auto key = [](const Lead& lead) { return std::pair(lead.job, lead.rank); };
  const auto place = std::ranges::lower_bound(profile.leads, std::pair(job, rank), {}, key);
  if (place != profile.leads.end() && key(*place) == std::pair(job, rank)) return *place;
  Lead lead;
  lead.job = job;
  lead.rank = rank;
  return *profile.leads.insert(place, std::move(lead));
}

}  // namespace plimsoll::collectives
