#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <plimsoll/objects/arguments.hpp>
#include <plimsoll/objects/element.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Numbers the functions of one type that messages call. All ranks of a program number them in the same
/// order, because they run the same executable. `name` names the function in the comparison of all ranks.
/// `type`, if not null, is that of the function of the program, for messages. `has_step` specifies whether
/// the messages belong to steps (Step).
template <class Function>
std::uint32_t add_function(std::string_view name, Function function, const std::type_info* type = nullptr,
                           bool has_step = false);

/// Calls a member function of an element with the arguments that a message contains.
using DeliverPacked = void (*)(ElementBase& element, std::span<const std::byte> arguments);

/// Constructs an element, whose identity is set, from the arguments that a message contains.
using ConstructPacked = std::unique_ptr<ElementBase> (*)(std::span<const std::byte> arguments);
/// Class and argument types of a member function.
template <class Method>
struct MethodTraits;
/// Traits of a member function.
template <class Object, class Result, class... Each>
struct MethodTraits<Result (Object::*)(Each...)> {
  using Class = Object;                                 ///< class of the member function
  using Reply = Result;                                 ///< its result
  using Arguments = std::tuple<std::decay_t<Each>...>;  ///< its arguments, as values
};
template <class Object, class Result, class... Each>
struct MethodTraits<Result (Object::*)(Each...) const> : MethodTraits<Result (Object::*)(Each...)> {};
template <class Object, class Result, class... Each>
struct MethodTraits<Result (Object::*)(Each...) noexcept> : MethodTraits<Result (Object::*)(Each...)> {};
template <class Object, class Result, class... Each>
struct MethodTraits<Result (Object::*)(Each...) const noexcept> : MethodTraits<Result (Object::*)(Each...)> {
};
/// Traits of a function that takes the place of a member function (Reply).
template <class Object, class Result, class... Each>
struct MethodTraits<Result (*)(Object&, Each...)> : MethodTraits<Result (Object::*)(Each...)> {};

/// Does not compile if messages to elements of type T call a member function of another class.
template <class T, auto method>
constexpr void expect_member_of() {
  static_assert(std::is_base_of_v<typename MethodTraits<decltype(method)>::Class, T>,
                "a message calls a member function of a class other than that of its receiver");
}

/// A member function of elements that messages call.
template <auto method>
struct HandlerOf {
  /// Class of the member function.
  using Class = typename MethodTraits<decltype(method)>::Class;
  /// Its arguments, as values.
  using Arguments = typename MethodTraits<decltype(method)>::Arguments;

  static void call(ElementBase& element, Arguments&& arguments) {
    std::apply([&](auto&... each) { std::invoke(method, static_cast<Class&>(element), std::move(each)...); },
               arguments);
  }
  static void deliver(ElementBase& element, std::span<const std::byte> bytes) {
    call(element, unpacked<Arguments>(bytes));
  }

  inline static const std::uint32_t number =
      add_function<DeliverPacked>(typeid(HandlerOf).name(), &deliver, &typeid(method), has_step<Arguments>);
};

/// Returns the packed arguments of a member function, which have the types of its parameters.
template <auto method, class... Each>
std::vector<std::byte> packed(Each&&... arguments) {
  return packed(passed_as<typename HandlerOf<method>::Arguments>(std::forward<Each>(arguments)...));
}

/// A constructor of elements that messages call.
template <class T, class... Each>
struct CreatorOf {
  static std::unique_ptr<ElementBase> construct(std::span<const std::byte> bytes) {
    auto arguments = unpacked<std::tuple<Each...>>(bytes);
    return std::apply([](auto&... each) { return std::make_unique<T>(std::move(each)...); }, arguments);
  }

  inline static const std::uint32_t number =
      add_function<ConstructPacked>(typeid(CreatorOf).name(), &construct);
};

/// Calls a function of the program with the arguments that a message to a rank contains.
using CallPacked = void (*)(ObjectSystem& system, std::span<const std::byte> arguments);
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
      add_function<CallPacked>(typeid(RankFunction).name(), &call, &typeid(function));
};

}  // namespace plimsoll::objects
