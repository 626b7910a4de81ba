#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <plimsoll/pelayout/timing_file.hpp>

#include "pelayout/timing/timing_line.hpp"

namespace plimsoll::inline v0_1::pelayout {

/// What a timing profile says of the run as a whole.
class TimingHeader {
 public:
  /// "Case : x", "run_length : 10 days (9 for ocean)" and others above the table of components.
  void read(const TimingLine& line, TimingFile& file);
  /// "total pes active : 8", "Model Cost: 36.51 pe-hrs/simulated_year" and others below it.
  void read_metric(const TimingLine& line, TimingFile& file) const;
  /// Throws Error (bad_input) if the run has no length; warns if it is not what the run was told to do.
  void finish(TimingFile& file, const TimingLine& end) const;

 private:
  void read_run_length(const TimingLine& line, std::string_view value, TimingFile& file);

  std::uint64_t run_length_line_ = 0;
  std::string stop_option_;
  std::string stop_n_;
};

}  // namespace plimsoll::pelayout
