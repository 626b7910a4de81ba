#pragma once

#include <plimsoll/pelayout/esmf_profile.hpp>
#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns the run that an ESMF profile shows, with the times that CIME takes from it: of components, that of
/// the slowest PET; of the coupler and of coupling, the sum of the means of the mediator's phases and of
/// connectors. Tasks are PETs. First ranks follow from the PETs in the profile; a note names those that are
/// uncertain. The length of the run is set as for statistics; see parse_timing_statistics(). Throws Error as
/// component_work() does, and if no component has a number of steps.
TimingFile run_of(const EsmfProfile& profile, const RunFacts& facts);

/// Divides the times of a run into work and waiting. Components whose tasks or times differ from those in the
/// ESMF profile are not divided, with a warning: then the two files are of different runs.
void add_work(const EsmfProfile& profile, TimingFile& run);

/// Divides the times of a run by the ESMF profile of the same run in the directory of its timing profile, if
/// it has one. A profile that cannot be read causes a warning.
void add_work_from_directory(TimingFile& run);

/// Returns whether a name is that of an ESMF profile: ESMF_Profile.summary, cesm.ESMF_Profile.summary.<log
/// id>.
bool names_esmf_profile(std::string_view name);

}  // namespace plimsoll::pelayout
