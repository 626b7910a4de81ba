#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/balance/load_models.hpp>

#include "balance/load_models/parameter_checks.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

// Common code of the models with message costs, CommOverhead and WeightedMessages.

/// Returns a LoadModelInfo::make for a model with the parameters per_message and per_byte.
template <class Model>
LoadModelPtr make_with_message_weights(LoadModelPtr base, const Parameters& parameters) {
  return std::make_shared<Model>(std::move(base), MessageWeights{parameters.get<double>("per_message"),
                                                                 parameters.get<double>("per_byte")});
}

inline void check_weights(const char* model, const MessageWeights& weights) {
  check_weight(model, "per_message", weights.per_message);
  check_weight(model, "per_byte", weights.per_byte);
}

inline std::string text_with_weights(const char* model, const MessageWeights& weights) {
  return fmt::format("{}(per_message={}, per_byte={})", model, weights.per_message, weights.per_byte);
}

/// Returns the share of a quantity of the whole phase, such as traffic, that counts for the requested
/// subphase. The share is proportional to the load. Returns 1 for the whole phase, and 0 if the phase has no
/// load.
inline double subphase_share(const LoadModel& model, ObjectIndex object, PhaseOffset when) {
  if (when.is_whole()) return 1;
  const double whole_s = model.load_s(object, when.of(PhaseOffset::whole_phase));
  return whole_s > 0 ? model.load_s(object, when) / whole_s : 0;
}

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

LoadModelInfo WeightedCommunicationVolume::info() {
  return {.name = "WeightedCommunicationVolume",
          .help = "alpha * load + beta * communication (from an underlying WeightedMessages) + gamma",
          .parameters = {{"alpha", 1.0, "weight of the load"},
                         {"beta", 0.0, "weight of the communication"},
                         {"gamma", 0.0, "seconds per object"}},
          .example = "WeightedMessages(per_byte=1e-09) | WeightedCommunicationVolume(beta=1)",
          .make = [](LoadModelPtr base, const Parameters& parameters) {
            return std::make_shared<WeightedCommunicationVolume>(
                std::move(base), Weights{parameters.get<double>("alpha"), parameters.get<double>("beta"),
                                         parameters.get<double>("gamma")});
          }};
}

WeightedCommunicationVolume::WeightedCommunicationVolume(LoadModelPtr base, Weights weights)
    : ComposedModel(std::move(base)), weights_(weights) {
  check_weight("WeightedCommunicationVolume", "alpha", weights.alpha);
  check_weight("WeightedCommunicationVolume", "beta", weights.beta);
  check_weight("WeightedCommunicationVolume", "gamma", weights.gamma);
}

double WeightedCommunicationVolume::load_s(ObjectIndex object, PhaseOffset when) const {
  return weights_.alpha * base().load_s(object, when) + weights_.beta * communication(object, when) +
         weights_.gamma;
}

std::string WeightedCommunicationVolume::own_text() const {
  return fmt::format("WeightedCommunicationVolume(alpha={}, beta={}, gamma={})", weights_.alpha,
                     weights_.beta, weights_.gamma);
}

}  // namespace plimsoll::balance
