#pragma once

#include <cstdint>
#include <string_view>

#include <plimsoll/objects/section_id.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/runtime/user_value.hpp>

namespace plimsoll::inline v0_1::objects {

using runtime::ObjectHandle;
using runtime::ObjectId;

class CollectionBase;
class NewElement;
class ObjectSystem;

/// What all elements of collections and members of object groups have in common. Classes derive from Element.
class ElementBase {
 public:
  ElementBase(const ElementBase&) = delete;
  ElementBase& operator=(const ElementBase&) = delete;
  virtual ~ElementBase();

  ObjectId id() const { return id_; }
  ObjectSystem& system() const { return *system_; }

  /// Replaces the load in this phase so far, in seconds, and returns it.
  void set_obj_time(double time_s);
  double get_obj_time() const;
  /// Writes a value to the LB data of this element in this phase and all later phases. It migrates along.
  void set_value(runtime::UserValueKind kind, std::string_view name, const runtime::UserValue& value);

  /// Sets whether this element may migrate, which it may at first if its collection is migratable
  /// (CollectionOptions::migratable). While it may not, strategies leave it where it is, and a pending
  /// migrate_to() is cancelled. Throws Error (usage) if the collection is not migratable and `migratable` is
  /// true. Members of object groups never migrate.
  void set_migratable(bool migratable);
  bool is_migratable() const { return is_migratable_; }
  /// Requests that this element migrates to a rank. It does when no message is left: run_until_quiet()
  /// carries out all requests at once and then goes on. The last request of an element counts. Throws Error
  /// (usage) if the rank is out of range, or if the element is not migratable.
  void migrate_to(int rank);
  /// Requests that this element is destroyed after the current handler of this element, or at once if none
  /// runs. Throws Error (usage) in constructors of the element, and in about_to_migrate().
  void destroy();

  /// Makes this element take part in at_sync(). Call it in the constructor.
  void use_at_sync();
  /// Tells that this element has reached the point where it can be balanced. When all elements that take part
  /// have called it and no message is left, run_until_quiet() ends the phase, which may migrate elements, and
  /// calls resume_from_sync() of all of them.
  void at_sync();

 protected:
  /// Takes the identity of the element that the system is creating. Throws Error (usage) if it creates none.
  ElementBase();

  /// Called after at_sync(), as described there.
  virtual void resume_from_sync() {}
  /// Called before the element is packed on the rank that it leaves.
  virtual void about_to_migrate() {}
  /// Called on the rank where the element has arrived, after all migrations.
  virtual void just_migrated() {}
  /// Returns the load in seconds, for collections whose work is not measured (CollectionOptions::measured).
  virtual double user_set_lb_load() { return 0; }

  /// Takes part in a reduction over all elements of the collection, or over a section to which this element
  /// belongs: when each has called this, `method` of the receiver is called with all values merged,
  /// `Merge{}(left, right)`. Every element calls it once for each reduction, in the same order, with the same
  /// method, type `Merge` and receiver. A reduction must complete in the run_until_quiet() in which it
  /// begins; otherwise, e.g. after the end of a member of the section, run_until_quiet() throws. Elements
  /// that are created meanwhile do not take part in a reduction over the collection. The order in which
  /// values are merged varies: with floating-point numbers, so does the rounding.
  template <auto method, class Merge, class Value, class Receiver>
  void contribute(const Value& value, const Receiver& receiver, const SectionId& section = {});

  CollectionBase& collection_base() const { return *collection_; }
  /// Number of the element's position in its collection.
  std::uint64_t number() const { return number_; }

 private:
  friend class CollectionBase;
  friend class ObjectSystem;
  friend class ElementTable;

  explicit ElementBase(const NewElement& identity);

  CollectionBase* collection_;
  ObjectSystem* system_;
  std::uint64_t number_;
  ObjectId id_ = ObjectId::none;
  ObjectHandle handle_;
  std::uint32_t run_ = 0;              // run_until_quiet() to which n_contributions_ belongs
  std::uint32_t n_contributions_ = 0;  // reductions in which this element has taken part
  bool uses_at_sync_ = false;
  bool is_at_sync_ = false;
  bool is_destroyed_ = false;
  bool is_migratable_ = true;
};

}  // namespace plimsoll::objects
