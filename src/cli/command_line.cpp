#include "cli/command_line.hpp"

#include <algorithm>

#include <plimsoll/support/version.hpp>

#include "cli/subcommands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

constexpr Subcommand subcommands[] = {
    {"validate", "Check LB data files for schema and consistency errors", define_validate},
    {"info", "Show the load balance of a data set, or an LBStatsfile", define_info},
    {"generate", "Generate a synthetic data set", define_generate},
    {"balance", "Compute a new placement for one phase and write the resulting data set", define_balance},
    {"compare", "Compare the results of several strategies for one phase", define_compare},
    {"report", "Write a page that shows measurements in any browser", define_report},
    {"serve", "Show measurements in a browser while a program writes them", define_serve},
    {"export", "Write a data set as tables, meshes or a trace for other programs", define_export},
    {"repair", "Recover the complete phases of truncated files and of killed programs", define_repair},
    {"strategies", "List the strategies and their parameters", define_strategies},
    {"models", "List the load models, which predict the loads of the next phase", define_models},
    {"spec", "Show which phases a specification file selects", define_spec},
#ifdef PLIMSOLL_WITH_COLLECTIVES
    {"profile", "Run an MPI program and record the traffic of its collectives", define_profile},
    {"collectives", "Analyse and use a profile of collectives", define_collectives},
#endif
#ifdef PLIMSOLL_WITH_PELAYOUT
    {"layout", "Find the best processor counts for the components of a coupled model", define_layout},
#endif
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
  plimsoll info --help                                         options of a subcommand)";

}  // namespace

int run(int argc, const char* const* argv, Terminal& terminal) {
  OptionParser parser(
      "plimsoll",
      "Measures how evenly the work of an MPI program is spread over its ranks, and computes a better "
      "placement.");
  parser.set_examples(examples);
  parser.add_version("plimsoll " PLIMSOLL_VERSION);
  const Command command = define_subcommands(parser, subcommands);
  if (const auto text = parser.parse({argv + std::min(argc, 1), argv + argc})) {
    terminal.print(*text);
    return 0;
  }
  return command(terminal);
}

}  // namespace plimsoll::cli
