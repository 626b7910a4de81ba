#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Value of a parameter; the variant's alternative is its type.
using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;

/// Returns "boolean", "integer", "real" or "text".
const char* type_name(const ParameterValue& value);
/// Formats the value as a user would write it.
std::string to_string(const ParameterValue& value);

/// Parameter of a strategy; its type is the type of the default.
struct ParameterSpec {
  std::string name;
  ParameterValue default_value;           ///< default value, which also sets the type
  std::string help;                       ///< help text, one line, with the unit
  std::vector<std::string> aliases = {};  ///< alternative names, which users of other systems know
};

/// Formats a table of parameters with descriptions and their names in other systems, in lines of at most
/// `width` columns.
std::string parameter_table(const std::vector<ParameterSpec>& parameters,
                            std::size_t width = std::numeric_limits<std::size_t>::max());

/// Names and values of parameters as text (from a command line, a configuration file, or a program).
using ParameterMap = std::map<std::string, std::string>;

/// Returns the Error (usage) for an invalid value of a parameter of `owner`, a strategy or load model. Text
/// is quoted. `advice` is the hint, such as "use 1 to 1000".
Error invalid_parameter(const std::string& owner, const std::string& name, const ParameterValue& value,
                        const std::string& advice);

/// Values of all parameters of a strategy: user settings, and defaults for the others.
class Parameters {
 public:
  /// Parses the user's values; aliases of parameters are valid names. `owner` is the strategy's name, for
  /// messages. Throws Error (usage) for an unknown name, a duplicate parameter (under two names), or a string
  /// that is invalid for the parameter's type.
  Parameters(const std::string& owner, const std::vector<ParameterSpec>& specs,
             const ParameterMap& given = {});

  /// Returns the value of a parameter. The strategy must have the parameter with this type.
  template <typename Type>
  const Type& get(const std::string& name) const {
    return std::get<Type>(values_.at(name));
  }
  const std::map<std::string, ParameterValue>& values() const { return values_; }

 private:
  std::map<std::string, ParameterValue> values_;
};

/// Returns the value of a parameter that is a target maximum load relative to the average. `owner` is the
/// strategy's name, for messages. Throws Error (usage) if the value is below 1.
double tolerance_of(const std::string& owner, const Parameters& parameters,
                    const std::string& name = "tolerance");

}  // namespace plimsoll::balance
