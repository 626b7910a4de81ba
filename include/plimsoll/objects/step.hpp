#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Step of an iteration, as the first parameter of a member function that receives messages:
///
///     void receive_halo(plimsoll::Step step, int side, double value);
///
/// An element receives such messages only for the step that it has specified with when(). Those of later
/// steps wait in the element. In Charm++, it is the reference number in `when receive_halo[step](...)`.
struct Step {
  constexpr Step() = default;
  /// Integers are steps if std::int64_t can represent all values of their type.
  template <std::integral Integer>
  requires(std::is_signed_v<Integer> ||
           sizeof(Integer) < sizeof(std::int64_t)) constexpr Step(Integer its_number)
      : number(its_number) {}

  std::int64_t number = 0;

  friend auto operator<=>(const Step&, const Step&) = default;

  /// For messages to other ranks.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number);
  }
};

/// Whether a message with these arguments, a std::tuple, belongs to a step.
template <class Arguments>
inline constexpr bool has_step = false;
template <class First, class... Rest>
inline constexpr bool has_step<std::tuple<First, Rest...>> = std::is_same_v<First, Step>;

}  // namespace plimsoll::objects

namespace plimsoll::PLIMSOLL_ABI {
using objects::Step;
}  // namespace plimsoll
