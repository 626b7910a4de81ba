#pragma once

#include <optional>
#include <string_view>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/text_buffer.hpp>

#include "collectives/files/findings.hpp"

namespace plimsoll::inline v0_1::collectives {

/// Writes the file of one call of this signature (not compact: the rows of all ranks).
void write_call_counts(const Signature& signature, support::TextBuffer& output);

/// Reads the file of one call. Where its name does not say of which operation, the rows do as far as they
/// can, see told_by_rows(). What is wrong becomes a finding, and there is no signature then.
std::optional<Signature> read_call_counts(std::string_view text, std::optional<Operation> operation,
                                          std::uint64_t call, Budget& budget, Findings& findings);

/// The operation that counts look like: rows of one number for more than one rank are Alltoall's, or if only
/// the rows sent are, Allgatherv's; anything else is Alltoallv's.
Operation told_by_rows(const Signature& signature);

}  // namespace plimsoll::collectives
