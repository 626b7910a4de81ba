#pragma once

#include <concepts>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Whether a conversion of numbers can change a value, because the new type cannot represent all values of
/// the old one: from double to int, from int to unsigned, from std::int64_t to double. Unlike narrowing in
/// C++, this excludes conversions without loss, such as from int to double.
template <class From, class To>
inline constexpr bool is_narrowing = [] {
  if constexpr (!std::is_arithmetic_v<From> || !std::is_arithmetic_v<To> || std::is_same_v<From, To>)
    return false;
  else if constexpr (std::integral<To> && (std::floating_point<From> || std::is_same_v<To, bool>))
    return true;
  else
    return (std::is_signed_v<From> && !std::is_signed_v<To>) ||
           std::numeric_limits<From>::digits > std::numeric_limits<To>::digits;
}();

/// Does not compile if an argument of a message cannot become a value of its parameter's type as it is.
template <class Argument, class Parameter>
constexpr void expect_passable() {
  static_assert(std::is_convertible_v<Argument, Parameter>,
                "an argument of a message cannot be converted implicitly to the type of the parameter");
  static_assert(!is_narrowing<std::remove_cvref_t<Argument>, Parameter>,
                "an argument of a message is narrowed: the type of the parameter cannot represent all values "
                "of the argument's type; convert the argument explicitly");
}

/// Does the same for all arguments. `Parameters` is the tuple of their parameters' types.
template <class Parameters, class... Arguments>
constexpr void expect_all_passable() {
  []<class... Each>(std::type_identity<std::tuple<Each...>>) {
    static_assert(sizeof...(Arguments) == sizeof...(Each),
                  "a message has another number of arguments than the function has parameters");
    if constexpr (sizeof...(Arguments) == sizeof...(Each)) (expect_passable<Arguments, Each>(), ...);
  }(std::type_identity<Parameters>());
}

/// Returns the arguments of a message as values of their parameters' types.
template <class Parameters, class... Each>
Parameters passed_as(Each&&... arguments) {
  expect_all_passable<Parameters, Each...>();
  return Parameters(std::forward<Each>(arguments)...);
}

}  // namespace plimsoll::objects
