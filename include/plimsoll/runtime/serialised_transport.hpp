#pragma once

#include <cereal/cereal.hpp>

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <plimsoll/runtime/migration.hpp>
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

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Returns functions that move objects of a type that cereal can serialise and that has a default
/// constructor. `find` returns an object on this rank, `insert` adds an object that has arrived, and `erase`
/// removes one that has left. Include the headers of cereal for the types of the object's members, e.g.
/// <cereal/types/vector.hpp>. Requires Debian package libcereal-dev.
template <class Object>
ObjectTransport serialised(std::function<Object&(ObjectId)> find,
                           std::function<void(ObjectId, Object&&)> insert,
                           std::function<void(ObjectId)> erase) {
  ObjectTransport transport;
  transport.size_bytes = [find](ObjectId id) {
    PackArchive archive;
    archive(find(id));
    return archive.size_bytes();
  };
  transport.pack = [find](ObjectId id, std::span<std::byte> memory) {
    PackArchive archive(memory);
    archive(find(id));
    return archive.size_bytes();
  };
  transport.unpack = [insert = std::move(insert)](ObjectId id, std::span<const std::byte> memory) {
    UnpackArchive archive(memory);
    Object object;
    archive(object);
    insert(id, std::move(object));
    return archive.size_bytes();
  };
  transport.remove = std::move(erase);
  return transport;
}

}  // namespace plimsoll::runtime

namespace plimsoll::PLIMSOLL_ABI {
using runtime::serialised;
}  // namespace plimsoll
