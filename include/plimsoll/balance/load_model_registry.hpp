#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/balance/parameters.hpp>

namespace plimsoll::inline v0_1::balance {

/// What a load model says of itself: all that a user interface needs.
struct LoadModelInfo {
  std::string name;  ///< such as "LinearModel"
  std::string help;  ///< one line
  std::vector<ParameterSpec> parameters;
  std::string example;  ///< a pipeline with it
  /// Puts one on top of a model. Throws Error (usage) for a value out of range. Empty for RawData, which
  /// stands on nothing, and PerCollection, whose arguments are pipelines.
  std::function<LoadModelPtr(LoadModelPtr base, const Parameters&)> make = {};
};

/// The model that changes nothing: strategies see what was measured.
inline constexpr const char* measured_loads = "NaivePersistence";

/// All models that text can name, by name.
const std::vector<LoadModelInfo>& load_models();

/// Of a model by its name. Throws Error (usage) for a name that there isn't, with what there is.
const LoadModelInfo& load_model_info(const std::string& name);

/// Makes a model of a pipeline, such as `Norm(power=3) | PersistenceMedianLastN(n=4)`: each stands on the one
/// before it, the first on RawData | NaivePersistence (which may be written too). The grammar:
///
///     pipeline := model { "|" model }
///     model    := NAME [ "(" [ name "=" value { "," name "=" value } ] ")" ]
///
/// A value is a number, a text, a list in brackets or, in PerCollection, a pipeline; blanks around names and
/// values do not count. The model's text() is the pipeline in full, but for RawData | NaivePersistence, and
/// makes the same model again. Throws Error (usage) for what is no pipeline, unknown names, with the nearest,
/// and values out of range.
LoadModelPtr make_load_model(std::string_view pipeline);

}  // namespace plimsoll::balance
