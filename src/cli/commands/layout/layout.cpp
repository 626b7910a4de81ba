#include "cli/subcommands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

constexpr Subcommand subcommands[] = {
    {"solve", "Find the best layout from timing runs", define_layout_solve},
    {"submit", "Create and submit timing runs", define_layout_submit},
    {"list", "List the built-in layouts", define_layout_list},
};

constexpr const char* layout_examples =
    R"(  plimsoll layout submit --compset B1850 --res f09_g17 --pesfile pes.xml   make timing runs
  plimsoll layout solve --casename_prefix lbt_timing_run --total_tasks 1024   find the best layout on 1,024 tasks
  plimsoll layout solve --timing_dir timing --total_tasks 512:8192:512        ... and compare totals
  plimsoll layout solve --timing_dir timing --total_tasks 1024 --layout '(ATM ; LND) | OCN')";

}  // namespace

Command define_layout(OptionParser& parser) {
  parser.set_examples(layout_examples);
  return define_subcommands(parser, subcommands);
}

}  // namespace plimsoll::cli
