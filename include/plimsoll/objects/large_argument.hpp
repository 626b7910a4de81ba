#pragma once

#include <cereal/cereal.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <plimsoll/objects/packing.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

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
