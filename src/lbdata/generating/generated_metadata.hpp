#pragma once

#include <plimsoll/lbdata/generator.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Returns the metadata of a rank of a generated data set; uses the number of ranks, of ranks per node, and
/// the seed.
RankMetadata generated_metadata(const GenerateOptions& options, std::int64_t rank);

}  // namespace plimsoll::lbdata
