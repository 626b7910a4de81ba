#include <plimsoll/balance/load_models.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

LoadModelInfo RawData::info() {
  return {.name = "RawData", .help = "measured loads; must be first in a pipeline", .example = "RawData"};
}

double RawData::load_s(ObjectIndex object, PhaseOffset when) const {
  if (!when.is_past())
    throw support::usage_error("RawData does not predict future phases", "use NaivePersistence on top of it");
  return when.is_whole() ? history_->load_s(object, -when.phases)
                         : history_->subphase_load_s(object, -when.phases, when.subphase);
}

OffRankTraffic RawData::traffic(ObjectIndex object, PhaseOffset when) const {
  return history_->traffic(object, when.is_past() ? -when.phases : 1);
}

std::string RawData::text(const LoadModel*) const {
  return "RawData";
}

}  // namespace plimsoll::balance
