#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

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

}  // namespace plimsoll::balance
