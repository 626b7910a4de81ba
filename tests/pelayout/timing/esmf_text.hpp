#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace plimsoll::testing {

/// One region of an ESMF profile to write.
struct EsmfRow {
  int depth = 0;
  std::string name;
  int pets = 1;
  double mean = 0;
  double minimum = 0;
  double maximum = 0;
  int minimum_pet = 0;
  int maximum_pet = 0;
  std::string count = "480";
};

/// ESMF profile as written by ESMF 8.
struct EsmfText {
  std::vector<EsmfRow> rows;
  bool has_pes = true;  ///< ESMF before 8.3 has no column "PEs"

  std::string str() const {
    std::string text = fmt::format("{:<50} {:<6} {}{:<8} {:<11} {:<11} {:<7} {:<11} {:<7}\n", "Region",
                                   "PETs", has_pes ? "PEs    " : "", "Count", "Mean (s)", "Min (s)",
                                   "Min PET", "Max (s)", "Max PET");
    for (const EsmfRow& row : rows) text += line(row);
    return text;
  }

  std::string line(const EsmfRow& row) const {
    const std::string pets = fmt::format("{:<6} ", row.pets);
    return fmt::format("{:<50} {}{}{:<8} {:<11.4f} {:<11.4f} {:<7} {:<11.4f} {:<7}\n",
                       std::string(2 + 2 * row.depth, ' ') + row.name, pets, has_pes ? pets : "", row.count,
                       row.mean, row.minimum, row.minimum_pet, row.maximum, row.maximum_pet);
  }
};

/// Returns the profile of a run of 10 days of 48 steps. ATM, ICE and LND share the ranks 0 to 63; LND waits
/// outside its region for the slow ranks of ICE. WAV runs on the ranks 48 to 79, of which ICE has the first
/// half. OCN runs on the ranks 80 to 111.
inline EsmfText esmf_example() {
  return {.rows = {{0, "[ESMF]", 112, 500, 499, 501, 3, 7, "1"},
                   {1, "[ensemble] RunPhase1", 112, 450, 449, 450.5, 3, 7, "1"},
                   {2, "[ESM0001] RunPhase1", 112, 450, 449, 450.5, 3, 7, "1"},
                   {3, "[ATM] RunPhase1", 64, 200, 199, 200.25, 2, 60},
                   {4, "CAM_run1", 64, 150, 120, 180, 60, 2},
                   {4, "CAM_run2", 64, 49, 19, 79, 2, 60},
                   {3, "[OCN] RunPhase1", 32, 90, 80, 90.125, 111, 80, "240"},
                   {3, "[ICE] RunPhase1", 64, 40, 20, 80, 63, 5},
                   {4, "cice_run_total", 64, 39, 19, 79, 63, 5},
                   {3, "[LND] RunPhase1", 64, 50, 12, 70, 5, 63},
                   {4, "ctsm_run", 64, 14, 10, 20, 5, 9},
                   {5, "sync_ctsm_run", 64, 3, 1, 5, 5, 9},
                   {3, "[WAV] RunPhase1", 32, 55, 11, 90, 50, 70},
                   {3, "[MED] med_phases_post_lnd", 80, 8, 2, 12, 1, 2},
                   {3, "[MED] med_phases_prep_ocn", 80, 4, 3, 6, 1, 2},
                   {3, "[MED-TO-OCN] RunPhase1", 112, 60, 0.5, 300, 1, 100, "240"},
                   {3, "[LND-TO-MED] RunPhase1", 80, 2, 0.25, 3, 0, 79},
                   {1, "[ensemble] FinalizePhase1", 112, 1, 0.5, 1.5, 3, 7, "1"}}};
}

}  // namespace plimsoll::testing
