#include "cli/commands.hpp"

#include <algorithm>
#include <filesystem>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

struct Subcommand {
  const char* name;
  const char* help;
  Command (*define)(OptionParser&);
};

Command define_subcommands(OptionParser& parser, std::span<const Subcommand> subcommands) {
  std::vector<std::pair<OptionParser, Command>> commands;
  for (const Subcommand& subcommand : subcommands) {
    OptionParser defined = parser.add_subcommand(subcommand.name, subcommand.help);
    commands.emplace_back(defined, subcommand.define(defined));
  }
  return [commands = std::move(commands)](Terminal& terminal) {
    for (const auto& [subcommand, command] : commands)
      if (subcommand.is_chosen()) return command(terminal);
    return 0;
  };
}

#ifdef PLIMSOLL_WITH_COLLECTIVES
constexpr Subcommand collectives_subcommands[] = {
    {"summary", "Summarise data volume, imbalance and wait times", define_collectives_summary},
    {"patterns", "List communication patterns and the calls that use them", define_collectives_patterns},
    {"matrix", "Show the bytes sent per pair of ranks as a heat map, CSV or SVG", define_collectives_matrix},
    {"calls", "List calls, or show one in detail", define_collectives_calls},
    {"functions", "List MPI functions, with the sizes of their calls and their times over the run",
     define_collectives_functions},
    {"sites", "List the calls of MPI functions in the source code, with their costs",
     define_collectives_sites},
    {"compare", "Compare two profiles", define_collectives_compare},
    {"scaling", "Show the efficiencies of runs on different numbers of ranks", define_collectives_scaling},
    {"merge", "Merge rank logs into profile files", define_collectives_merge},
    {"export", "Export the traffic as an LB data set, or times as a trace", define_collectives_export},
    {"reorder", "Place ranks on nodes to reduce traffic between nodes", define_collectives_reorder},
};

constexpr const char* collectives_examples =
    R"(  plimsoll profile -- mpirun -n 4 ./app                     record the collectives of a program
  plimsoll collectives summary plimsoll-profile             data volume, imbalance and wait times
  plimsoll collectives matrix plimsoll-profile              bytes sent per pair of ranks
  plimsoll collectives reorder plimsoll-profile --nodes 2   recommended placement on two nodes
  plimsoll collectives merge plimsoll-profile               recover the logs of a killed program)";

Command define_collectives(OptionParser& parser) {
  parser.set_examples(collectives_examples);
  return define_subcommands(parser, collectives_subcommands);
}
#endif

#ifdef PLIMSOLL_WITH_PELAYOUT
constexpr Subcommand layout_subcommands[] = {
    {"solve", "Find the best layout from timing runs", define_layout_solve},
    {"submit", "Create and submit timing runs", define_layout_submit},
    {"list", "List the built-in layouts", define_layout_list},
};

constexpr const char* layout_examples =
    R"(  plimsoll layout submit --compset B1850 --res f09_g17 --pesfile pes.xml   make timing runs
  plimsoll layout solve --casename_prefix lbt_timing_run --total_tasks 1024   find the best layout on 1,024 tasks
  plimsoll layout solve --timing_dir timing --total_tasks 512:8192:512        ... and compare totals
  plimsoll layout solve --timing_dir timing --total_tasks 1024 --layout '(ATM ; LND) | OCN')";

Command define_layout(OptionParser& parser) {
  parser.set_examples(layout_examples);
  return define_subcommands(parser, layout_subcommands);
}
#endif

constexpr Subcommand subcommands[] = {
    {"validate", "Check LB data files for schema and consistency errors", define_validate},
    {"info", "Show the load balance of a data set, or an LBStatsfile", define_info},
    {"compare-data", "Compare the contents of two data sets", define_compare_data},
    {"generate", "Generate a synthetic data set", define_generate},
    {"import", "Convert the loads that other programs write to a data set", define_import},
    {"balance", "Compute a new placement for one phase and write the resulting data set", define_balance},
    {"compare", "Compare the results of several strategies for one phase", define_compare},
    {"replay", "Show what a strategy would have gained over a recorded run", define_replay},
    {"report", "Write a page that shows measurements in any browser", define_report},
    {"serve", "Show measurements in a browser while a program writes them", define_serve},
    {"export", "Write a data set as tables, meshes or a trace for other programs", define_export},
    {"convert", "Compress, select, merge, split or renumber the data in LB data files", define_convert},
    {"repair", "Recover the complete phases of truncated files and of killed programs", define_repair},
    {"strategies", "List the strategies and their parameters", define_strategies},
    {"models", "List the load models, which predict the loads of the next phase", define_models},
    {"spec", "Show which phases a specification file selects", define_spec},
    {"doctor", "Check this machine and a directory before a big job", define_doctor},
#ifdef PLIMSOLL_WITH_COLLECTIVES
    {"profile", "Run an MPI program and record the traffic of its collectives", define_profile},
    {"collectives", "Analyse and use a profile of collectives", define_collectives},
#endif
#ifdef PLIMSOLL_WITH_PELAYOUT
    {"layout", "Find the best processor counts for the components of a coupled model", define_layout},
#endif
    {"completions", "Print the script that completes command lines in a shell", define_completions},
    {"help", "Show the help of a subcommand, or a topic",
     define_help},  // last: its shell completion lists the others
};

constexpr const char* examples =
    R"(  plimsoll generate --ranks 32 --objects-per-rank 64 -o data   generate a sample data set
  plimsoll validate data                                       check its files
  plimsoll info data                                           show the load balance
  plimsoll balance data --strategy GreedyLB                    evaluate a strategy
  plimsoll balance data --strategy GreedyLB -o balanced        ... and write the result
  plimsoll compare data                                        compare strategies
  plimsoll report data -o report.html                          show it in a browser
  plimsoll repair data                                         recover the data of a killed program
  plimsoll doctor data -- mpirun -n 2                          check the machine before a big job
  plimsoll info --help                                         options of a subcommand
  plimsoll help                                                all subcommands, and topics)";

}  // namespace

int run(int argc, const char* const* argv, Terminal& terminal) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (argc > 0 && std::filesystem::path(argv[0]).filename() == "plimsoll-validator")
    return run_vt_validator(std::move(words), terminal);
  OptionParser parser(
      "plimsoll",
      "Measures how evenly the work of an MPI program is spread over its ranks, and computes a better "
      "placement.");
  parser.set_examples(examples);
  parser.add_version("plimsoll " PLIMSOLL_VERSION, version_details);
  const Command command = define_subcommands(parser, subcommands);
  if (const auto text = parser.parse(std::move(words), terminal.text_width())) {
    terminal.print(*text);
    return 0;
  }
  return command(terminal);
}

}  // namespace plimsoll::cli
