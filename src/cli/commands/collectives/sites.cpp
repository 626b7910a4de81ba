#include <numeric>

#include <plimsoll/collectives/mpi_callers.hpp>
#include <plimsoll/documents/collectives.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/commands.hpp"
#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace collectives;
using support::format_percentage;
using support::format_seconds;

constexpr support::Named<SiteOrder> site_orders[] = {{"time", SiteOrder::by_time},
                                                     {"waited", SiteOrder::by_wait},
                                                     {"bytes", SiteOrder::by_bytes},
                                                     {"calls", SiteOrder::by_calls}};

struct SitesOptions {
  ProfileInput input;
  std::string sort = "time";
  std::optional<std::size_t> top;
  bool json = false;

  SiteOrder order() const { return support::value_of(site_orders, sort, "order"); }
};

constexpr const char* sites_examples =
    R"(  plimsoll profile --record mpi -- mpirun -n 4 ./app   record all MPI calls of a program
  plimsoll collectives sites plimsoll-profile          the calls that take most time
  plimsoll collectives sites run1 --sort waited --top 5
  plimsoll collectives sites run1 --json | jq '.sites[] | select(.failed_calls > 0)')";

constexpr std::size_t max_sites = 20;

bool are_in_several_modules(const std::vector<CallSite>& sites) {
  return std::ranges::any_of(sites, [&](const CallSite& site) {
    return module_name(site.site->location) != module_name(sites.front().site->location);
  });
}

std::string name_of(const MpiCalls::Site& site, bool with_module) {
  const std::string name = short_location(site.location);
  const std::string module = module_name(site.location);
  return with_module && !name.starts_with(module) ? module + ": " + name : name;
}

std::string waited_text(const std::string& function, std::optional<double> waited_s) {
  if (!may_wait(function)) return "-";
  return waited_s ? format_seconds(*waited_s) : "unknown";
}

/// Appends lines for the callers of a site, as far as they differ. `all` contains the sums of all calls.
void add_callers(const CallSite& site, Caller all, const std::string& indent, support::TextTable& table) {
  constexpr std::size_t max_shown = 3;
  constexpr std::size_t max_levels = 2;
  const double share_per_s = site.site->time_s > 0 ? site.share / site.site->time_s : 0;
  const auto add_line = [&](const std::string& name, const Caller& caller) {
    table.add_row({"", indent + name, count(caller.calls),
                   caller.bytes ? support::format_bytes(*caller.bytes) : "unknown",
                   format_seconds(caller.time_s), format_percentage(caller.time_s * share_per_s),
                   waited_text(*site.function, caller.waited_s), "", "", ""});
  };
  for (const Caller& caller : first(all.callers, max_shown)) {
    add_line("from " + short_location(caller.location), caller);
    if (indent.size() < 2 * max_levels) add_callers(site, caller, indent + "  ", table);
    all.calls -= caller.calls;
    all.time_s = std::max(all.time_s - caller.time_s, 0.0);
    all.bytes = all.bytes && caller.bytes ? std::optional(*all.bytes - std::min(*all.bytes, *caller.bytes))
                                          : std::nullopt;
    all.waited_s = all.waited_s && caller.waited_s
                       ? std::optional(std::max(*all.waited_s - *caller.waited_s, 0.0))
                       : std::nullopt;
  }
  if (!all.callers.empty() && all.calls > 0) add_line("from elsewhere", all);
}

std::string text(const std::vector<CallSite>& sites, std::size_t top) {
  if (sites.empty()) return "The program did not call MPI between MPI_Init and MPI_Finalize.\n";
  support::TextTable table({{"function"},
                            {"site"},
                            {"calls", Align::right},
                            {"bytes", Align::right},
                            {"time", Align::right},
                            {"of run", Align::right},
                            {"waited", Align::right},
                            {"ranks", Align::right},
                            {"imbalance", Align::right},
                            {"slowest", Align::right}});
  const bool with_modules = are_in_several_modules(sites);
  const std::size_t shown = std::min(sites.size(), top);
  for (std::size_t k = 0; k < shown; ++k) {
    const MpiCalls::Site& site = *sites[k].site;
    table.add_row({*sites[k].function, name_of(site, with_modules), count(site.calls),
                   support::format_bytes(sites[k].bytes()), format_seconds(site.time_s),
                   format_percentage(sites[k].share), waited_text(*sites[k].function, sites[k].waited_s),
                   count(site.ranks), imbalance_text(sites[k].imbalance),
                   fmt::format("rank {}", site.slowest_rank)});
    add_callers(sites[k],
                {.location = {},
                 .calls = site.calls,
                 .time_s = site.time_s,
                 .bytes = sites[k].bytes(),
                 .waited_s = sites[k].waited_s,
                 .callers = callers_of(site)},
                "  ", table);
  }
  std::string output = table.to_string(Terminal::width());
  if (sites.size() > shown)
    output += fmt::format("... and {} (--top {} shows all)\n", count(sites.size() - shown, "more line"),
                          sites.size());
  const auto failed_calls =
      std::accumulate(sites.begin(), sites.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const CallSite& site) { return sum + site.site->failed_calls; });
  if (failed_calls > 0)
    output += fmt::format("{} failed (--json lists them by site).\n", count(failed_calls, "call"));
  return output;
}

}  // namespace

Command define_collectives_sites(OptionParser& parser) {
  auto options = begin_command<SitesOptions>(parser, sites_examples);
  add_profile_input(parser, options->input);
  parser
      .add_option("--sort time|waited|bytes|calls", options->sort,
                  "Sort in descending order by time, time waited for other ranks, bytes or calls "
                  "[default: time]")
      .one_of(support::names_of(site_orders));
  parser.add_option("--top K", options->top, "Show the first K lines [default: 20; with --json: all]");
  add_json_option(parser, options->json);
  return [options](Terminal& terminal) {
    const MpiCalls calls = read_calls_of_program(options->input.paths);
    const std::vector<CallSite> sites = list_call_sites(calls, options->order());
    if (options->json)
      documents::write_json(documents::SiteList{first(sites, options->top)}, terminal.printer());
    else
      terminal.print(fitted(text(sites, options->top.value_or(max_sites))));
    return 0;
  };
}

}  // namespace plimsoll::cli
