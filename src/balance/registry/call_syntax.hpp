#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/balance/parameters.hpp>

namespace plimsoll::inline v0_1::balance {

/// The kind of thing a text describes, and how to write it. The grammar is that of strategies and load
/// models:
///
///     calls := call { separator call }
///     call  := NAME [ "(" [ key "=" value { "," key "=" value } ] ")" ]
///
/// A value may have brackets, round or square, with anything in them that closes them. Blanks around names,
/// keys and values do not count.
struct CallSyntax {
  const char* kind;     ///< such as "load model"
  char separator;       ///< between calls
  const char* example;  ///< what to do, with an example
};

/// One `Name(key=value,...)`.
struct Call {
  std::string name;  ///< may be empty
  std::vector<std::pair<std::string, std::string>> arguments = {};
};

/// The calls of a text, at least one. Throws Error (usage) for brackets that do not match, an argument
/// without '=',
/// and text after a closing bracket.
std::vector<Call> parse_calls(std::string_view text, const CallSyntax& syntax);

/// The arguments as parameters. Throws Error (usage) for one that is given twice.
ParameterMap parameter_map(const Call& call);

}  // namespace plimsoll::balance
