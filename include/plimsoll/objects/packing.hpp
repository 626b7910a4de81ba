#pragma once

#include <cereal/cereal.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <plimsoll/runtime/byte_archives.hpp>

// Arguments of messages as bytes: those that cereal writes, one argument after the other. Numbers, arrays of
// numbers and vectors of these are packed without cereal, which would take longer than all the rest of a
// short message.

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Whether cereal packs values of this type as the bytes that they have in memory.
template <class T>
inline constexpr bool is_packed_as_memory = std::is_arithmetic_v<T>;
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

}  // namespace plimsoll::objects
