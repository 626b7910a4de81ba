#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Timed region of an ESMF profile. Its times are sums over all calls, in seconds, compared over the PETs
/// (MPI ranks) that entered it.
struct EsmfRegion {
  std::string name;                   ///< name: "[ATM] RunPhase1", "cice_run_total"
  std::size_t depth = 0;              ///< number of regions around it: 0 for "[ESMF]"
  std::int64_t pets = 1;              ///< number of PETs that entered it; >= 1
  std::optional<std::int64_t> pes;    ///< number of processing elements; missing before ESMF 8.3
  std::optional<std::int64_t> count;  ///< calls per PET; empty if the PETs differ ("MULTIPLE")
  double mean_s = 0;
  double minimum_s = 0;
  double maximum_s = 0;
  std::int64_t minimum_pet = 0;  ///< fastest PET
  std::int64_t maximum_pet = 0;  ///< slowest PET
  std::uint64_t line = 0;        ///< line in the file
};

/// Content of a file `ESMF_Profile.summary`, which CESM3, NorESM3, the UFS and other programs that use ESMF
/// write at their end if ESMF_RUNTIME_PROFILE is set.
struct EsmfProfile {
  std::string path;
  std::vector<EsmfRegion> regions;  ///< regions in the order of the file: each one before the regions inside

  /// Returns the index after the last region inside `region`. O(regions inside).
  std::size_t end_of(std::size_t region) const;
};

/// Returns whether a text looks like an ESMF profile.
bool is_esmf_profile(std::string_view text);

/// Reads an ESMF profile. Throws Error (bad_input), with file and line, for
/// - a text that is not an ESMF profile,
/// - a truncated text, invalid numbers, and columns in another order,
/// - missing lines: a region that is indented by more than one level, or starts at no level,
/// - contradictions: a mean that is not between minimum and maximum, regions that took longer than the region
///   around them, on all PETs or the slowest one, or ran on more PETs.
///
/// O(size of the text). Source of the format: ESMCI_Trace.C of ESMF 8.
EsmfProfile parse_esmf_profile(std::string_view text, const std::string& path);

/// Time that a component, a connector or the mediator took in the run phase, divided into work and waiting.
/// All times are means over its PETs, in seconds of the whole run, if not stated otherwise.
struct ComponentWork {
  std::string name;                   ///< "ATM", "MED-TO-OCN"; "MED" for all phases of the mediator
  std::int64_t tasks = 1;             ///< number of PETs
  std::optional<std::int64_t> steps;  ///< calls of its run phase; empty if the PETs differ
  double mean_s = 0;                  ///< mean over the PETs: work_s + waiting_s
  double minimum_s = 0;               ///< time of the fastest PET
  double maximum_s = 0;               ///< time of the slowest PET: the time in CIME's timing profile
  double work_s = 0;                  ///< time without waiting_s
  double waiting_s = 0;               ///< waiting for other components, as far as it is certain
  /// Maximum / mean of the work over the PETs, as far as the profile shows it; 1 if their spread is waiting.
  double imbalance = 1;
  std::string waits_for;  ///< component that it waits for, if the ranks show it; may be empty

  friend bool operator==(const ComponentWork&, const ComponentWork&) = default;
};

/// Ranks of a component: first rank, number of ranks, and distance between them.
struct ComponentRanks {
  std::string name;
  std::int64_t root = 0;
  std::int64_t tasks = 1;
  std::int64_t stride = 1;

  bool contains(std::int64_t rank) const {
    return rank >= root && (rank - root) % stride == 0 && (rank - root) / stride < tasks;
  }
};

/// Divides the time of each component, each connector and the mediator into work and waiting. `ranks` are
/// the ranks of the components, from the timing profile of the run or from ranks_in(). Components come first,
/// in the order of the file; then the mediator; then connectors.
///
/// Waiting is
/// 1. the time in regions for synchronisation: names that contain "barrier", "sync" or "wait",
/// 2. the time of a component outside all its inner regions, beyond that of its fastest PET: its cap there
///    waits for ranks that other components delayed. If only few PETs spend that time, they work instead,
/// 3. the time beyond that of the fastest PET, in connectors and in phases of the mediator, which communicate
///    among all their PETs, and in components whose ranks another component delayed: only some of its ranks
///    ran the other component, the fastest PET among them and the slowest not, or it has no inner regions
///    and ran on ranks whose work for the other component differs by as much. The spread must exceed 5 % of
///    the mean.
///
/// Anything else is work. The spread of work is imbalance inside the component. `driver_instance` selects the
/// driver of a run with several (1, 2, ...); 0 is the first. Throws Error (bad_input) if the profile has no
/// run phase of components. O(regions + components^2).
std::vector<ComponentWork> component_work(const EsmfProfile& profile,
                                          const std::vector<ComponentRanks>& ranks,
                                          std::int64_t driver_instance = 0);

/// Ranks that a profile shows. Each region names two PETs, and connectors show how many ranks their
/// components share.
struct ObservedRanks {
  ComponentRanks ranks;         ///< ranks if `last_root` is the root, without gaps
  std::int64_t first_root = 0;  ///< minimum root that agrees with the profile
  std::int64_t last_root = 0;   ///< maximum root that agrees with the profile
  bool is_certain() const { return first_root == last_root; }
};

/// Derives the ranks of the components and the mediator ("MED") from the PETs that the profile names. The
/// ranks of a component are assumed to have no gaps. Throws Error as component_work() does.
std::vector<ObservedRanks> ranks_in(const EsmfProfile& profile, std::int64_t driver_instance = 0);

}  // namespace plimsoll::pelayout
