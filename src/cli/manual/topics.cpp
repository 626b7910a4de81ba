#include <array>

#include "cli/manual/manual.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

const std::array topic_table = {
    Topic{"files", "Names and kinds of the files that commands read",
          R"(LB data files contain the loads and messages of a program, one file per rank:

  data.<rank>.json.br   compressed with brotli; data.<rank>.json is plain JSON
  NAME.partial          a file that a program still writes, or did not finish;
                        plimsoll repair recovers its complete phases

Specify a data set (PATH) in one of these ways:

  data                  a directory with one data set
  data/run7             the files run7.<rank>.json[.br] of a directory
  'data/run7.%p.json'   a pattern with %p for the rank
  data/run7.*.json      all files, as a shell lists them

Other kinds of files:

  vt_lb_statistics.<time>.json   statistics of all ranks (LBStatsfile): plimsoll
                                 info, plimsoll report
  plimsoll-profile/              a profile of collectives: plimsoll collectives
  *_timing.*                     timing files of coupled models: plimsoll layout

Formats: docs/reference/lb-data-files.md, docs/reference/collective-files.md)"},
    Topic{"phases", "Meaning of phases, and how to select them",
          R"(A phase is a section of the program that ends at the same point on all ranks,
usually a time step. Loads are measured per phase, and numbered from 0.

  --phase 7             balance or compare this phase; by default the last phase
                        that has data on all ranks
  --phases 0-10,20,%50  show phases 0 to 10, phase 20, and every 50th phase

A strategy places objects for the phase after the one that it reads.
--load-model predicts the loads of that phase from earlier ones; see plimsoll
models. plimsoll spec shows the phases that a specification file lets a program
write.)"},
    Topic{"strategy", "How to specify strategies, parameters and plug-ins",
          R"(  --strategy RefineLB                        a name; see plimsoll strategies
  --strategy RefineLB --param tolerance=1.02 ... with a parameter
  --strategies 'RefineLB(tolerance=1.02),GreedyLB'
                                             several, with their parameters
  --strategy ./libFooLB.so                   your own strategy, a shared library

plimsoll strategies NAME shows the parameters of one strategy. All strategies
accept limits for migrations and memory, such as --param max_moves=100.

To begin with: RefineLB migrates few objects, GreedyLB reaches the best balance,
GraphPartLB minimises communication, and OptimalLB proves its result.
plimsoll compare runs all of them, and marks the Pareto-optimal ones.

More: docs/how-to/choose-a-strategy.md, docs/how-to/write-a-strategy.md)"},
    Topic{"environment", "Environment variables, and settings of measured programs",
          R"(Variables that plimsoll reads:

  COLUMNS   width of the output; by default that of the terminal, else 80
  LC_ALL    a locale without UTF-8, such as C, makes drawings and names on
            terminals plain ASCII, as TERM=dumb does
  NO_COLOR  any value switches colours off

Variables that plimsoll profile passes to the program:

  PLIMSOLL_PROFILER         data to record, as for --record
  PLIMSOLL_PROFILER_FOLDER  directory for the profile

A program that measures itself with Plimsoll takes each setting from:

  1. its arguments           --vt_lb_data_dir=out
  2. the environment         PLIMSOLL_LB_DATA_DIR=out
  3. a YAML file             --vt_input_config_yaml=FILE
  4. defaults of the program

--vt_lb_show_config prints every setting with its value and its source.

More: docs/reference/settings.md, docs/reference/profiler-variables.md)"},
    Topic{"output", "Text, JSON and charts",
          R"(Results go to stdout; errors, warnings and progress go to stderr.

  --json   one JSON object instead of text, for scripts
           (docs/reference/json-output.md)
  --ascii  charts in ASCII, also in files and pipes; without it, only terminals
           show charts

Text fits the width of the terminal, or 80 columns; COLUMNS=200 sets a width.
Numbers in JSON are exact, and independent of the width.)"},
    Topic{"exit-codes", "Exit status of the commands",
          R"(  0  success
  1  the input was read and is invalid, or the problem has no solution
  2  wrong usage, such as an unknown option
  3  the system failed: a file cannot be opened, or the disk is full

plimsoll profile returns the status of the program that it runs, or 128 plus the
number of the signal that ended it. If a reader such as head closes stdout,
commands end with status 141.)"},
};

}  // namespace

std::span<const Topic> topics() {
  return topic_table;
}

}  // namespace plimsoll::cli
