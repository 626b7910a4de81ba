#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/identifier.hpp>

namespace plimsoll::runtime {

/// Number of an object, the same on every rank and in the files (vt's bit-encoded `id`): it can be sent to
/// other ranks, and says by itself where the object's home is and whether it is migratable.
enum class ObjectId : std::uint64_t { none = 0 };

/// The id of the element of a collection that has this number among those of its home: a number of the
/// program's own, from 0 to 2^46 - 2. Throws Error (usage) if home or number do not fit.
ObjectId object_id(int home, std::uint64_t number, bool migratable = true);

/// An object registered on this rank. Cheap to copy; a default one is none.
struct ObjectHandle {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  ///< tells an object from another that had the slot before

  explicit operator bool() const { return slot != 0; }
  friend bool operator==(ObjectHandle, ObjectHandle) = default;
};

/// What an object is when it is registered.
struct ObjectSpec {
  std::uint64_t collection = lbdata::first_collection_id;  ///< this one or LoadRecorder::add_collection()
  std::vector<std::int64_t> index = {};                    ///< in its collection, any number of dimensions
  bool migratable = true;
  std::optional<int> home = {};  ///< rank; this one if absent
  /// Unique among the objects of this home; counted from 0 if absent, which takes this rank as home.
  std::optional<std::uint64_t> number = {};
  bool measured =
      true;  ///< false: begin() and end() do not make its load, LoadRecorder::user_set_lb_load does
};

/// One end of a message: an object, here or elsewhere, or a rank.
class Endpoint {
 public:
  Endpoint(ObjectId object)
      : number_(static_cast<std::uint64_t>(object)), kind_(lbdata::EntityKind::object) {}
  static Endpoint node(int rank) { return {static_cast<std::uint64_t>(rank), lbdata::EntityKind::node}; }
  static Endpoint shared_block(std::uint64_t number) { return {number, lbdata::EntityKind::shared_id}; }

  std::uint64_t number() const { return number_; }
  lbdata::EntityKind kind() const { return kind_; }
  friend bool operator==(const Endpoint&, const Endpoint&) = default;

 private:
  Endpoint(std::uint64_t number, lbdata::EntityKind kind) : number_(number), kind_(kind) {}

  std::uint64_t number_;
  lbdata::EntityKind kind_;
};

}  // namespace plimsoll::runtime

namespace plimsoll {
using runtime::Endpoint;
using runtime::object_id;
using runtime::ObjectHandle;
using runtime::ObjectId;
using runtime::ObjectSpec;
}  // namespace plimsoll
