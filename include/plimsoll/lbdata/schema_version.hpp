#pragma once

#include <plimsoll/support/named.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Version of the documented LBDatafile schema.
enum class SchemaVersion {
  page_2023,  ///< older page: `id` mandatory; no `seq_id`, `lb_iterations`, `rank_alpha`
  current,    ///< newer page and `rank_alpha`
};

/// Names of the versions, as in `plimsoll validate --schema`.
inline constexpr support::Named<SchemaVersion> schema_versions[] = {{"2023", SchemaVersion::page_2023},
                                                                    {"current", SchemaVersion::current}};

}  // namespace plimsoll::lbdata
