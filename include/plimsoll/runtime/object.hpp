#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Number of an object, the same on every rank and in the files (vt's bit-encoded `id`). It can be sent to
/// other ranks, and it encodes the object's home and whether the object is migratable.
enum class ObjectId : std::uint64_t { none = 0 };

/// Returns the ID of a collection element. The program chooses its number, from 0 to 2^46 - 2, which must be
/// unique among the elements with this home. Throws Error (usage) if the home or the number is out of range.
ObjectId object_id(int home, std::uint64_t number, bool migratable = true);

/// Returns the number of a collection element, from which object_id() made its ID, e.g. to find the program's
/// own data of an object that migrates; empty for an ID of another kind.
std::optional<std::uint64_t> object_number(ObjectId id);

/// Returns the ID of the object of a rank itself (LoadRecorder::rank_object()), on any rank. Throws Error
/// (usage) if the rank is out of range.
ObjectId rank_object_id(int rank);

/// An object registered on this rank. Cheap to copy; a default-constructed handle is empty.
struct ObjectHandle {
  std::uint32_t slot = 0;        ///< number of the object's slot on this rank; 0 if empty
  std::uint32_t generation = 0;  ///< number that distinguishes the object from earlier ones in the same slot

  explicit operator bool() const { return slot != 0; }
  friend bool operator==(ObjectHandle, ObjectHandle) = default;
};

/// Description of an object to be registered.
struct ObjectSpec {
  /// Collection: the default one, or one from LoadRecorder::add_collection().
  std::uint64_t collection = lbdata::first_collection_id;
  std::vector<std::int64_t> index = {};  ///< position in its collection, with any number of dimensions
  bool migratable = true;                ///< whether strategies may migrate it to other ranks
  std::optional<int> home = {};          ///< home rank; this rank if absent
  /// Number of the object, unique among the objects with this home. If absent, objects are counted from 0,
  /// and their home must be this rank.
  std::optional<std::uint64_t> number = {};
  /// Whether begin() and end() measure its load. If false, LoadRecorder::user_set_lb_load() provides it.
  bool measured = true;
};

/// Sender or receiver: an object on any rank, a rank, or a shared block of memory.
class Endpoint {
 public:
  Endpoint(ObjectId object) : Endpoint(static_cast<std::uint64_t>(object), lbdata::EntityKind::object) {}
  static Endpoint node(int rank) { return {static_cast<std::uint64_t>(rank), lbdata::EntityKind::node}; }
  static Endpoint shared_block(std::uint64_t number) { return {number, lbdata::EntityKind::shared_id}; }

  std::uint64_t number() const { return number_low_ | (std::uint64_t{number_high_} << 32); }
  lbdata::EntityKind kind() const { return kind_; }
  friend bool operator==(const Endpoint&, const Endpoint&) = default;

 private:
  Endpoint(std::uint64_t number, lbdata::EntityKind kind)
      : number_low_(static_cast<std::uint32_t>(number)),
        number_high_(static_cast<std::uint32_t>(number >> 32)),
        kind_(kind) {}

  // Two halves, so that an endpoint takes 12 bytes instead of 16: programs have many edges.
  std::uint32_t number_low_;
  std::uint32_t number_high_;
  lbdata::EntityKind kind_;
};

/// A value that a program adds to its measurements, of a type that all readers of the files support.
using UserValue = std::variant<std::int64_t, double, std::string>;

/// Type of unsigned integers, of which some are not a UserValue.
template <class T>
concept UnsignedInteger = std::unsigned_integral<T> && sizeof(T) <= sizeof(std::uint64_t);
/// Returns the integer for the value `name`. Throws Error (usage) above 2^63 - 1.
UserValue integer_value(std::string_view name, std::uint64_t integer);

/// The JSON member of an object's task that contains a value.
enum class UserValueKind {
  user_defined,  ///< for users and their own tools
  attributes,    ///< also read by vt
};

/// Named values: the members of one JSON object.
class UserValues {
 public:
  /// Adds a value or replaces the one with this name. Throws Error (usage) for a number that is not finite.
  void set(std::string_view name, const UserValue& value);
  /// Adds or replaces an array of numbers, in the same way.
  void set_array(std::string_view name, std::span<const double> values);
  /// Adds or replaces a value that is given as JSON text. Does not check the text.
  void set_json(std::string_view name, std::string json);
  /// Adds the values of `other` whose names are missing here.
  void add_missing(const UserValues& other);
  /// Returns the value with this name; nothing if it is missing or not a UserValue. Parses its JSON text.
  std::optional<UserValue> get(std::string_view name) const;
  void remove(std::string_view name);
  bool empty() const { return members_.empty(); }
  void clear() { members_.clear(); }
  /// Returns the names and the JSON texts of the values, sorted by name.
  const std::vector<std::pair<std::string, std::string>>& members() const { return members_; }
  /// Formats the values as a JSON object, with members in alphabetical order.
  std::string to_json() const;
  /// Formats the values as they would be after set_array(name, values).
  std::string to_json_with(std::string_view name, std::span<const double> values) const;

 private:
  std::vector<std::pair<std::string, std::string>> members_;
};

}  // namespace plimsoll::runtime

namespace plimsoll::PLIMSOLL_ABI {
using runtime::Endpoint;
using runtime::object_id;
using runtime::object_number;
using runtime::ObjectHandle;
using runtime::ObjectId;
using runtime::ObjectSpec;
using runtime::rank_object_id;
using runtime::UserValueKind;
}  // namespace plimsoll
