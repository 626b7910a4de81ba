#pragma once

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Writes what a profile without counts knows of the ranks of each communicator: a list with one object per
/// operation, communicator and rank, with their times, wait times and hosts. viewer/src/data/report.ts
/// declares it.
void write_communicator_ranks(support::JsonWriter& json, const collectives::Profile& profile);

}  // namespace plimsoll::cli
