#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace plimsoll::inline v0_1::balance {

/// A parameter's value; the alternative is its type.
using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;

/// "boolean", "integer", "real" or "text".
const char* type_name(const ParameterValue& value);
/// The value as a user would write it.
std::string to_string(const ParameterValue& value);

/// One parameter of a strategy: its type is that of the default.
struct ParameterSpec {
  std::string name;
  ParameterValue default_value;           ///< also sets the type
  std::string help;                       ///< one line, with the unit
  std::vector<std::string> aliases = {};  ///< other names, which users of other systems know
};

/// What a user writes: name and value as text (from a command line, a configuration file, or a program).
using ParameterMap = std::map<std::string, std::string>;

/// The values of all parameters of a strategy: defaults, and what the user gave.
class Parameters {
 public:
  /// `owner` is the strategy's name, for messages. A parameter may be given by one of its aliases.
  /// Throws Error (usage) for a name that is no parameter, a parameter given twice (by two names), or a text
  /// that is no value of its type.
  Parameters(const std::string& owner, const std::vector<ParameterSpec>& specs,
             const ParameterMap& given = {});

  /// The value of a parameter that the strategy has, of the type that it has.
  template <typename Type>
  const Type& get(const std::string& name) const {
    return std::get<Type>(values_.at(name));
  }
  const std::map<std::string, ParameterValue>& values() const { return values_; }

 private:
  std::map<std::string, ParameterValue> values_;
};

}  // namespace plimsoll::balance
