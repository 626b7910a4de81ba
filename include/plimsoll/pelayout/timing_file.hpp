#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Maximum number of components in a run and in a problem.
constexpr std::size_t max_components = 1000;

/// One component in one run: its ranks and its time.
struct ComponentTiming {
  std::string component;       ///< upper-case name: "ATM"
  std::string model;           ///< upper-case name: "CAM"; without the "_0001" of runs with several drivers;
                               ///< empty if unknown
  std::int64_t tasks = 0;      ///< number of MPI ranks; >= 1
  std::int64_t threads = 1;    ///< threads per task
  std::int64_t root = 0;       ///< first MPI rank
  std::int64_t instances = 1;  ///< number of copies of the component in an ensemble
  std::int64_t stride = 1;     ///< distance between the ranks of consecutive tasks
  double seconds = 0;          ///< seconds of the whole run
  double seconds_per_day = 0;  ///< seconds per model day
  friend bool operator==(const ComponentTiming&, const ComponentTiming&) = default;
};

/// Timing profile that a run of CESM, E3SM or another CIME model writes to the directory `timing` of its
/// case. CESM1, CIME5, CIME6, E3SM and CMEPS use slightly different formats; all are supported.
struct TimingFile {
  std::string path;
  std::string case_name;  ///< value of "Case"
  std::string log_id;     ///< value of "LID": the time of the run
  std::string machine;
  std::string grid;
  std::string compset;
  std::int64_t driver_instance = 0;  ///< driver number (1, 2, ...) in a run with several drivers ("cpl_0001")
  double run_days = 0;               ///< model days
  std::vector<ComponentTiming> components;         ///< components in the order of the file's table
  std::optional<double> total_seconds;             ///< value of "TOT Run Time"
  std::optional<double> total_seconds_per_day;     ///< total run time per model day
  std::optional<double> coupling_seconds_per_day;  ///< value of "CPL COMM Time"
  std::optional<std::int64_t> processors;          ///< value of "total pes active"
  std::optional<std::int64_t> processors_per_node;
  std::optional<double> throughput;  ///< simulated years per day
  std::optional<double> cost;        ///< core hours per simulated year
  bool is_from_statistics = false;   ///< whether the run was read from GPTL statistics instead of a profile
  std::vector<Diagnostic> warnings;  ///< suspicious content of the file

  /// Returns the timing of a component, or null if it is missing.
  const ComponentTiming* find(const std::string& component) const;
};

/// Returns whether a text looks like a timing profile. This distinguishes invalid timing profiles from other
/// files in a directory.
bool is_timing_profile(std::string_view text);

/// Reads a timing profile. Throws Error (bad_input), with file and line, for
/// - a text that is not a timing profile,
/// - an aborted run (component rows without run times, or a truncated table),
/// - a component that has ranks but no time, or a time but no ranks,
/// - invalid numbers, so that no wrong number is returned.
///
/// Seconds per model day are computed as the seconds of the whole run divided by its length, because the
/// values in the file have few digits. A contradiction between the two causes a warning, as does a length
/// that differs from the requested one (ESMCI/cime, issue 1118). If the ocean ran more days than the run, or
/// the request is up to one day longer, the run length is truncated: the requested length or, if it
/// contradicts the ocean, the next whole number of days is used, with a note. Source of the format: CIME's
/// get_timing.py, and its predecessor, the Perl script getTiming of CESM1.
TimingFile parse_timing_file(std::string_view text, const std::string& path);

/// Reads the run in a file: a timing profile or GPTL statistics, plain, in gzip, or in a tar archive. If an
/// archive contains both, the profile is returned. Throws Error as parse_timing_file() and
/// parse_timing_statistics() do, if the file cannot be read or is too large, and for an archive of several
/// runs.
TimingFile read_timing_file(const std::string& path, std::optional<std::int64_t> steps_per_day = {});

}  // namespace plimsoll::pelayout
