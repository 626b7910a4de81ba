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

}  // namespace plimsoll::cli
