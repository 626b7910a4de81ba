#pragma once

#include <string>

#include <plimsoll/collectives/summary.hpp>

namespace plimsoll::inline v0_1::cli {

/// What follows the answers of a summary: inconsistent calls, operations, communicators, ranks, messages.
std::string summary_tables(const collectives::Summary& summary);

}  // namespace plimsoll::cli
