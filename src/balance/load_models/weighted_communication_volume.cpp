#include <fmt/format.h>

#include <plimsoll/balance/load_models.hpp>

#include "balance/load_models/parameter_checks.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

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
