#include <algorithm>
#include <utility>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

std::uint32_t peers(const Signature& signature, std::uint32_t remote_size) {
  std::uint32_t columns = 0;
  for (const Direction direction : {Direction::send, Direction::recv})
    if (!has_one_count(signature, direction))
      columns = std::max(columns, side_of(signature, direction).matrix.columns);
  if (columns > 0) return columns;
  return remote_size > 0 ? remote_size : signature.comm_size;
}

bool is_counted_elsewhere(const Profile& profile, const Lead& lead, const Communicator& communicator) {
  if (communicator.members.empty() || communicator.remote_members.empty()) return false;
  if (communicator.members.min() < communicator.remote_members.min()) return false;
  return std::ranges::binary_search(
      profile.leads, std::pair(lead.job, communicator.remote_members.front()), {},
      [](const Lead& other) { return std::pair(other.job, std::uint64_t{other.rank}); });
}

std::uint64_t recorded_calls(const Profile& profile) {
  std::uint64_t calls = 0;
  for (const Lead& lead : profile.leads) {
    for (const Signature& signature : lead.signatures) calls += signature.calls.size();
    if (lead.signatures.empty()) continue;
    for (const Communicator& communicator : lead.communicators)
      if (is_counted_elsewhere(profile, lead, communicator))
        for (const Communicator::Calls& counted : communicator.calls)
          calls -= std::min(calls, counted.ids.size());
  }
  return calls;
}

void expect_counts(const Profile& profile) {
  if (std::ranges::all_of(profile.leads, [](const Lead& lead) { return lead.signatures.empty(); }))
    throw support::bad_input("the profile contains no counts", {},
                             "use the counts of the same run, or record them (--record counts)");
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
