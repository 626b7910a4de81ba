#include <algorithm>
#include <functional>
#include <set>
#include <string_view>

#include <plimsoll/collectives/internal/frame_names.hpp>
#include <plimsoll/collectives/internal/python_code.hpp>
#include <plimsoll/collectives/mpi_summary.hpp>
#include <plimsoll/support/imbalance.hpp>

#include "collectives/analysis/typed_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

std::optional<double> waited(const MpiCalls::Site& site, const std::string& function) {
  return may_wait(function) ? site.waited_s : 0;
}

std::string name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// Returns the mark at the end of a location, or "".
std::string mark_of(const std::string& location) {
  for (const char* const mark : {line_of_function_mark, line_of_several_calls_mark})
    if (location.ends_with(mark)) return mark;
  return "";
}

/// The parts of a location: MODULE(FUNCTION+0xOFFSET) [0xADDRESS] FILE:LINE. All but MODULE and ADDRESS may
/// be missing. Names of files may contain text that looks like another part.
struct LocationParts {
  std::string module;
  std::string function;  ///< with offset
  std::string source;    ///< with mark
};

/// Returns the position of " [0xADDRESS]", which follows the function if one is known.
std::size_t address_in(const std::string& location) {
  for (std::size_t end = 0; (end = location.find(") [0x", end)) != std::string::npos; ++end) {
    const std::size_t before_digits = location.find_last_not_of("0123456789abcdef", end - 1);
    if (before_digits != std::string::npos &&
        std::string_view(location).substr(0, before_digits + 1).ends_with("+0x"))
      return end + 1;
  }
  return location.rfind(" [0x");
}

/// Returns the position of the parenthesis that one at `closing` closes; npos if none does.
std::size_t opening_parenthesis(const std::string& text, std::size_t closing) {
  int depth = 0;
  for (std::size_t k = closing; k-- > 0;) {
    if (text[k] == ')') ++depth;
    if (text[k] == '(' && depth-- == 0) return k;
  }
  return std::string::npos;
}

LocationParts parts_of(const std::string& location) {
  const std::size_t address = address_in(location);
  if (address == std::string::npos) return {.module = location, .function = {}, .source = {}};
  LocationParts parts = {.module = location.substr(0, address), .function = {}, .source = {}};
  if (parts.module.ends_with(')')) {
    const std::size_t closing = address - 1;
    const std::size_t opening = opening_parenthesis(location, closing);
    if (opening != std::string::npos) {
      parts.function = location.substr(opening + 1, closing - opening - 1);
      parts.module.resize(opening);
    }
  }
  const std::size_t line = location.find("] ", address);
  if (line != std::string::npos) parts.source = location.substr(line + 2);
  return parts;
}

double sort_key(const CallSite& site, SiteOrder order) {
  switch (order) {
    case SiteOrder::by_time: return site.site->time_s;
    case SiteOrder::by_wait: return may_wait(*site.function) ? site.waited_s.value_or(-1) : -2;
    case SiteOrder::by_bytes: return static_cast<double>(site.bytes());
    case SiteOrder::by_calls: return static_cast<double>(site.site->calls);
  }
  return 0;
}

/// Adds up the times of ranks in ascending order.
struct TimeSum : TimeBalance {
  std::uint32_t ranks = 0;

  void add(std::uint32_t rank, double time_s) {
    if (ranks == 0 || time_s > max_s) max_s = time_s, max_rank = rank;
    if (ranks == 0 || time_s < min_s) min_s = time_s, min_rank = rank;
    sum_s += time_s;
    mean_s = sum_s / ++ranks;
  }
};

MpiSummary::Function summarize(const MpiCalls::Function& function, const MpiSummary& run) {
  MpiSummary::Function summary{
      .name = function.name, .sizes = function.sizes, .window_times_s = function.window_times_s};
  TimeSum time;
  for (std::uint32_t rank = 0; rank < function.calls.size(); ++rank) {
    if (function.calls[rank] == 0) continue;
    summary.calls = add(summary.calls, function.calls[rank]);
    time.add(rank, function.time_s[rank]);
  }
  summary.ranks = time.ranks;
  summary.time = time;
  summary.share = run.share_of(summary.time.sum_s);
  return summary;
}

MpiSummary::PointToPoint summarize_traffic(const MpiCalls& calls) {
  MpiSummary::PointToPoint sum;
  for (const MpiCalls::Traffic& pair : calls.traffic) {
    const double bytes = static_cast<double>(pair.bytes);
    sum.messages = add(sum.messages, pair.messages);
    sum.bytes += bytes;
    if (calls.ranks[pair.from].host != calls.ranks[pair.to].host) sum.between_nodes_bytes += bytes;
  }
  return sum;
}

/// Adds the times that ranks waited, and the times of calls of which that is unknown.
void add_waits(const MpiCalls& calls, MpiSummary& summary) {
  double measured_s = 0;
  bool is_measured = false;
  double measured_calls = 0;
  for (const CallSite& site : list_call_sites(calls)) {
    if (!may_wait(*site.function)) continue;
    if (site.waited_s) {
      measured_s += *site.waited_s;
      measured_calls += static_cast<double>(site.site->calls);
      is_measured = true;
      continue;
    }
    summary.unknown_waits_s += site.site->time_s;
    auto& names = summary.functions_with_unknown_waits;
    if (std::ranges::find(names, *site.function) == names.end()) names.push_back(*site.function);
  }
  if (is_measured || summary.functions_with_unknown_waits.empty()) summary.waited_s = measured_s;
  summary.clock_error_s = calls.clock_error_s;
  if (summary.waited_s && calls.clock_error_s)
    summary.waits_error_s = std::min(measured_calls * *calls.clock_error_s, summary.mpi_s);
}

/// Returns the times of a rank.
MpiSummary::Rank times_of(const MpiCalls::Rank& rank) {
  const double threads = mpi_threads(rank);
  const auto per_thread = [&](std::optional<double> time_s) {
    return time_s ? std::optional(*time_s / threads) : std::nullopt;
  };
  return {.outside_s = useful_s(rank),
          .mpi_s = rank.mpi_s / threads,
          .waited_s = per_thread(rank.waited_s),
          .off_processor_s = per_thread(off_processor_s(rank))};
}

}  // namespace

std::vector<CallSite> list_call_sites(const MpiCalls& calls, SiteOrder order) {
  double thread_s = 0;
  for (const MpiCalls::Rank& rank : calls.ranks) thread_s += rank.wall_s * mpi_threads(rank);
  std::vector<CallSite> sites;
  sites.reserve(calls.sites.size());
  for (const MpiCalls::Site& site : calls.sites) {
    const std::string& function = calls.functions[site.function].name;
    sites.push_back({.site = &site,
                     .function = &function,
                     .share = thread_s > 0 ? site.time_s / thread_s : 0,
                     .waited_s = waited(site, function),
                     .imbalance = support::imbalance(site.max_time_s, site.time_s / site.ranks)});
  }
  std::ranges::stable_sort(sites, std::greater(),
                           [order](const CallSite& site) { return sort_key(site, order); });
  return sites;
}

std::string module_name(const std::string& location) {
  return name_of(parts_of(location).module);
}

std::string short_location(const std::string& location) {
  const auto [module, function, source] = parts_of(location);
  if (source.empty()) return name_of(module) + location.substr(module.size());
  std::string text = name_of(source);
  const std::string mark = mark_of(source);
  text.resize(text.size() - mark.size());
  if (function.empty()) return text;
  if (!mark.empty()) return text + " (" + function + ", " + mark.substr(2);
  const std::string name = function.substr(0, function.rfind("+0x"));
  return text + " (" + (is_python_code(location) ? name : without_clone(name)) + ")";
}

MpiSummary summarize(const MpiCalls& calls) {
  MpiSummary summary;
  TimeSum outside;
  std::set<std::string_view> hosts;
  for (const MpiCalls::Rank& rank : calls.ranks) {
    const auto number = static_cast<std::uint32_t>(summary.ranks.size());
    const MpiSummary::Rank& times = summary.ranks.emplace_back(times_of(rank));
    summary.wall_s += rank.wall_s;
    summary.longest_wall_s = std::max(summary.longest_wall_s, rank.wall_s);
    if (rank.wall_s > 0) summary.threads += mpi_threads(rank);
    summary.thread_s += rank.wall_s * mpi_threads(rank);
    summary.mpi_s += rank.mpi_s;
    hosts.insert(rank.host);
    if (times.outside_s) {
      outside.add(number, *times.outside_s);
    } else {
      ++(rank.wall_s > 0 ? summary.ranks_with_unknown_threads : summary.unrecorded_ranks);
    }
  }
  summary.outside = outside;
  summary.nodes = static_cast<std::uint32_t>(hosts.size());
  summary.efficiencies = efficiencies(calls);
  if (summary.efficiencies) summary.transfer_unknown = why_transfer_is_unknown(calls);
  summary.regions = summarize_regions(calls);
  summary.windows = summarize_windows(calls);
  summary.processors = processor_use(calls);
  summary.cores = core_speed(calls);
  summary.point_to_point = summarize_traffic(calls);
  add_waits(calls, summary);
  for (const MpiCalls::Function& function : calls.functions)
    summary.functions.push_back(summarize(function, summary));
  std::ranges::stable_sort(summary.functions, std::greater(),
                           [](const MpiSummary::Function& function) { return function.time.sum_s; });
  return summary;
}

}  // namespace plimsoll::collectives
