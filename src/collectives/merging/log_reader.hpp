#pragma once

#include <optional>
#include <span>

#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/collectives/rank_log.hpp>

#include "collectives/merging/parsed_log.hpp"

namespace plimsoll::inline v0_1::collectives {

/// Reads a log, which may be cut, damaged or hostile: then what precedes the damage. Memory is bounded by its
/// size. Throws Error (bad_input) if it is no log.
RankLog read_log(const LogContent& content, const MergeLimits& limits);

/// What the first record of a log says, or nothing if it is no log.
std::optional<rank_log::RankRecord> read_log_header(std::span<const char> bytes);

}  // namespace plimsoll::collectives
