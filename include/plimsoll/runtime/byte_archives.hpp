#pragma once

#include <cereal/cereal.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>

#include <plimsoll/support/error.hpp>

// Archives of cereal (Debian package libcereal-dev) without a stream. Objects are packed in the machine's
// byte order, for ranks of one program.

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Counts the bytes that an object needs, or writes them straight into memory.
class PackArchive : public cereal::OutputArchive<PackArchive, cereal::AllowEmptyClassElision> {
 public:
  /// Creates an archive that only counts.
  PackArchive() : OutputArchive(this) {}
  /// Creates an archive that writes into `memory`.
  explicit PackArchive(std::span<std::byte> memory)
      : OutputArchive(this), memory_(memory), counts_only_(false) {}

  /// Appends bytes. Throws Error (usage) if they do not fit into the memory.
  void write(const void* bytes, std::size_t size) {
    if (!counts_only_) {
      if (size > memory_.size() - size_bytes_) {
        throw support::usage_error("the object has more data than when its size was counted",
                                   "check that its serialize() or save() always writes the same data");
      }
      if (size > 0) std::memcpy(memory_.data() + size_bytes_, bytes, size);
    }
    size_bytes_ += size;
  }
  /// Returns the number of bytes so far.
  std::size_t size_bytes() const { return size_bytes_; }

 private:
  std::span<std::byte> memory_;
  bool counts_only_ = true;
  std::size_t size_bytes_ = 0;
};

/// Reads the bytes that a PackArchive wrote.
class UnpackArchive : public cereal::InputArchive<UnpackArchive, cereal::AllowEmptyClassElision> {
 public:
  explicit UnpackArchive(std::span<const std::byte> memory) : InputArchive(this), memory_(memory) {}

  /// Reads the next bytes. Throws Error (usage) if the memory has fewer.
  void read(void* bytes, std::size_t size) {
    if (size > memory_.size() - size_bytes_) {
      throw support::usage_error("the object reads more data than were written",
                                 "check that its serialize(), or load() and save(), use the same data");
    }
    if (size > 0) std::memcpy(bytes, memory_.data() + size_bytes_, size);
    size_bytes_ += size;
  }
  /// Returns the number of bytes so far.
  std::size_t size_bytes() const { return size_bytes_; }

 private:
  std::span<const std::byte> memory_;
  std::size_t size_bytes_ = 0;
};

}  // namespace plimsoll::runtime

namespace cereal {

/// Packs a number, for cereal.
template <class Number>
std::enable_if_t<std::is_arithmetic_v<Number>> CEREAL_SAVE_FUNCTION_NAME(
    plimsoll::runtime::PackArchive& archive, const Number& number) {
  archive.write(std::addressof(number), sizeof number);
}
/// Unpacks a number, for cereal.
template <class Number>
std::enable_if_t<std::is_arithmetic_v<Number>> CEREAL_LOAD_FUNCTION_NAME(
    plimsoll::runtime::UnpackArchive& archive, Number& number) {
  archive.read(std::addressof(number), sizeof number);
}

/// Packs contiguous memory, for cereal.
template <class Data>
void CEREAL_SAVE_FUNCTION_NAME(plimsoll::runtime::PackArchive& archive, const BinaryData<Data>& data) {
  archive.write(data.data, static_cast<std::size_t>(data.size));
}
/// Unpacks contiguous memory, for cereal.
template <class Data>
void CEREAL_LOAD_FUNCTION_NAME(plimsoll::runtime::UnpackArchive& archive, BinaryData<Data>& data) {
  archive.read(data.data, static_cast<std::size_t>(data.size));
}

/// Packs or unpacks a named value without its name, for cereal.
template <class Archive, class Value>
CEREAL_ARCHIVE_RESTRICT(plimsoll::runtime::UnpackArchive, plimsoll::runtime::PackArchive)
CEREAL_SERIALIZE_FUNCTION_NAME(Archive& archive, NameValuePair<Value>& pair) {
  archive(pair.value);
}
/// Packs or unpacks the size of a container, for cereal.
template <class Archive, class Size>
CEREAL_ARCHIVE_RESTRICT(plimsoll::runtime::UnpackArchive, plimsoll::runtime::PackArchive)
CEREAL_SERIALIZE_FUNCTION_NAME(Archive& archive, SizeTag<Size>& tag) {
  archive(tag.size);
}

}  // namespace cereal

CEREAL_REGISTER_ARCHIVE(plimsoll::runtime::PackArchive)
CEREAL_REGISTER_ARCHIVE(plimsoll::runtime::UnpackArchive)
CEREAL_SETUP_ARCHIVE_TRAITS(plimsoll::runtime::UnpackArchive, plimsoll::runtime::PackArchive)
