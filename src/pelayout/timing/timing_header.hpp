#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <plimsoll/pelayout/timing_file.hpp>
#include <plimsoll/support/error.hpp>

#include "pelayout/timing/timing_line.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Reads the values in a timing profile that concern the whole run.
class TimingHeader {
 public:
  /// Reads lines above the table of components: "Case : x", "run_length : 10 days (9 for ocean)" and others.
  void read(const TimingLine& line, TimingFile& file);
  /// Reads lines below the table: "total pes active : 8", "Model Cost: 36.51 pe-hrs/simulated_year" and
  /// others.
  void read_metric(const TimingLine& line, TimingFile& file) const;
  /// Corrects a truncated run length. Throws Error (bad_input) if the run length is missing. Warns if it
  /// differs from the requested one.
  void finish(TimingFile& file, const TimingLine& end) const;
  /// Returns the run length in the file, from which CIME computed its times per model day.
  double stated_days() const { return stated_days_; }

 private:
  void read_run_length(const TimingLine& line, std::string_view value, const TimingFile& file);
  void correct_truncated_days(TimingFile& file) const;
  void compare_with_request(TimingFile& file) const;
  void report(TimingFile& file, Severity severity, std::string what, std::string suggestion) const;

  std::uint64_t run_length_line_ = 0;
  double stated_days_ = 0;
  double ocean_days_ = 0;  ///< 0 if missing
  std::string stop_option_;
  std::string stop_n_;
};

}  // namespace plimsoll::pelayout
