#pragma once

namespace plimsoll::inline v0_1::lbdata {

/// Which edition of the documented LBDatafile schema is meant.
enum class SchemaVersion {
  page_2023,  ///< the older page: `id` mandatory; no `seq_id`, `lb_iterations`, `rank_alpha`
  current,    ///< the newer page and `rank_alpha`
};

}  // namespace plimsoll::lbdata
