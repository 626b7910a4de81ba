#pragma once

#include <string>
#include <vector>

#include "collectives/files/counts_reader.hpp"
#include "collectives/files/findings.hpp"
#include "collectives/files/signature_collector.hpp"

namespace plimsoll::inline v0_1::collectives {

/// Puts what is sent and what is received in the same calls together: block n of the one file with block n of
/// the other, or if they are not of the same calls, that which is. A block without partner is reported and
/// left out.
void pair_blocks(std::vector<CountsBlock> send, std::vector<CountsBlock> recv, Content content,
                 Findings& send_findings, Findings& recv_findings, SignatureCollector& signatures);

/// What is wrong with the sizes of the two matrices of a call; empty if nothing is.
std::string size_problem(const Signature& signature);

}  // namespace plimsoll::collectives
