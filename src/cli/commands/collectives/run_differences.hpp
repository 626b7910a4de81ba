#pragma once

#include <string>

#include <plimsoll/collectives/comparison.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats the comparison of the data of two runs. The last lines contain the first difference.
std::string content_text(const collectives::ContentComparison& comparison);

/// Formats the comparison of the MPI calls of two runs.
std::string mpi_changes_text(const collectives::MpiComparison& comparison);

}  // namespace plimsoll::cli
