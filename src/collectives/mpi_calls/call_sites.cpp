#include <algorithm>
#include <functional>
#include <string>

#include <plimsoll/collectives/mpi_summary.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

std::optional<double> waited(const MpiCalls::Site& site, const std::string& function) {
  if (may_wait(function)) return site.time_s;
  return purpose_of(function) == MpiPurpose::collective ? site.beyond_fastest_s : std::nullopt;
}

double imbalance(const MpiCalls::Site& site) {
  return site.time_s > 0 ? site.max_time_s / (site.time_s / site.ranks) - 1 : 0;
}

std::string name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

double sort_key(const CallSite& site, SiteOrder order) {
  switch (order) {
    case SiteOrder::by_time: return site.site->time_s;
    case SiteOrder::by_wait: return site.waited_s.value_or(-1);
    case SiteOrder::by_bytes: return static_cast<double>(site.bytes());
    case SiteOrder::by_calls: return static_cast<double>(site.site->calls);
  }
  return 0;
}

}  // namespace

std::vector<CallSite> list_call_sites(const MpiCalls& calls, SiteOrder order) {
  double wall_s = 0;
  for (const MpiCalls::Rank& rank : calls.ranks) wall_s += rank.wall_s;
  std::vector<CallSite> sites;
  sites.reserve(calls.sites.size());
  for (const MpiCalls::Site& site : calls.sites) {
    const std::string& function = calls.functions[site.function].name;
    sites.push_back({.site = &site,
                     .function = &function,
                     .share = wall_s > 0 ? site.time_s / wall_s : 0,
                     .waited_s = waited(site, function),
                     .imbalance = imbalance(site)});
  }
  std::ranges::stable_sort(sites, std::greater(),
                           [order](const CallSite& site) { return sort_key(site, order); });
  return sites;
}

std::string module_name(const std::string& location) {
  return name_of(location.substr(0, std::min(location.find('('), location.rfind(" [0x"))));
}

std::string short_location(const std::string& location) {
  // MODULE(FUNCTION+0xOFFSET) [0xADDRESS] FILE:LINE, whose parts other than MODULE and ADDRESS may be
  // missing.
  const std::size_t address = location.rfind(" [0x");
  if (address == std::string::npos) return location;
  const std::size_t line = location.find("] ", address);
  if (line == std::string::npos) return name_of(location);
  const std::size_t function = location.find('(') + 1;
  const std::size_t offset = location.rfind("+0x", address);
  std::string text = name_of(location.substr(line + 2));
  if (function > 0 && offset != std::string::npos && function < offset)
    text += " (" + location.substr(function, offset - function) + ")";
  return text;
}

}  // namespace plimsoll::collectives
