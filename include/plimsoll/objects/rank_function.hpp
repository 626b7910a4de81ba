#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <plimsoll/objects/handler.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Calls a function of the program with the arguments that a message to a rank contains.
using CallPacked = void (*)(ObjectSystem& system, std::span<const std::byte> arguments);
/// Numbers the functions that messages to ranks call, like add_handler().
std::uint32_t add_rank_function(std::string_view name, const std::type_info& type, CallPacked call);

/// Argument types of a function that messages to ranks call.
template <class Function>
struct RankFunctionTraits;
/// Traits of a function.
template <class Result, class... Each>
struct RankFunctionTraits<Result (*)(ObjectSystem&, Each...)> {
  using Arguments = std::tuple<std::decay_t<Each>...>;  ///< all but the system, as values
};
template <class Result, class... Each>
struct RankFunctionTraits<Result (*)(ObjectSystem&, Each...) noexcept>
    : RankFunctionTraits<Result (*)(ObjectSystem&, Each...)> {};

/// A function of the program that messages to ranks call.
template <auto function>
struct RankFunction {
  using Arguments = typename RankFunctionTraits<decltype(function)>::Arguments;  ///< its arguments, as values

  static void call(ObjectSystem& system, std::span<const std::byte> bytes) {
    auto arguments = unpacked<Arguments>(bytes);
    std::apply([&](auto&... each) { function(system, std::move(each)...); }, arguments);
  }

  inline static const std::uint32_t number =
      add_rank_function(typeid(RankFunction).name(), typeid(function), &call);
};

}  // namespace plimsoll::objects
