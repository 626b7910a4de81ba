#include <fmt/format.h>

#include <plimsoll/balance/load_models.hpp>

#include "balance/load_models/bounds.hpp"
#include "balance/load_models/subphase_share.hpp"

namespace plimsoll::balance {

LoadModelInfo CommOverhead::info() {
  return {.name = "CommOverhead",
          .help = "adds what receiving from other ranks costs",
          .parameters = {{"per_message", 0.001, "seconds for each message"},
                         {"per_byte", 0.000001, "seconds for each byte"}},
          .example = "CommOverhead(per_message=2e-06, per_byte=1e-09)",
          .make = [](LoadModelPtr base, const Parameters& parameters) {
            return std::make_shared<CommOverhead>(
                std::move(base),
                MessageWeights{parameters.get<double>("per_message"), parameters.get<double>("per_byte")});
          }};
}

CommOverhead::CommOverhead(LoadModelPtr base, MessageWeights weights)
    : ComposedModel(std::move(base)), weights_(weights) {
  check_weight("CommOverhead", "per_message", weights.per_message);
  check_weight("CommOverhead", "per_byte", weights.per_byte);
}

double CommOverhead::load_s(ObjectIndex object, PhaseOffset when) const {
  const double overhead_s = weights_.of(traffic(object, when).received);
  return base().load_s(object, when) + overhead_s * subphase_share(base(), object, when);
}

std::string CommOverhead::own_text() const {
  return fmt::format("CommOverhead(per_message={}, per_byte={})", weights_.per_message, weights_.per_byte);
}

}  // namespace plimsoll::balance
