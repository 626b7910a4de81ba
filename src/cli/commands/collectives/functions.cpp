#include <map>
#include <utility>

#include <plimsoll/documents/collectives.hpp>

#include "cli/commands.hpp"
#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace collectives;
using support::format_bytes;
using support::format_percentage;
using support::format_seconds;
using Function = MpiSummary::Function;
using SizeClass = MpiCalls::SizeClass;

struct FunctionsOptions {
  ProfileInput input;
  std::optional<std::size_t> top;
  bool json = false;
};

constexpr const char* functions_examples =
    R"(  plimsoll profile --record mpi -- mpirun -n 4 ./app   record all MPI calls of a program
  plimsoll collectives functions plimsoll-profile      sizes and times of its MPI calls
  plimsoll collectives functions run1 --top 3
  plimsoll collectives functions run1 --json | jq '.functions[] | {function, sizes}')";

constexpr std::size_t max_listed_functions = 10;
constexpr std::size_t max_listed_windows = 5;

std::string text_of(const SizeClass& sizes) {
  if (!sizes.max_bytes && sizes.min_bytes == 0) return "any size";
  if (!sizes.max_bytes) return fmt::format("more than {}", format_bytes(sizes.min_bytes - 1));
  if (*sizes.max_bytes == 0) return format_bytes(0);
  return fmt::format("up to {}", format_bytes(*sizes.max_bytes));
}

/// The calls that are known to transfer data.
struct Transfers {
  double time_s = 0;
  SizeClass median;  ///< half of the time is in calls of at most its size
};

Transfers transfers_of(const std::vector<Function>& functions) {
  Transfers transfers;
  std::map<std::uint64_t, SizeClass> classes;  // by their least size
  for (const Function& function : functions)
    for (const SizeClass& sizes : function.sizes) {
      if (sizes.min_bytes == 0) continue;
      transfers.time_s += sizes.time_s;
      const double before_s = classes[sizes.min_bytes].time_s;
      classes[sizes.min_bytes] = sizes;
      classes[sizes.min_bytes].time_s += before_s;
    }
  double up_to_s = 0;
  for (const auto& [min_bytes, sizes] : classes) {
    if (2 * up_to_s < transfers.time_s) transfers.median = sizes;
    up_to_s += sizes.time_s;
  }
  return transfers;
}

std::string headline(const MpiSummary& summary) {
  const Transfers transfers = transfers_of(summary.functions);
  if (transfers.time_s == 0) return "The sizes of the calls are unknown, or they transfer no data.\n";
  return fmt::format(
      "Calls that are known to transfer data take {} of the run, at least half of it in calls of {}.\n",
      format_percentage(summary.share_of(transfers.time_s)), text_of(transfers.median));
}

std::string size_table(std::span<const Function> functions, const MpiSummary& summary) {
  support::TextTable table({{"function"},
                            {"bytes", Align::right},
                            {"calls", Align::right},
                            {"time", Align::right},
                            {"of run", Align::right},
                            {"per call", Align::right}});
  const auto add_row = [&](const std::string& name, const std::string& size, std::uint64_t calls,
                           double time_s) {
    table.add_row({name, size, count(calls), format_seconds(time_s),
                   format_percentage(summary.share_of(time_s)),
                   format_seconds(time_s / static_cast<double>(std::max(calls, std::uint64_t{1})))});
  };
  for (const Function& function : functions) {
    std::string name = function.name;
    if (function.sizes.empty()) add_row(name, "unknown", function.calls, function.time.sum_s);
    for (const SizeClass& sizes : function.sizes)
      add_row(std::exchange(name, ""), text_of(sizes), sizes.calls, sizes.time_s);
  }
  return "\nBytes that a call sends, or receives if it sends nothing\n" + table.to_string(Terminal::width());
}

/// Neighbouring windows that are shown as one.
struct JoinedWindows {
  std::size_t first = 0;
  std::size_t end = 0;
  double begin_s = 0;
  double thread_s = 0;  ///< WindowSummary::thread_s
};

std::vector<JoinedWindows> join_windows(const std::vector<WindowSummary>& windows) {
  const std::size_t length = (windows.size() + max_listed_windows - 1) / max_listed_windows;
  std::vector<JoinedWindows> joined;
  for (std::size_t first = 0; first < windows.size(); first += length) {
    JoinedWindows& next = joined.emplace_back(
        JoinedWindows{first, std::min(first + length, windows.size()), windows[first].begin_s});
    for (std::size_t window = first; window < next.end; ++window) next.thread_s += windows[window].thread_s;
  }
  return joined;
}

std::string window_table(std::span<const Function> functions, const MpiSummary& summary) {
  const std::vector<JoinedWindows> windows = join_windows(summary.windows);
  if (windows.size() < 2) return "";
  std::vector<support::TextTable::Column> columns = {{"function"}};
  for (const JoinedWindows& window : windows)
    columns.push_back({fmt::format("from {}", format_seconds(window.begin_s)), Align::right});
  support::TextTable table(columns);
  for (const Function& function : functions) {
    if (function.window_times_s.empty()) continue;
    std::vector<std::string> row = {function.name};
    for (const JoinedWindows& window : windows) {
      double time_s = 0;
      for (std::size_t k = window.first; k < window.end; ++k) time_s += function.window_times_s[k];
      row.push_back(window.thread_s > 0 ? format_percentage(time_s / window.thread_s) : "-");
    }
    table.add_row(std::move(row));
  }
  return "\nShare of the time of all ranks, by window of time after MPI_Init\n" +
         table.to_string(Terminal::width());
}

std::string text(const MpiSummary& summary, std::size_t top) {
  if (summary.functions.empty()) return "The program did not call MPI between MPI_Init and MPI_Finalize.\n";
  const auto shown = first(summary.functions, top);
  return headline(summary) + size_table(shown, summary) + window_table(shown, summary) +
         more(top, summary.functions.size());
}

}  // namespace

Command define_collectives_functions(OptionParser& parser) {
  auto options = begin_command<FunctionsOptions>(parser, functions_examples);
  add_profile_input(parser, options->input);
  parser.add_option("--top K", options->top,
                    "Show the K functions that take most time [default: 10; with --json: all]");
  add_json_option(parser, options->json);
  return [options](Terminal& terminal) {
    const MpiSummary summary = summarize(read_calls_of_program(options->input.paths));
    if (options->json)
      documents::write_json(documents::FunctionList{&summary, first(summary.functions, options->top)},
                            terminal.printer());
    else
      terminal.print(fitted(text(summary, options->top.value_or(max_listed_functions))));
    return 0;
  };
}

}  // namespace plimsoll::cli
