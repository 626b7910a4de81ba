#pragma once

namespace plimsoll::inline v0_1::lbdata {

/// Version of the documented LBDatafile schema.
enum class SchemaVersion {
  page_2023,  ///< older page: `id` mandatory; no `seq_id`, `lb_iterations`, `rank_alpha`
  current,    ///< newer page and `rank_alpha`
};

}  // namespace plimsoll::lbdata
