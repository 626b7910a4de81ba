#include "cli/commands/collectives/mpi_changes.hpp"

#include <algorithm>

#include <plimsoll/support/internal/format.hpp>

#include "cli/commands/collectives/change_table.hpp"
#include "cli/commands/collectives/text_pieces.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using collectives::MpiSummary;
using support::format_percentage;
using support::format_seconds;

constexpr std::size_t max_changed_functions = 20;

double per_rank(double sum_s, const MpiSummary& summary) {
  return sum_s / static_cast<double>(summary.ranks.size());
}

void write_run(support::JsonWriter& json, const char* key, const MpiSummary& summary) {
  json.key(key)
      .begin_object()
      .member("ranks", summary.ranks.size())
      .member("wall_s", summary.wall_s)
      .member("longest_wall_s", summary.longest_wall_s)
      .member("mpi_s", summary.mpi_s)
      .member("share", summary.mpi_share())
      .member("waited_s", summary.waited_s)
      .member("imbalance_outside_mpi", summary.outside.imbalance())
      .end_object();
}

}  // namespace

std::string mpi_changes_text(const collectives::MpiComparison& comparison) {
  const auto& [before, after] = comparison.summary;
  ChangeTable table;
  table.add_count("ranks", before.ranks.size(), after.ranks.size());
  table.add("run", before.longest_wall_s, after.longest_wall_s, format_seconds);
  table.add("in MPI, per rank", per_rank(before.mpi_s, before), per_rank(after.mpi_s, after), format_seconds);
  table.add("in MPI, of run", before.mpi_share(), after.mpi_share(), format_percentage);
  table.add("waited <=, per rank", per_rank(before.waited_s, before), per_rank(after.waited_s, after),
            format_seconds);
  table.add("outside MPI, mean", before.outside.mean_s, after.outside.mean_s, format_seconds);
  table.add("outside MPI, imbalance", before.outside.imbalance(), after.outside.imbalance(), imbalance_text);
  table.add_rule();
  const std::size_t shown = std::min(comparison.functions.size(), max_changed_functions);
  for (std::size_t k = 0; k < shown; ++k) {
    const collectives::MpiFunctionChange& function = comparison.functions[k];
    table.add_count(function.name + ", calls", function.calls.before, function.calls.after);
    table.add(function.name + ", time", function.time_s.before, function.time_s.after, format_seconds);
  }
  return "MPI calls of the programs\n" + table.to_string() + more(shown, comparison.functions.size());
}

void write_mpi_changes(support::JsonWriter& json, const collectives::MpiComparison& comparison) {
  json.begin_object();
  write_run(json, "before", comparison.summary.before);
  write_run(json, "after", comparison.summary.after);
  json.key("functions").begin_array();
  for (const collectives::MpiFunctionChange& function : comparison.functions)
    json.begin_object()
        .member("function", function.name)
        .member("calls_before", function.calls.before)
        .member("calls_after", function.calls.after)
        .member("time_before_s", function.time_s.before)
        .member("time_after_s", function.time_s.after)
        .end_object();
  json.end_array().end_object();
}

}  // namespace plimsoll::cli
