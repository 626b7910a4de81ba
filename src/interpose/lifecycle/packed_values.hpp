#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Values that consist of their own bytes.
template <class Value>
concept IsPlain = std::is_trivially_copyable_v<Value>;

/// Packs values into bytes for other processes of the run: plain values, texts and vectors.
class Packer {
 public:
  template <IsPlain Value>
  void operator()(const Value& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class Sequence>
  void operator()(const Sequence& sequence) {
    (*this)(sequence.size());
    for (const auto& element : sequence) (*this)(element);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Unpacks values in the order in which they were packed.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}
  template <IsPlain Value>
  void operator()(Value& value) {
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
  }
  template <class Sequence>
  void operator()(Sequence& sequence) {
    std::size_t size = 0;
    (*this)(size);
    sequence.resize(size);
    for (auto& element : sequence) (*this)(element);
  }
  bool is_empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace plimsoll::interpose
