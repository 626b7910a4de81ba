#include <algorithm>
#include <numeric>
#include <unordered_map>

#include <plimsoll/collectives/internal/frame_names.hpp>
#include <plimsoll/collectives/internal/program_calls.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

double seconds(std::uint64_t ns) {
  return 1e-9 * static_cast<double>(ns);
}

/// Whether the waiting in all successful calls is known.
bool is_known(const SiteSums& calls, const MeasuredWaits& waits) {
  return waits.calls > 0 && waits.calls + calls.failed_calls >= calls.calls;
}

/// Returns the values of a process, without its time in MPI.
MpiCalls::Rank process_of(const RankCalls& calls) {
  const auto& [wall_ns, threads, processors, peak_memory_bytes] = calls.process;
  return {.host = calls.host,
          .wall_s = seconds(wall_ns),
          .threads = threads,
          .user_s = processors.user_s,
          .system_s = processors.system_s,
          .voluntary_switches = processors.voluntary_switches,
          .involuntary_switches = processors.involuntary_switches,
          .core_wait_s = processors.core_wait_s,
          .cores = NumberList::parse(calls.cores).value_or(NumberList()),
          .peak_memory_bytes = peak_memory_bytes};
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

void ProgramCalls::add_rank(const RankCalls& calls) {
  const auto rank = static_cast<std::uint32_t>(calls_.ranks.size());
  MpiCalls::Rank& totals = calls_.ranks.emplace_back(process_of(calls));
  std::map<Place, RankSite> places;  // two addresses may be one place if a library was loaded twice
  for (const RankCalls::Site& site : calls.sites) {
    const std::string& name = calls.functions[site.function];
    RankSite& place = places[{name, calls.modules[site.module], site.offset}];
    place.sums.add(site.sums);
    place.waits.add(site.waits);
    MpiCalls::Function& function = functions_[name];
    function.calls.resize(ranks_);
    function.time_s.resize(ranks_);
    function.calls[rank] += site.sums.calls;
    function.time_s[rank] += seconds(site.sums.time_ns);
    totals.mpi_s += seconds(site.sums.time_ns);
  }
  double waited_s = 0;
  for (const auto& [place, of_rank] : places) {
    Site& site = sites_[place];
    site.sums.add(of_rank.sums);
    site.waits.add(of_rank.waits);
    add_rank_time(seconds(of_rank.sums.time_ns), rank, site.by_rank);
    waited_s += seconds(of_rank.waits.waited_ns);
  }
  totals.waited_s = waited_s;
  for (const RankCalls::Messages& messages : calls.messages) {
    traffic_[messages.sent ? std::pair(rank, messages.peer) : std::pair(messages.peer, rank)].add(
        messages.sums);
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
  FrameNames names;
  for (const auto& [place, site] : sites_) {
    MpiCalls::Site& sum = sums.sites.emplace_back(site.by_rank);
    sum.function = numbers.at(place.function);
    sum.location = names.describe(place.module, place.offset);
    sum.calls = site.sums.calls;
    sum.failed_calls = site.sums.failed_calls;
    sum.sent_bytes = site.sums.sent_bytes;
    sum.received_bytes = site.sums.received_bytes;
    sum.time_s = seconds(site.sums.time_ns);
    sum.longest_call_s = seconds(site.sums.longest_call_ns);
    if (is_known(site.sums, site.waits)) sum.waited_s = seconds(site.waits.waited_ns);
  }
  std::ranges::stable_sort(sums.sites, std::greater{}, &MpiCalls::Site::time_s);
  for (const auto& [pair, messages] : traffic_)
    sums.traffic.push_back({pair.first, pair.second, messages.messages, messages.bytes});
  return sums;
}

}  // namespace plimsoll::collectives
