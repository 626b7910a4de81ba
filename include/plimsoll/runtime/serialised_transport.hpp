#pragma once

#include <functional>
#include <span>
#include <utility>

#include <plimsoll/runtime/byte_archives.hpp>
#include <plimsoll/runtime/object_transport.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Returns functions that move objects of a type that cereal can serialise and that has a default
/// constructor. `find` returns an object on this rank, `insert` adds an object that has arrived, and `erase`
/// removes one that has left. Include the headers of cereal for the types of the object's members, e.g.
/// <cereal/types/vector.hpp>. Requires Debian package libcereal-dev.
template <class Object>
ObjectTransport serialised(std::function<Object&(ObjectId)> find,
                           std::function<void(ObjectId, Object&&)> insert,
                           std::function<void(ObjectId)> erase) {
  return {.size_bytes =
              [find](ObjectId id) {
                PackArchive archive;
                archive(find(id));
                return archive.size_bytes();
              },
          .pack =
              [find](ObjectId id, std::span<std::byte> memory) {
                PackArchive archive(memory);
                archive(find(id));
                return archive.size_bytes();
              },
          .unpack =
              [insert = std::move(insert)](ObjectId id, std::span<const std::byte> memory) {
                UnpackArchive archive(memory);
                Object object;
                archive(object);
                insert(id, std::move(object));
                return archive.size_bytes();
              },
          .remove = std::move(erase)};
}

}  // namespace plimsoll::runtime

namespace plimsoll::PLIMSOLL_ABI {
using runtime::serialised;
}  // namespace plimsoll
