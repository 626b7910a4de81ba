#include "cli/subcommands.hpp"

namespace plimsoll::inline v0_1::cli {

namespace {

constexpr Subcommand subcommands[] = {
    {"summary", "How much the collectives moved, how evenly, and what waiting cost",
     define_collectives_summary},
    {"patterns", "Who talks to how many others, and in which calls", define_collectives_patterns},
    {"matrix", "Who sends how much to whom, as a heat map, CSV or SVG", define_collectives_matrix},
    {"calls", "List the calls, or show one", define_collectives_calls},
    {"compare", "Show two profiles side by side", define_collectives_compare},
    {"merge", "Make the files of a profile from the logs of its ranks", define_collectives_merge},
    {"export", "Write the traffic as an LB data set", define_collectives_export},
    {"reorder", "Place ranks onto nodes so that less is sent between nodes", define_collectives_reorder},
};

constexpr const char* collectives_examples =
    R"(  plimsoll profile -- mpirun -n 4 ./app     record the collectives of a program
  plimsoll collectives summary              what did they move, and how evenly?
  plimsoll collectives matrix               who sent how much to whom?
  plimsoll collectives reorder --nodes 2    which rank should be on which node?
  plimsoll collectives merge DIR            what a killed program has left)";

}  // namespace

Command define_collectives(CLI::App& app) {
  app.footer(collectives_examples);
  return define_subcommands(app, subcommands);
}

}  // namespace plimsoll::cli
