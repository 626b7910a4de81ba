#pragma once

#include <cereal/cereal.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <plimsoll/objects/step.hpp>
#include <plimsoll/runtime/serialised_transport.hpp>

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

// Arguments of messages as bytes: those that cereal writes, one argument after the other. Numbers, arrays of
// numbers and vectors of these are packed without cereal, which would take longer than all the rest of a
// short message.
/// Whether cereal packs values of this type as the bytes that they have in memory.
template <class T>
inline constexpr bool is_packed_as_memory = std::is_arithmetic_v<T> || std::is_same_v<T, Step>;
template <class T, std::size_t size>
inline constexpr bool is_packed_as_memory<std::array<T, size>> = is_packed_as_memory<T>;

/// Whether values of this type are vectors of values that are packed as memory.
template <class T>
inline constexpr bool is_plain_vector = false;
template <class T>
inline constexpr bool is_plain_vector<std::vector<T>> = is_packed_as_memory<T> && !std::is_same_v<T, bool>;

/// Whether the packed size of an argument follows from its type, and from its size if it is a vector.
template <class T>
inline constexpr bool has_simple_size = is_packed_as_memory<T> || is_plain_vector<T>;

/// Returns the memory of the values of a plain vector.
template <class T>
std::span<const std::byte> memory_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

/// Packed size of an argument, in bytes.
template <class T>
requires has_simple_size<T> std::size_t simple_size(const T& argument) {
  if constexpr (is_packed_as_memory<T>)
    return sizeof argument;
  else
    return sizeof(cereal::size_type) + memory_of(argument).size();
}

/// Packed size of the arguments of a message, in bytes. Time: O(1) for arguments with has_simple_size.
template <class... Each>
std::size_t packed_bytes(const std::tuple<Each...>& arguments) {
  if constexpr ((has_simple_size<std::remove_cvref_t<Each>> && ...)) {
    return std::apply([](const auto&... each) { return (std::size_t{0} + ... + simple_size(each)); },
                      arguments);
  } else {
    runtime::PackArchive archive;  // one for all: it writes an object that several pointers share once
    std::size_t bytes = 0;
    const auto add = [&]<class T>(const T& argument) {
      if constexpr (has_simple_size<T>)
        bytes += simple_size(argument);
      else
        archive(argument);
    };
    std::apply([&](const auto&... each) { (add(each), ...); }, arguments);
    return bytes + archive.size_bytes();
  }
}

/// Packs the arguments of a message into `bytes`, which have exactly their packed size.
template <class... Each>
void pack(const std::tuple<Each...>& arguments, std::span<std::byte> bytes) {
  if constexpr ((is_packed_as_memory<std::remove_cvref_t<Each>> && ...)) {
    [[maybe_unused]] std::byte* to = bytes.data();
    [[maybe_unused]] const auto copy = [&](const auto& argument) {
      std::memcpy(to, &argument, sizeof argument);
      to += sizeof argument;
    };
    std::apply([&](const auto&... each) { (copy(each), ...); }, arguments);
  } else {
    runtime::PackArchive archive(bytes);
    std::apply([&](const auto&... each) { (archive(each), ...); }, arguments);
  }
}

/// Returns the packed arguments of a message.
template <class Arguments>
std::vector<std::byte> packed(const Arguments& arguments) {
  std::vector<std::byte> bytes(packed_bytes(arguments));
  pack(arguments, bytes);
  return bytes;
}

/// Throws Error (usage) if the arguments of a message take another size than the message has.
inline void expect_all_read(std::size_t read, std::size_t size) {
  if (read != size)
    throw support::usage_error("the receiver of a message reads less data than the sender wrote",
                               "check that serialize(), or load() and save(), use the same data");
}

/// Unpacks the arguments of a message. Throws Error (usage) if `bytes` are not exactly these.
template <class Arguments>
Arguments unpacked(std::span<const std::byte> bytes) {
  Arguments arguments;
  const auto unpack = [&]<class... Each>(Each&... each) {
    if constexpr ((is_packed_as_memory<Each> && ...)) {
      expect_all_read((std::size_t{0} + ... + sizeof each), bytes.size());
      [[maybe_unused]] const std::byte* from = bytes.data();
      [[maybe_unused]] const auto copy = [&](auto& argument) {
        std::memcpy(&argument, from, sizeof argument);
        from += sizeof argument;
      };
      (copy(each), ...);
    } else {
      runtime::UnpackArchive archive(bytes);
      (archive(each), ...);
      expect_all_read(archive.size_bytes(), bytes.size());
    }
  };
  std::apply(unpack, arguments);
  return arguments;
}

/// Packed size of values as arguments of these types, in bytes.
template <class... Each>
std::size_t packed_bytes_as(std::type_identity<std::tuple<Each...>>,
                            const std::type_identity_t<Each>&... values) {
  return packed_bytes(std::tie(values...));
}

/// Argument of a message to another rank that is sent from its own memory instead of being packed with the
/// others: the largest `std::vector` of numbers, or of arrays of numbers, if it has at least 64 KiB.
struct LargeArgument {
  /// Size from which a copy takes longer than one more message between ranks.
  static constexpr std::size_t min_bytes = std::size_t{64} << 10;

  std::shared_ptr<const void> owner;  ///< keeps the memory until it has been sent; null: none is large
  std::span<const std::byte> bytes;
};

/// Arguments of a message without a LargeArgument.
struct PackedRest {
  std::vector<std::byte> bytes;
  std::size_t position = 0;  ///< number of bytes that precede the large argument
};

/// Returns the memory of the argument that is to be sent on its own; empty if all are small.
template <class... Each>
std::span<const std::byte> large_memory(const std::tuple<Each...>& arguments) {
  std::span<const std::byte> largest;
  const auto compare = [&]<class T>(const T& argument) {
    if constexpr (is_plain_vector<T>) {
      const std::span<const std::byte> bytes = memory_of(argument);
      if (bytes.size() >= LargeArgument::min_bytes && bytes.size() > largest.size()) largest = bytes;
    }
  };
  std::apply([&](const auto&... each) { (compare(each), ...); }, arguments);
  return largest;
}

/// Packs the arguments except the numbers in `left_out`. The receiver unpacks the same bytes as of pack()
/// once `left_out` is inserted.
template <class... Each>
PackedRest packed_without(const std::tuple<Each...>& arguments, std::span<const std::byte> left_out) {
  PackedRest rest;
  const auto write_to = [&](runtime::PackArchive& archive) {
    const auto write = [&]<class T>(const T& argument) {
      if constexpr (is_plain_vector<T>) {
        if (memory_of(argument).data() == left_out.data()) {
          archive(cereal::make_size_tag(static_cast<cereal::size_type>(argument.size())));
          rest.position = archive.size_bytes();
          return;
        }
      }
      archive(argument);
    };
    std::apply([&](const auto&... each) { (write(each), ...); }, arguments);
  };
  runtime::PackArchive size;
  write_to(size);
  rest.bytes.resize(size.size_bytes());
  runtime::PackArchive content(rest.bytes);
  write_to(content);
  return rest;
}

/// Takes the argument with this memory, which stays where it is.
template <class... Each>
LargeArgument take_argument(std::tuple<Each...>& arguments, std::span<const std::byte> memory) {
  LargeArgument taken{.owner = nullptr, .bytes = memory};
  const auto take = [&]<class T>(T& argument) {
    if constexpr (is_plain_vector<T>) {
      if (memory_of(argument).data() == memory.data())
        taken.owner = std::make_shared<const T>(std::move(argument));
    }
  };
  std::apply([&](auto&... each) { (take(each), ...); }, arguments);
  return taken;
}

}  // namespace plimsoll::objects
