#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/balance/load_models.hpp>

#include "balance/load_models/bounds.hpp"
#include "balance/load_models/subphase_share.hpp"

namespace plimsoll::balance {

LoadModelInfo WeightedMessages::info() {
  return {
      .name = "WeightedMessages",
      .help = "what messages from or to other ranks cost, for a WeightedCommunicationVolume on it",
      .parameters = {{"per_message", 0.0, "cost of each message"}, {"per_byte", 1.0, "cost of each byte"}},
      .example = "WeightedMessages(per_byte=1e-09) | WeightedCommunicationVolume(beta=1)",
      .make = [](LoadModelPtr base, const Parameters& parameters) {
        return std::make_shared<WeightedMessages>(
            std::move(base),
            MessageWeights{parameters.get<double>("per_message"), parameters.get<double>("per_byte")});
      }};
}

WeightedMessages::WeightedMessages(LoadModelPtr base, MessageWeights weights)
    : ComposedModel(std::move(base)), weights_(weights) {
  check_weight("WeightedMessages", "per_message", weights.per_message);
  check_weight("WeightedMessages", "per_byte", weights.per_byte);
}

double WeightedMessages::communication(ObjectIndex object, PhaseOffset when) const {
  const OffRankTraffic volume = traffic(object, when);
  const double cost = std::max(weights_.of(volume.received_send_recv), weights_.of(volume.sent_send_recv));
  return base().communication(object, when) + cost * subphase_share(base(), object, when);
}

std::string WeightedMessages::own_text() const {
  return fmt::format("WeightedMessages(per_message={}, per_byte={})", weights_.per_message,
                     weights_.per_byte);
}

}  // namespace plimsoll::balance
