#include <algorithm>

#include <plimsoll/balance/load_models.hpp>

#include "balance/load_models/message_weights.hpp"
#include "balance/load_models/subphase_share.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

LoadModelInfo WeightedMessages::info() {
  return {.name = "WeightedMessages",
          .help = "cost of messages to and from other ranks, for a WeightedCommunicationVolume stacked on it",
          .parameters = {{"per_message", 0.0, "cost per message"}, {"per_byte", 1.0, "cost per byte"}},
          .example = "WeightedMessages(per_byte=1e-09) | WeightedCommunicationVolume(beta=1)",
          .make = make_with_message_weights<WeightedMessages>};
}

WeightedMessages::WeightedMessages(LoadModelPtr base, MessageWeights weights)
    : ComposedModel(std::move(base)), weights_(weights) {
  check_weights("WeightedMessages", weights);
}

double WeightedMessages::communication(ObjectIndex object, PhaseOffset when) const {
  const OffRankTraffic volume = traffic(object, when);
  const double cost = std::max(weights_.of(volume.received_send_recv), weights_.of(volume.sent_send_recv));
  return base().communication(object, when) + cost * subphase_share(base(), object, when);
}

std::string WeightedMessages::own_text() const {
  return text_with_weights("WeightedMessages", weights_);
}

}  // namespace plimsoll::balance
