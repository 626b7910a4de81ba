#include <plimsoll/balance/load_models.hpp>

#include "balance/load_models/message_weights.hpp"
#include "balance/load_models/subphase_share.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

LoadModelInfo CommOverhead::info() {
  return {.name = "CommOverhead",
          .help = "adds the cost of messages received from other ranks",
          .parameters = {{"per_message", 0.001, "seconds per message"},
                         {"per_byte", 0.000001, "seconds per byte"}},
          .example = "CommOverhead(per_message=2e-06, per_byte=1e-09)",
          .make = make_with_message_weights<CommOverhead>};
}

CommOverhead::CommOverhead(LoadModelPtr base, MessageWeights weights)
    : ComposedModel(std::move(base)), weights_(weights) {
  check_weights("CommOverhead", weights);
}

double CommOverhead::load_s(ObjectIndex object, PhaseOffset when) const {
  const double overhead_s = weights_.of(traffic(object, when).received);
  return base().load_s(object, when) + overhead_s * subphase_share(base(), object, when);
}

std::string CommOverhead::own_text() const {
  return text_with_weights("CommOverhead", weights_);
}

}  // namespace plimsoll::balance
