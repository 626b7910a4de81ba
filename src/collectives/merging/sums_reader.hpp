#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/collectives/internal/rank_calls.hpp>
#include <plimsoll/collectives/internal/rank_sums.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The rank to which a file of sums belongs.
struct SumsHeader : rank_sums::RankRecord {
  std::string host;
};

/// Reads the beginning of a file of sums (rank_sums.hpp); nothing if it is not one.
std::optional<SumsHeader> read_sums_header(std::span<const char> bytes);

/// Reads the header of a file of sums; nothing if the name or the content is that of another file.
std::optional<SumsHeader> sums_header_of(const std::filesystem::path& path);

/// Number of bytes at the beginning of a file that read_sums_header() needs.
inline constexpr std::size_t sums_header_bytes = 1024;

/// The sums in the file of one rank.
struct RankSums {
  SumsHeader header;
  RankCalls calls;
  bool finalized = false;  ///< whether the rank has called MPI_Finalize, so that the sums are complete
};

/// Reads the sums of a rank. Accepts the file of a process that is still recording, and the part of a file
/// before its first damage: adds a finding for damage, and for values that are impossible, which are skipped.
/// `name` is used in messages. Cost: O(bytes). Throws Error (bad_input) if the beginning is damaged.
RankSums read_rank_sums(std::span<const char> bytes, const std::string& name,
                        std::vector<support::Diagnostic>& findings);

}  // namespace plimsoll::collectives
