#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include <plimsoll/collectives/pop.hpp>
#include <plimsoll/collectives/processor_use.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using Runs = std::vector<NumberList::Run>;

/// Ranks with the same cores, and their threads that call MPI.
struct Crowd {
  std::uint64_t ranks = 0;
  std::uint64_t threads = 0;
};
using Crowds = std::map<Runs, Crowd>;  ///< by cores

/// Returns whether ascending runs contain all numbers of others.
bool contain(const Runs& all, const Runs& some) {
  return std::ranges::all_of(some, [&](const NumberList::Run& run) {
    return std::ranges::any_of(all, [&](const NumberList::Run& other) {
      return other.contains(run.first) && other.contains(run.last);
    });
  });
}

std::uint64_t size_of(const Runs& runs) {
  std::uint64_t size = 0;
  for (const NumberList::Run& run : runs) size += run.size();
  return size;
}

/// Returns the numbers that some of the sets contain, in ascending order.
Runs union_of(const Crowds& crowds) {
  Runs sorted;
  for (const auto& [runs, ranks] : crowds) sorted.insert(sorted.end(), runs.begin(), runs.end());
  std::ranges::sort(sorted);
  Runs joined;
  for (const NumberList::Run& run : sorted)
    if (joined.empty() || run.first > joined.back().last + 1)
      joined.push_back(run);
    else
      joined.back().last = std::max(joined.back().last, run.last);
  return joined;
}

bool is_worse(const Oversubscription& one, const Oversubscription& other) {
  return one.threads * other.cores > other.threads * one.cores;
}

/// Returns the most crowded cores of a host. By Hall's theorem, threads can each have a separate core
/// if no set of cores is crowded; the sets here are those that schedulers make.
Oversubscription most_crowded(const std::string& host, const Crowds& crowds) {
  std::set<Runs> candidates = {union_of(crowds)};
  for (const auto& [cores, crowd] : crowds) candidates.insert(cores);
  Oversubscription worst = {.host = host, .ranks = 0, .threads = 0, .cores = 1};
  for (const Runs& cores : candidates) {
    Oversubscription found = {.host = host, .ranks = 0, .threads = 0, .cores = size_of(cores)};
    for (const auto& [some, crowd] : crowds)
      if (contain(cores, some)) {
        found.ranks += crowd.ranks;
        found.threads += crowd.threads;
      }
    if (is_worse(found, worst)) worst = found;
  }
  return worst;
}

/// Limits of the time outside MPI that ranks were ready to run, but had no core.
struct CoreWaits {
  double min_s = 0;
  double max_s = 0;

  void add(const MpiCalls::Rank& rank) {
    // Linux lets another thread have the core for a few ms, and for 0.1 s at most.
    constexpr double longest_interruption_s = 0.1;
    constexpr double unlimited_s = std::numeric_limits<double>::infinity();
    if (rank.core_wait_s && rank.threads == 1) {
      min_s += std::max(0.0, *rank.core_wait_s - rank.mpi_s);
      max_s += *rank.core_wait_s;
    } else {
      max_s += rank.involuntary_switches
                   ? longest_interruption_s * static_cast<double>(*rank.involuntary_switches)
                   : unlimited_s;
    }
  }
};

ProcessorUse::Cause cause_of(const ProcessorUse& use, const CoreWaits& waits) {
  using enum ProcessorUse::Cause;
  if (waits.max_s < 0.5 * use.off_s) return waiting;
  if (waits.min_s < 0.5 * use.off_s) return unknown;
  return use.oversubscription ? oversubscribed : interrupted;
}

}  // namespace

const char* to_string(ProcessorUse::Cause cause) {
  using enum ProcessorUse::Cause;
  constexpr support::Named<ProcessorUse::Cause> names[] = {{"oversubscribed", oversubscribed},
                                                           {"interrupted", interrupted},
                                                           {"waiting", waiting},
                                                           {"unknown", unknown}};
  return support::name_of(names, cause);
}

std::optional<double> off_processor_s(const MpiCalls::Rank& rank) {
  const std::optional<double> outside_s = useful_s(rank);
  if (!outside_s || !rank.user_s || !rank.system_s) return std::nullopt;
  return std::max(0.0, *outside_s * mpi_threads(rank) - *rank.user_s - *rank.system_s);
}

std::optional<Oversubscription> find_oversubscription(const MpiCalls& calls) {
  std::map<std::string, Crowds> hosts;
  for (const MpiCalls::Rank& rank : calls.ranks) {
    if (rank.host.empty() || rank.cores.empty()) return std::nullopt;
    Crowd& crowd = hosts[rank.host][std::vector(rank.cores.runs().begin(), rank.cores.runs().end())];
    ++crowd.ranks;
    crowd.threads += std::max(1U, rank.threads.value_or(1));
  }
  std::optional<Oversubscription> worst;
  for (const auto& [host, crowds] : hosts) {
    const Oversubscription found = most_crowded(host, crowds);
    if (found.threads > found.cores && (!worst || is_worse(found, *worst))) worst = found;
  }
  return worst;
}

ProcessorUse processor_use(const MpiCalls& calls) {
  ProcessorUse use;
  CoreWaits waits;
  for (const MpiCalls::Rank& rank : calls.ranks) {
    const double waited_s = rank.waited_s.value_or(0) / mpi_threads(rank);
    use.without_core_s += std::max(0.0, rank.core_wait_s.value_or(0) - waited_s);
    const std::optional<double> off_s = off_processor_s(rank);
    if (!off_s) continue;
    use.off_s += *off_s;
    use.outside_s += *useful_s(rank) * mpi_threads(rank);
    if (*off_s > 0) waits.add(rank);
  }
  use.oversubscription = find_oversubscription(calls);
  use.cause = cause_of(use, waits);
  return use;
}

}  // namespace plimsoll::collectives
