#pragma once

#include <algorithm>
#include <limits>

#include <plimsoll/lbdata/statistics.hpp>

namespace plimsoll::runtime {

/// What the ranks tell each other at a phase's end, in one reduction.
struct PhaseReduction {
  static constexpr int none = std::numeric_limits<int>::max();

  lbdata::Statistics object_load_s;
  lbdata::Statistics rank_load_s;
  lbdata::Statistics object_load_modeled_s;  // of no values without a load model of its own
  lbdata::Statistics rank_load_modeled_s;
  lbdata::Statistics object_comm_bytes;
  lbdata::Statistics rank_comm_bytes;
  double duration_s = 0;
  int failed_rank = none;           ///< lowest that has an error to throw
  int failed_to_write_rank = none;  ///< lowest that goes on without writing, since this phase
};

inline void merge_reductions(PhaseReduction& left, const PhaseReduction& right) {
  left.object_load_s.merge(right.object_load_s);
  left.rank_load_s.merge(right.rank_load_s);
  left.object_load_modeled_s.merge(right.object_load_modeled_s);
  left.rank_load_modeled_s.merge(right.rank_load_modeled_s);
  left.object_comm_bytes.merge(right.object_comm_bytes);
  left.rank_comm_bytes.merge(right.rank_comm_bytes);
  left.duration_s = std::max(left.duration_s, right.duration_s);
  left.failed_rank = std::min(left.failed_rank, right.failed_rank);
  left.failed_to_write_rank = std::min(left.failed_to_write_rank, right.failed_to_write_rank);
}

}  // namespace plimsoll::runtime
