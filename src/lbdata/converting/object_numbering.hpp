#pragma once

#include <mutex>

#include <plimsoll/lbdata/converter.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// New numbers of all objects of a data set. The objects of all ranks must be added before numbers are
/// assigned.
///
/// Edges may describe an object by its number alone. Members that its new number requires are taken from the
/// other descriptions of the object.
class ObjectNumbering {
 public:
  explicit ObjectNumbering(const ConvertOptions& options)
      : renumber_(options.renumber), encode_ids_(options.encode_ids) {}

  /// Adds the objects of a rank. May be called by several threads.
  void add(const EntityTable& entities);
  /// Assigns the numbers. Throws Error (bad_input) if an id cannot be encoded: the number of an object is
  /// negative or too large, its home is unknown or contradictory, or two objects would get the same id.
  void assign();
  /// Changes the numbers in the data of a rank.
  void apply(Dataset& rank) const;

 private:
  /// Facts about an object from all its descriptions.
  struct Object {
    WideInteger number;
    std::optional<std::int32_t> home;
    std::optional<bool> migratable;
    std::optional<WideInteger> collection_id;
    bool lacks_id = false;                   ///< whether a description has only a `seq_id`
    bool is_contradictory = false;           ///< whether descriptions differ in `home` or `migratable`
    std::optional<WideInteger> seq_id = {};  ///< new number, if it changes
    std::optional<WideInteger> id = {};      ///< new id, if it changes
  };

  static Object described(const EntityTable& entities, EntityIndex entity);
  static void add_description(Object& object, const Object& other);
  void number_densely();
  void encode(Object& object) const;
  void expect_different_ids() const;
  void change(Entity& entity) const;

  bool renumber_;
  bool encode_ids_;
  std::mutex mutex_;
  std::vector<Object> objects_;  // ascending by number after assign()
};

}  // namespace plimsoll::lbdata
