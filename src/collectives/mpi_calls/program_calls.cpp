#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include <plimsoll/collectives/internal/program_calls.hpp>
#include <plimsoll/collectives/pop.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

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
          .instructions = processors.instructions,
          .cycles = processors.cycles,
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

std::vector<MpiCalls::SizeClass> used_classes(const SizeClasses& sizes) {
  std::vector<MpiCalls::SizeClass> used;
  for (std::size_t number = 0; number < SizeClasses::classes; ++number) {
    const auto& [calls, time_ns] = sizes[number];
    if (calls == 0) continue;
    MpiCalls::SizeClass& of_size = used.emplace_back();
    if (number > 0) of_size.min_bytes = SizeClasses::max_bytes(number - 1) + 1;
    if (number + 1 < SizeClasses::classes) of_size.max_bytes = SizeClasses::max_bytes(number);
    of_size.calls = calls;
    of_size.time_s = seconds(time_ns);
  }
  return used;
}

/// Sorts sites in descending order of their time.
void sort_by_time(std::vector<MpiCalls::Site>& sites) {
  std::vector<std::uint32_t> order(sites.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater(), [&](std::uint32_t site) { return sites[site].time_s; });
  std::vector<std::uint32_t> numbers(sites.size());
  std::vector<MpiCalls::Site> sorted;
  for (const std::uint32_t site : order) {
    numbers[site] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(std::move(sites[site]));
  }
  for (MpiCalls::Site& site : sorted)
    if (site.work_before && site.work_before->previous_site)
      site.work_before->previous_site = numbers[*site.work_before->previous_site];
  sites = std::move(sorted);
}

}  // namespace

void ProgramCalls::Work::add(const Work& other) {
  if (other.after_previous_s > after_previous_s) {
    previous = other.previous;
    after_previous_s = other.after_previous_s;
  }
  time_s += other.time_s;
}

std::map<ProgramCalls::Call, ProgramCalls::RankSite> ProgramCalls::sites_of(const RankCalls& calls) {
  const auto call_of = [&](const RankCalls::Site& site) {
    return Call{calls.functions[site.function],
                code_places_.number_of({calls.modules[site.module], site.offset})};
  };
  const double threads = std::max(1U, calls.process.threads.value_or(1));
  std::map<Call, RankSite> sites;
  for (const RankCalls::Site& site : calls.sites) {
    RankSite& of_rank = sites[call_of(site)];
    of_rank.sums.add(site.sums);
    of_rank.waits.add(site.waits);
    Work work = {.time_s = seconds(site.sums.outside_ns) / threads,
                 .previous = {},
                 .after_previous_s = seconds(site.after_previous_ns) / threads};
    if (site.previous != RankCalls::no_site) work.previous = call_of(calls.sites[site.previous]);
    of_rank.work.add(work);
  }
  return sites;
}

void ProgramCalls::add_rank(const RankCalls& calls) {
  // 2 GB: far more than programs need, but files of ranks may claim any numbers of functions and ranks.
  constexpr std::size_t max_values = std::size_t{1} << 27;
  const auto rank = static_cast<std::uint32_t>(calls_.ranks.size());
  MpiCalls::Rank& totals = calls_.ranks.emplace_back(process_of(calls));
  for (const RankCalls::Site& site : calls.sites) {
    MpiCalls::Function& function = functions_[calls.functions[site.function]];
    if (functions_.size() * ranks_ > max_values)
      throw support::bad_input(
          fmt::format("too many MPI calls to add up: ranks {}, functions {}", ranks_, functions_.size()));
    function.calls.resize(ranks_);
    function.time_s.resize(ranks_);
    function.calls[rank] += site.sums.calls;
    function.time_s[rank] += seconds(site.sums.time_ns);
    totals.mpi_s += seconds(site.sums.time_ns);
  }
  for (const auto& [function, sums] : calls.of_functions) sizes_[calls.functions[function]].add(sums.sizes);
  const std::map<Call, RankSite> sites = sites_of(calls);
  double waited_s = 0;
  bool is_measured = false;
  bool is_unknown = false;
  for (const auto& [call, of_rank] : sites) {
    Site& site = sites_[call];
    site.sums.add(of_rank.sums);
    site.waits.add(of_rank.waits);
    site.work_s += of_rank.work.time_s;
    add_rank_time(seconds(of_rank.sums.time_ns), rank, site.by_rank);
    waited_s += seconds(of_rank.waits.waited_ns);
    if (!may_wait(call.function)) continue;
    const bool all = of_rank.waits.are_all_of(of_rank.sums.calls, of_rank.sums.failed_calls);
    is_measured = is_measured || all || of_rank.waits.waited_ns > 0;
    is_unknown = is_unknown || !all;
  }
  if (is_measured || !is_unknown) totals.waited_s = waited_s;
  if (const double outside_s = useful_s(totals).value_or(0); outside_s > busiest_s_) {
    busiest_s_ = outside_s;
    for (auto& [call, site] : sites_) site.busiest_work = {};
    for (const auto& [call, of_rank] : sites) sites_[call].busiest_work = of_rank.work;
  }
  parts_.add_rank(calls);
  for (const CallsOfStack& stack : calls.callers) callers_.add(stack, calls, code_places_);
  for (const RankCalls::Messages& messages : calls.messages) {
    traffic_[messages.sent ? std::pair(rank, messages.peer) : std::pair(messages.peer, rank)].add(
        messages.sums);
  }
}

MpiCalls ProgramCalls::sums() const {
  constexpr double most = 0.9;  // as in WorkBefore
  MpiCalls sums = calls_;
  sums.regions = parts_.regions();
  sums.windows = parts_.windows();
  std::unordered_map<std::string, std::uint32_t> numbers;
  for (const auto& [name, function] : functions_) {
    numbers[name] = static_cast<std::uint32_t>(sums.functions.size());
    MpiCalls::Function& sum = sums.functions.emplace_back(function);
    sum.name = name;
    if (const auto sizes = sizes_.find(name); sizes != sizes_.end()) sum.sizes = used_classes(sizes->second);
    sum.window_times_s = parts_.window_times_s(name, sums.windows);
  }
  std::map<Call, std::uint32_t> numbers_of_sites;
  for (const auto& [call, site] : sites_)
    numbers_of_sites.emplace(call, static_cast<std::uint32_t>(numbers_of_sites.size()));
  for (const auto& [call, site] : sites_) {
    MpiCalls::Site& sum = sums.sites.emplace_back(site.by_rank);
    sum.function = numbers.at(call.function);
    sum.location = code_places_.location(call.place);
    sum.calls = site.sums.calls;
    sum.failed_calls = site.sums.failed_calls;
    sum.sent_bytes = site.sums.sent_bytes;
    sum.received_bytes = site.sums.received_bytes;
    sum.time_s = seconds(site.sums.time_ns);
    sum.longest_call_s = seconds(site.sums.longest_call_ns);
    if (site.waits.are_all_of(site.sums.calls, site.sums.failed_calls))
      sum.waited_s = seconds(site.waits.waited_ns);
    sum.callers = callers_.of(call.function, call.place, code_places_);
    const Work& busiest = site.busiest_work;
    sum.work_before = {.sum_s = site.work_s, .busiest_s = busiest.time_s};
    if (busiest.previous && busiest.after_previous_s >= most * busiest.time_s)
      sum.work_before->previous_site = numbers_of_sites.at(*busiest.previous);
  }
  sort_by_time(sums.sites);
  for (const auto& [pair, messages] : traffic_)
    sums.traffic.push_back({pair.first, pair.second, messages.messages, messages.bytes});
  return sums;
}

}  // namespace plimsoll::collectives
