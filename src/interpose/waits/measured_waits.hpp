#pragma once

#include <plimsoll/collectives/internal/rank_calls.hpp>

#include "interpose/sums/sum_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::MeasuredWaits;

/// Waits by place and function, as in ThreadRecord::Sites.
using WaitTable = SumTable<MeasuredWaits>;

}  // namespace plimsoll::interpose
