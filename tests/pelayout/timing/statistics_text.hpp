#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace plimsoll::testing {

/// One timer of GPTL statistics to write. Times of all ranks lie between `shortest` and `longest`, on the
/// first and the last rank of the component.
struct TimerRow {
  std::string name;
  int ranks = 1;
  int calls_of_rank = 1;
  double longest = 0;
  double shortest = 0;
  int threads = 0;     ///< threads on all ranks; 0: one per rank
  int first_rank = 0;  ///< rank with the longest time
  int last_rank = -1;  ///< rank with the shortest time; -1: that of `ranks` consecutive ranks
};

/// GPTL statistics as written by GPTLpr_summary() of E3SM and CESM.
struct StatisticsText {
  int ranks = 64;
  std::vector<TimerRow> rows;

  std::string str() const {
    std::string text = fmt::format(
        "\n***** GLOBAL STATISTICS (  {} MPI TASKS) *****\n\n"
        "$Id: gptl.c,v 1.157 2011-03-28 20:55:18 rosinski Exp $\n"
        "'count' is cumulative. All other stats are max/min\n"
        "'on' indicates whether the timer was active during output, and so stats are lower or upper "
        "bounds.\n\n"
        "name                on  processes  threads        count      walltotal   wallmax (proc   thrd  )   "
        "wallmin (proc   thrd  )\n",
        ranks);
    for (const TimerRow& row : rows) text += line(row);
    return text + "\n";
  }

  static std::string line(const TimerRow& row, const char* on = "-    ") {
    const double calls = static_cast<double>(row.ranks) * row.calls_of_rank;
    return fmt::format("{:<18} {}{:>8} {:>8} {:12.6e} {:14.6e} {:9.3f} ({:>6} {:>6}) {:9.3f} ({:>6} {:>6})\n",
                       "\"" + row.name + "\"", on, row.ranks, row.threads == 0 ? row.ranks : row.threads,
                       calls, row.ranks * row.longest, row.longest, row.first_rank, 0, row.shortest,
                       row.last_rank < 0 ? row.first_rank + row.ranks - 1 : row.last_rank, 0);
  }
};

/// Returns the statistics of the run whose profile TimingText describes: 10 days of 48 steps.
inline StatisticsText statistics_of_example() {
  return {.ranks = 128,
          .rows = {{"CPL:INIT", 128, 1, 9.675, 9.1},
                   {"a_i:comp_init", 64, 1, 5, 5},
                   {"CPL:RUN_LOOP", 128, 480, 450.1, 449},
                   {"CPL:CLOCK_ADVANCE", 128, 480, 0.2, 0.1},
                   {"CPL:RUN", 128, 5000, 30.5, 0.1},
                   {"CPL:COMM", 128, 5000, 17.674, 2},
                   {"CPL:LNDPREP", 64, 480, 1.5, 1},
                   {"CPL:ATM_RUN_BARRIER", 64, 480, 77, 1},
                   {"CPL:ATM_RUN", 64, 480, 200.25, 190},
                   {"CPL:OCN_RUN", 32, 480, 90.125, 80, 0, 96},
                   {"CPL:TPROF_WRITE", 128, 480, 0.1, 0.074},
                   {"CPL:FINAL", 128, 1, 0.001, 0}}};
}

}  // namespace plimsoll::testing
