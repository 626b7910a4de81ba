#pragma once

#include <string>

#include <plimsoll/collectives/summary.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats the tables of a summary: inconsistent calls, operations, communicators, ranks, messages.
std::string summary_tables(const collectives::Summary& summary);

}  // namespace plimsoll::cli
