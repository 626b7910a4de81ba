#include <algorithm>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

std::int32_t LDStats::n_migrateobjs() const {
  return static_cast<std::int32_t>(std::ranges::count(obj_data, true, &LDObjData::migratable));
}

}  // namespace plimsoll::balance
