#pragma once

#include <optional>
#include <string_view>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/json_text.hpp>

#include "collectives/files/findings.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Writes the file of one call of this signature, with one row per rank (not compact).
void write_call_counts(const Signature& signature, support::TextBuffer& output);

/// Reads the file of one call. If the file name does not contain the operation, the operation is inferred
/// from the rows if possible; see told_by_rows(). Errors become findings; the function then returns nothing.
std::optional<Signature> read_call_counts(std::string_view text, std::optional<Operation> operation,
                                          std::uint64_t call, Budget& budget, Findings& findings);

/// Infers the operation from counts. On several ranks, it is Alltoall if every send row and every receive row
/// has only one number. It is Allgatherv if only the send rows have one number. Otherwise it is Alltoallv.
Operation told_by_rows(const Signature& signature);

}  // namespace plimsoll::collectives
