#pragma once

#include <cstdint>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns the record of a phase with data, so that it can be changed: a phase that is listed as identical to
/// an earlier one gets its own record, as does the next phase that is listed as identical to this one.
/// Invalidates other references to records of the rank.
lbdata::PhaseRecord& separate_record(lbdata::RankData& rank, std::int64_t phase);

}  // namespace plimsoll::balance
