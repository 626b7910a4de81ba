#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include <plimsoll/collectives/internal/rank_log.hpp>
#include <plimsoll/collectives/merge.hpp>

#include "collectives/merging/parsed_log.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Reads a log. If it is truncated, damaged or malicious, returns the data before the damage. Memory is
/// bounded by the log's size. Throws Error (bad_input) if the content is not a log.
RankLog read_log(const LogContent& content, const MergeLimits& limits);

/// Returns the first record of a log, or nothing if the file is not a log.
std::optional<rank_log::RankRecord> read_log_header(std::span<const char> bytes);

/// Returns the first record of a log in a directory, or nothing if the entry is not a log: another file, or a
/// log whose writer has not written its first record yet.
std::optional<rank_log::RankRecord> log_header_of(const std::filesystem::directory_entry& entry);

}  // namespace plimsoll::collectives
