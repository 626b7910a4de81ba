#pragma once

#include <string_view>
#include <vector>

#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Kind of object that a text describes, and its notation. Strategies and load models use this grammar:
///
///     calls := call { separator call }
///     call  := NAME [ "(" [ key "=" value { "," key "=" value } ] ")" ]
///
/// A value may contain round or square brackets, with any text in them, if they match. Spaces around names,
/// keys and values are ignored.
struct CallSyntax {
  const char* kind;     ///< kind, such as "load model"
  char separator;       ///< separator between calls
  const char* example;  ///< hint with an example
};

/// Call of the form `Name(key=value,...)`; the name may be empty.
using Call = StrategySpec;

/// Parses one or more calls. Throws Error (usage) for brackets that do not match, an argument without '=',
/// and text after a closing bracket.
std::vector<Call> parse_calls(std::string_view text, const CallSyntax& syntax);

/// Returns the parameters by name. Throws Error (usage) for a duplicate parameter.
ParameterMap parameter_map(const Call& call);

}  // namespace plimsoll::balance
