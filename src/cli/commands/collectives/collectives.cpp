#include "cli/subcommands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

constexpr Subcommand subcommands[] = {
    {"summary", "Summarise data volume, imbalance and wait times", define_collectives_summary},
    {"patterns", "List communication patterns and the calls that use them", define_collectives_patterns},
    {"matrix", "Show the bytes sent per pair of ranks as a heat map, CSV or SVG", define_collectives_matrix},
    {"calls", "List calls, or show one in detail", define_collectives_calls},
    {"sites", "List the calls of MPI functions in the source code, with their costs",
     define_collectives_sites},
    {"compare", "Compare two profiles", define_collectives_compare},
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

}  // namespace

Command define_collectives(OptionParser& parser) {
  parser.set_examples(collectives_examples);
  return define_subcommands(parser, subcommands);
}

}  // namespace plimsoll::cli
