#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/balance/parameters.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Description of a load model for user interfaces.
struct LoadModelInfo {
  std::string name;  ///< name, such as "LinearModel"
  std::string help;  ///< help text, one line
  std::vector<ParameterSpec> parameters;
  std::string example;  ///< example of a pipeline with the model
  /// Stacks a new model on `base`. Throws Error (usage) for a value out of range. Not set for RawData, which
  /// has no underlying model, and for PerCollection, whose arguments are pipelines.
  std::function<LoadModelPtr(LoadModelPtr base, const Parameters&)> make = {};
};

/// Name of the model that changes nothing: strategies see the measured loads.
inline constexpr const char* measured_loads = "NaivePersistence";

/// Returns all models that text can specify, sorted by name.
const std::vector<LoadModelInfo>& load_models();

/// Returns the description of a model by its name. Throws Error (usage) for an unknown name, with the
/// available names.
const LoadModelInfo& load_model_info(const std::string& name);

/// Makes a model from a pipeline, such as `Norm(power=3) | PersistenceMedianLastN(n=4)`. Each model is
/// stacked on the model before it. The first is stacked on RawData | NaivePersistence, which the pipeline
/// may also contain explicitly. The grammar:
///
///     pipeline := model { "|" model }
///     model    := NAME [ "(" [ name "=" value { "," name "=" value } ] ")" ]
///
/// A value is a number, a string, a list in brackets or, in PerCollection, a pipeline. Spaces around names
/// and values are ignored. The model's text() is the full pipeline without RawData | NaivePersistence, and
/// makes the same model again. Throws Error (usage) for an invalid pipeline, for unknown names (with the
/// nearest match), and for values out of range.
LoadModelPtr make_load_model(std::string_view pipeline);

}  // namespace plimsoll::balance
