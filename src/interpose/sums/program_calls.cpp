#include "interpose/sums/program_calls.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include <plimsoll/collectives/internal/frame_names.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::MpiCalls;

namespace {

const char* name_of(Function function) {
  return function_names[static_cast<std::size_t>(function)];
}

double seconds(std::uint64_t ns) {
  return 1e-9 * static_cast<double>(ns);
}

/// Returns the sum over ranks.
template <class RankTimes>
double beyond_fastest_s(const RankTimes& ranks) {
  double sum_s = 0;
  for (const auto& rank : ranks) sum_s += rank.beyond_fastest_s;
  return sum_s;
}

bool is_blocking_collective(Function function) {
  return collectives::purpose_of(name_of(function)) == collectives::MpiPurpose::collective;
}

/// Adds a rank's time at a site.
void add_rank_time(double time_s, std::uint32_t rank, MpiCalls::Site& site) {
  if (site.ranks == 0 || time_s > site.max_time_s) {
    site.max_time_s = time_s;
    site.slowest_rank = rank;
  }
  if (site.ranks == 0 || time_s < site.min_time_s) {
    site.min_time_s = time_s;
    site.fastest_rank = rank;
  }
  ++site.ranks;
}

}  // namespace

void CallComparison::add_rank(std::uint32_t rank, const SiteSums& calls) {
  if (!comparable_) return;
  if (ranks_.empty()) {
    calls_ = calls.calls;
    least_ns_.assign(calls.samples.size(calls.calls), UINT64_MAX);
  }
  comparable_ = calls.sampled_in_order && calls.calls == calls_;
  if (!comparable_) {
    ranks_ = {};
    return;
  }
  Times& times = ranks_.emplace_back(Times{.rank = rank, .all_ns = calls.time_ns});
  for (std::size_t k = 0; k < least_ns_.size(); ++k) {
    least_ns_[k] = std::min(least_ns_[k], calls.samples[k]);
    times.sampled_ns += calls.samples[k];
  }
}

// Two estimates: from the sampled calls, and from the sums, which include rare long waits that the samples
// may miss. The sums are lower if another rank is late in each call.
std::optional<std::vector<CallComparison::RankTime>> CallComparison::beyond_fastest() const {
  if (!comparable_) return std::nullopt;
  const std::uint64_t least_sampled_ns =
      std::accumulate(least_ns_.begin(), least_ns_.end(), std::uint64_t{0});
  std::uint64_t least_ns = UINT64_MAX;
  double all_ns = 0;
  double sampled_ns = 0;
  for (const Times& rank : ranks_) {
    least_ns = std::min(least_ns, rank.all_ns);
    all_ns += static_cast<double>(rank.all_ns);
    sampled_ns += static_cast<double>(rank.sampled_ns);
  }
  const double calls_per_sample = sampled_ns > 0 ? all_ns / sampled_ns : 0;
  std::vector<RankTime> from_samples;
  std::vector<RankTime> from_sums;
  for (const Times& rank : ranks_) {
    const auto beyond_ns = static_cast<double>(rank.sampled_ns - least_sampled_ns);
    from_samples.push_back({rank.rank, 1e-9 * calls_per_sample * beyond_ns});
    from_sums.push_back({rank.rank, seconds(rank.all_ns - least_ns)});
  }
  return beyond_fastest_s(from_samples) > beyond_fastest_s(from_sums) ? from_samples : from_sums;
}

void ProgramCalls::add_rank(const RankCalls& calls) {
  const auto rank = static_cast<std::uint32_t>(calls_.ranks.size());
  MpiCalls::Rank& totals = calls_.ranks.emplace_back();
  totals.host = calls.host;
  totals.wall_s = seconds(calls.wall_ns);
  std::map<Place, SiteSums> places;  // two addresses may be one place if a library was loaded twice
  for (const RankCalls::Site& site : calls.sites) {
    places[{site.function, calls.modules[site.module], site.offset}].add(site.sums);
    MpiCalls::Function& function = functions_[name_of(site.function)];
    function.calls.resize(ranks_);
    function.time_s.resize(ranks_);
    function.calls[rank] += site.sums.calls;
    function.time_s[rank] += seconds(site.sums.time_ns);
    totals.mpi_s += seconds(site.sums.time_ns);
  }
  for (const auto& [place, sums] : places) {
    const auto [found, is_new] = sites_.try_emplace(place);
    Site& site = found->second;
    if (is_new && is_blocking_collective(place.function)) site.comparison.emplace();
    site.sums.add(sums);
    if (site.comparison) site.comparison->add_rank(rank, sums);
    add_rank_time(seconds(sums.time_ns), rank, site.by_rank);
  }
  for (const RankCalls::Messages& messages : calls.messages) {
    const bool sent = messages.direction == Direction::to_peer;
    traffic_[sent ? std::pair(rank, messages.peer) : std::pair(messages.peer, rank)].add(messages.sums);
  }
}

MpiCalls ProgramCalls::sums() const {
  MpiCalls sums = calls_;
  std::unordered_map<std::string, std::uint32_t> numbers;
  for (const auto& [name, function] : functions_) {
    numbers[name] = static_cast<std::uint32_t>(sums.functions.size());
    sums.functions.push_back(function);
    sums.functions.back().name = name;
  }
  for (MpiCalls::Rank& rank : sums.ranks) rank.beyond_fastest_s = 0;
  collectives::FrameNames names;
  for (const auto& [place, site] : sites_) {
    MpiCalls::Site& sum = sums.sites.emplace_back(site.by_rank);
    sum.function = numbers.at(name_of(place.function));
    sum.location = names.describe(place.module, place.offset);
    sum.calls = site.sums.calls;
    sum.failed_calls = site.sums.failed_calls;
    sum.sent_bytes = site.sums.sent_bytes;
    sum.received_bytes = site.sums.received_bytes;
    sum.time_s = seconds(site.sums.time_ns);
    sum.longest_call_s = seconds(site.sums.longest_call_ns);
    if (!site.comparison) continue;
    const auto beyond = site.comparison->beyond_fastest();
    if (!beyond) continue;
    sum.beyond_fastest_s = beyond_fastest_s(*beyond);
    for (const auto& [rank, time_s] : *beyond) *sums.ranks[rank].beyond_fastest_s += time_s;
  }
  std::ranges::stable_sort(sums.sites, std::greater{}, &MpiCalls::Site::time_s);
  for (const auto& [pair, messages] : traffic_)
    sums.traffic.push_back({pair.first, pair.second, messages.messages, messages.bytes});
  return sums;
}

}  // namespace plimsoll::interpose
