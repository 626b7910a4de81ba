#pragma once

#include <cstdint>
#include <string>

#include <plimsoll/pelayout/timing_file.hpp>

#include "pelayout/timing/timing_line.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Length of a run in its timing profile: its model days, and the length that was requested.
class ProfileLength {
 public:
  /// Reads a run length such as "10 days (9 for ocean)". Throws Error (bad_input), with the line, for a
  /// length that is invalid, zero, or different from an earlier one.
  void read_days(const TimingLine& length);
  /// Reads a request such as "ndays, stop_n = 10".
  void read_request(const TimingLine& request);

  /// Returns whether read_days() was called.
  bool is_known() const { return line_ != 0; }
  /// Returns the length in the file, from which CIME computed its times per model day.
  double stated_days() const { return stated_days_; }
  /// Sets the days of the run, and corrects its throughput and cost if CIME truncated the days; see
  /// parse_timing_file(). Adds a note if so, and a warning if the length is not the requested one.
  void set_days(TimingFile& run) const;

 private:
  void correct_truncated_days(TimingFile& run) const;
  void compare_with_request(TimingFile& run) const;

  std::uint64_t line_ = 0;
  double stated_days_ = 0;
  double ocean_days_ = 0;  ///< 0 if missing
  std::string stop_option_;
  std::string stop_n_;
};

/// Makes a remark about the length of a run, with the line of its file.
Diagnostic run_length_remark(const TimingFile& run, Severity severity, std::uint64_t line, std::string what,
                             std::string suggestion = {});

}  // namespace plimsoll::pelayout
