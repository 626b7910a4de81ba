#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/proc_array.hpp>

namespace plimsoll::balance {

/// A placement of the objects that lowers the greatest load in any dimension (walltime with speeds and
/// background, and LDStats::more_loads), each over the dimension's average, to `tolerance` with few moves
/// from from_proc; to what the heaviest object or the fixed load of a rank allows, if that is more. The
/// greatest never rises, unless objects had to leave a rank that is not available.
///
/// The rank with the greatest load gives an object to, or exchanges objects with, one of those that have
/// least in that dimension: the step that lowers the squares of deviations from the averages most, excess
/// counting a hundredfold. Ends where no such step lowers the greatest, or after 16 steps for each object. A
/// step looks at no more than 512 moves or 32,768 exchanges, a random choice where there are more; the seed
/// is fixed.
///
/// Throws Error (bad_input) for a dimension of another length, or a load of it that is negative or not
/// finite.
std::vector<std::int32_t> refine_vectors(const LDStats& stats, const ProcArray& procs, double tolerance);

}  // namespace plimsoll::balance
