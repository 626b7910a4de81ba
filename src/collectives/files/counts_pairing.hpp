#pragma once

#include <string>
#include <vector>

#include "collectives/files/counts_reader.hpp"
#include "collectives/files/findings.hpp"
#include "collectives/files/signature_collector.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Combines the send and receive sides of the same calls. Block n of one file is paired with block n of the
/// other. If their calls differ, block n is paired with the block that has the same calls. A block without a
/// partner is reported and skipped.
void pair_blocks(std::vector<CountsBlock> send, std::vector<CountsBlock> recv, Content content,
                 Findings& send_findings, Findings& recv_findings, SignatureCollector& signatures);

/// Describes an error in the sizes of the two matrices; empty if they are correct.
std::string size_problem(const Signature& signature);

}  // namespace plimsoll::collectives
