#include <algorithm>
#include <utility>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::inline v0_1::collectives {

std::uint32_t peers(const Signature& signature) {
  std::uint32_t columns = 0;
  for (const Direction direction : {Direction::send, Direction::recv})
    if (!has_one_count(signature, direction))
      columns = std::max(columns, side_of(signature, direction).matrix.columns);
  return columns > 0 ? columns : signature.comm_size;
}

std::uint64_t recorded_calls(const Profile& profile) {
  std::uint64_t calls = 0;
  for (const Lead& lead : profile.leads)
    for (const Signature& signature : lead.signatures) calls += signature.calls.size();
  return calls;
}

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
