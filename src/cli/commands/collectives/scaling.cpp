#include <algorithm>
#include <limits>

#include <plimsoll/documents/collectives.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/commands.hpp"
#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace collectives;
using support::format_seconds;

struct ScalingOptions {
  std::vector<std::string> paths;
  bool json = false;
};

constexpr const char* scaling_examples =
    R"(  plimsoll profile --record mpi -o run4 -- mpirun -n 4 ./app     record runs of the same problem
  plimsoll profile --record mpi -o run8 -- mpirun -n 8 ./app
  plimsoll collectives scaling run4 run8                         which factor limits the speed-up
  plimsoll collectives scaling run* --json | jq '.runs[].global')";

/// A table with one column per run.
class RunTable {
 public:
  explicit RunTable(std::vector<ScaledRun> runs) : runs_(std::move(runs)), table_(headings()) {}

  template <class Cell>
  void add(const std::string& label, Cell cell) {
    std::vector<std::string> row = {label};
    for (const ScaledRun& run : runs_) row.push_back(cell(run));
    table_.add_row(std::move(row));
  }
  std::string to_string() const { return table_.to_string(Terminal::width()); }

 private:
  std::vector<support::TextTable::Column> headings() const {
    std::vector<support::TextTable::Column> columns = {{""}};
    for (const ScaledRun& run : runs_) columns.push_back({run.name, Align::right});
    return columns;
  }

  std::vector<ScaledRun> runs_;
  support::TextTable table_;
};

/// Names the runs that seem to be of another program than the first one.
std::string notes(const std::vector<ScaledRun>& runs) {
  constexpr double least_share = 0.5;
  std::string notes;
  for (const ScaledRun& run : runs)
    if (run.at_common_sites < least_share)
      notes += fmt::format(
          "note: only {} of the time in MPI of {} is at call sites that {} has, too; check that they are "
          "runs of the "
          "same program\n",
          support::format_percentage(run.at_common_sites), run.name, runs.front().name);
  return notes.empty() ? notes : "\n" + notes;
}

std::string text(const std::vector<ScaledRun>& runs) {
  RunTable table(runs);
  const auto factor = [&table](const std::string& label, std::optional<double> ScaledRun::*value) {
    table.add(label, [value](const ScaledRun& run) { return factor_text(run.*value); });
  };
  table.add("ranks", [](const ScaledRun& run) { return count(run.ranks); });
  table.add("run time", [](const ScaledRun& run) { return format_seconds(run.wall_s); });
  factor("speed-up", &ScaledRun::speedup);
  table.add("useful time, all ranks",
            [](const ScaledRun& run) { return run.useful_s ? format_seconds(*run.useful_s) : "unknown"; });
  factor("global efficiency", &ScaledRun::global);
  factor("  computation scaling", &ScaledRun::computation);
  if (std::ranges::any_of(runs, [](const ScaledRun& run) { return run.cores.has_value(); })) {
    factor("    instruction scaling, also in MPI", &ScaledRun::instruction_scaling);
    factor("    IPC scaling, also in MPI", &ScaledRun::ipc_scaling);
    factor("    frequency scaling, also in MPI", &ScaledRun::frequency_scaling);
  }
  const std::vector<Factor> names = factors({});
  for (std::size_t k = 0; k < names.size(); ++k)
    table.add(std::string(2 + 2 * static_cast<std::size_t>(names[k].depth), ' ') + names[k].name,
              [k](const ScaledRun& run) {
                return factor_text(run.efficiencies ? factors(*run.efficiencies)[k].value : std::nullopt);
              });
  return table.to_string() + notes(runs);
}

std::vector<NamedRun> read_runs_of(const std::vector<std::string>& paths) {
  std::vector<NamedRun> runs;
  runs.reserve(paths.size());
  for (const std::string& path : paths) runs.push_back({path, read_calls_of_program({path})});
  return runs;
}

}  // namespace

Command define_collectives_scaling(OptionParser& parser) {
  auto options = begin_command<ScalingOptions>(parser, scaling_examples);
  parser.add_option("PATH", options->paths, "Directories of profiles of the same problem, one per run")
      .required()
      .words(2, std::numeric_limits<int>::max());
  add_json_option(parser, options->json);
  return [options](Terminal& terminal) {
    const std::vector<ScaledRun> runs = compare_scaling(read_runs_of(options->paths));
    terminal.print(options->json ? documents::to_json(documents::ScalingList{runs}) : fitted(text(runs)));
    return 0;
  };
}

}  // namespace plimsoll::cli
