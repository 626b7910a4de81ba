#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/diagnostic.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// A run, and a problem, has at most so many components.
constexpr std::size_t max_components = 1000;

/// One component in one run: where it ran, and what that took.
struct ComponentTiming {
  std::string component;       ///< upper case: "ATM"
  std::string model;           ///< upper case: "CAM"; without the "_0001" of one of several drivers
  std::int64_t tasks = 0;      ///< MPI ranks, 1 or more
  std::int64_t threads = 1;    ///< of each task
  std::int64_t root = 0;       ///< first MPI rank
  std::int64_t instances = 1;  ///< copies of it in an ensemble
  std::int64_t stride = 1;     ///< ranks from one task to the next
  double seconds = 0;          ///< of the whole run
  double seconds_per_day = 0;  ///< per model day
  friend bool operator==(const ComponentTiming&, const ComponentTiming&) = default;
};

/// The timing profile that a run of CESM, E3SM or another model under CIME leaves in its case's folder
/// `timing`. CESM1, CIME5, CIME6, E3SM and CMEPS write it in slightly different forms; all are read.
struct TimingFile {
  std::string path;
  std::string case_name;  ///< "Case"
  std::string log_id;     ///< "LID", when the run was
  std::string machine;
  std::string grid;
  std::string compset;
  std::int64_t driver_instance = 0;                ///< of a run with several drivers ("cpl_0001"): 1, 2, ...
  double run_days = 0;                             ///< model days
  std::vector<ComponentTiming> components;         ///< in the order of the file's table
  std::optional<double> total_seconds;             ///< "TOT Run Time"
  std::optional<double> total_seconds_per_day;     ///< the same per model day
  std::optional<double> coupling_seconds_per_day;  ///< "CPL COMM Time"
  std::optional<std::int64_t> processors;          ///< "total pes active"
  std::optional<std::int64_t> processors_per_node;
  std::optional<double> throughput;  ///< simulated years per day
  std::optional<double> cost;        ///< core hours per simulated year
  std::vector<Diagnostic> warnings;  ///< what is odd about it

  /// The timing of a component; null if there is none.
  const ComponentTiming* find(const std::string& component) const;
};

/// Whether a text looks like a timing profile, so that other files of a folder can be told from broken ones.
bool is_timing_profile(std::string_view text);

/// Reads a timing profile. Throws Error (bad_input), with file and line, for what is none, for a run that was
/// aborted (component rows without run times, or a table that is cut), for a component without the one or the
/// other, and for numbers that are none: never a wrong number. Seconds per model day are those of the whole
/// run divided by its length, since the file's own have few digits; if the two contradict each other, or the
/// length what the run was told to do (ESMCI/cime, issue 1118), that is a warning. Source of the format:
/// CIME's get_timing.py, and the Perl script getTiming of CESM1 before it.
TimingFile parse_timing_file(std::string_view text, const std::string& path);

/// The same from a file, plain or gzip. Throws Error also if it cannot be read or is too large.
TimingFile read_timing_file(const std::string& path);

}  // namespace plimsoll::pelayout
