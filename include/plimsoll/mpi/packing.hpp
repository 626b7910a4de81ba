#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

/// Packs values and arrays into the bytes of a message. All ranks must represent them in the same way, which
/// MPI programs on one kind of processor do.
class Packer {
 public:
  /// Reserves memory for this number of bytes.
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  template <class Value>
  void value(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    append(&value, sizeof value);
  }
  /// Packs an array, with its length.
  template <class Value>
  void array(std::span<const Value> values) {
    static_assert(std::is_trivially_copyable_v<Value>);
    value(values.size());
    append(values.data(), values.size_bytes());
  }
  template <class Value>
  void array(const std::vector<Value>& values) {
    array(std::span<const Value>(values));
  }
  void text(std::string_view text) { array(std::span<const char>(text)); }

  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }

  std::vector<std::byte> bytes_;
};

/// Unpacks what a Packer packed, in the same order. Throws Error (bad_input) beyond the end of the bytes.
class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class Value>
  Value value() {
    static_assert(std::is_trivially_copyable_v<Value>);
    Value value;
    std::memcpy(&value, next(sizeof value), sizeof value);
    return value;
  }
  /// Unpacks an array and appends it to `values`.
  template <class Value>
  void append_to(std::vector<Value>& values) {
    const std::size_t count = length(sizeof(Value));
    const std::size_t old_size = values.size();
    values.resize(old_size + count);
    if (count > 0) std::memcpy(values.data() + old_size, next(count * sizeof(Value)), count * sizeof(Value));
  }
  template <class Value>
  std::vector<Value> array() {
    std::vector<Value> values;
    append_to(values);
    return values;
  }
  std::string text() {
    const std::size_t size = length(1);
    return {reinterpret_cast<const char*>(next(size)), size};
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::size_t length(std::size_t element_bytes) {
    const auto count = value<std::size_t>();
    if (count > bytes_.size() / element_bytes) too_short();
    return count;
  }
  const std::byte* next(std::size_t size) {
    if (size > bytes_.size()) too_short();
    const std::byte* begin = bytes_.data();
    bytes_ = bytes_.subspan(size);
    return begin;
  }
  [[noreturn]] static void too_short() {
    throw support::bad_input("message between ranks is too short",
                             "run the same version of the program on all ranks");
  }

  std::span<const std::byte> bytes_;
};

}  // namespace plimsoll::mpi
