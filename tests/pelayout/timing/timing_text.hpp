#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::testing {

/// One component of a timing profile to write.
struct TimingRow {
  std::string component;  ///< upper case
  std::string model;
  int tasks = 1;
  double seconds = 0;
  int threads = 1;
  int root = 0;
  int instances = 1;
  int stride = 1;
};

/// A timing profile as written by CIME's get_timing.py.
struct TimingText {
  std::string case_name = "case_a";
  std::string log_id = "260101-120000";
  int days = 10;
  double total_seconds = 450.174;
  std::vector<TimingRow> rows = {
      {"CPL", "cpl", 64, 30.5}, {"ATM", "cam", 64, 200.25}, {"OCN", "pop", 32, 90.125}};

  std::string str() const {
    std::string text = fmt::format(
        "---------------- TIMING PROFILE ---------------------\n"
        "  Case        : {}\n  LID         : {}\n  Machine     : box\n  Curr Date   : Thu Jan  1 12:00:00 "
        "2026\n"
        "  grid        : a%ne30np4\n  compset     : 2000_CAM_POP\n"
        "  run type    : startup, continue_run = FALSE (inittype = TRUE)\n"
        "  stop option : ndays, stop_n = {}\n  run length  : {} days ({} for ocean)\n\n"
        "  component       comp_pes    root_pe   tasks  x threads instances (stride) \n"
        "  ---------        ------     -------   ------   ------  ---------  ------  \n",
        case_name, log_id, days, days, days);
    for (const TimingRow& row : rows)
      text += fmt::format("  {} = {:<8}   {:<6}      {:<6}   {:<6} x {:<6}  {:<6} ({:<6}) \n",
                          lower(row.component), row.model, row.tasks * row.threads, row.root, row.tasks,
                          row.threads, row.instances, row.stride);
    text +=
        "\n  total pes active           : 128 \n  mpi tasks per node         : 32 \n"
        "  pe count for cost estimate : 128 \n\n  Overall Metrics: \n"
        "    Model Cost:              36.51   pe-hrs/simulated_year \n"
        "    Model Throughput:         5.26   simulated_years/day \n\n"
        "    Init Time   :       9.675 seconds \n";
    text += fmt::format("    Run Time    :  {:10.3f} seconds   {:10.3f} seconds/day \n", total_seconds,
                        total_seconds / days);
    text += "    Final Time  :       0.001 seconds \n\n";
    text += run_time("TOT Run Time: ", total_seconds);
    for (const TimingRow& row : rows) text += run_time(row.component + " Run Time: ", row.seconds);
    return text + run_time("CPL COMM Time:", 17.674);
  }

 private:
  std::string run_time(const std::string& label, double seconds) const {
    return fmt::format("    {} {:10.3f} seconds   {:10.3f} seconds/mday   {:10.2f} myears/wday \n", label,
                       seconds, seconds / days, seconds > 0 ? days * 86400 / (365 * seconds) : 0.0);
  }
  static std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return static_cast<char>(c | 0x20); });
    return text;
  }
};

/// Returns the text with the first `old_part` replaced.
inline std::string replaced(std::string text, std::string_view old_part, std::string_view new_part) {
  const std::size_t place = text.find(old_part);
  if (place == std::string::npos) throw std::logic_error("nothing to replace: " + std::string(old_part));
  return text.replace(place, old_part.size(), new_part);
}

}  // namespace plimsoll::testing
