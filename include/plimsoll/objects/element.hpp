#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include <plimsoll/objects/index.hpp>
#include <plimsoll/objects/step.hpp>
#include <plimsoll/runtime/object.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

using runtime::ObjectHandle;
using runtime::ObjectId;

class AwaitedSteps;
class CollectionBase;
class NewElement;
class ObjectSystem;
template <class T>
class Collection;
template <class T>
class ElementProxy;

/// Common part of all elements of collections and members of object groups. Classes derive from Element.
class ElementBase {
 public:
  ElementBase(const ElementBase&) = delete;
  ElementBase& operator=(const ElementBase&) = delete;
  virtual ~ElementBase();

  ObjectId id() const { return id_; }
  ObjectSystem& system() const { return *system_; }

  /// Replaces the load of this element in this phase so far, in seconds. Work measured later is added to it.
  void set_obj_time(double time_s);
  /// Returns the load of this element in this phase so far, in seconds.
  double get_obj_time() const;
  /// Sets the coordinates of this element, for strategies that use geometry; see
  /// LoadRecorder::set_position(). They migrate along.
  void set_position(std::span<const double> position);
  /// Sets the features of this element, from which its load is inferred; see LoadRecorder::infer_loads().
  /// They migrate along.
  void set_features(std::span<const double> features);

  /// Sets whether the work of this element is measured, in this phase as a whole and in later phases. Call it
  /// e.g. in the constructor; by default, CollectionOptions::measured decides. If it is not measured,
  /// user_set_lb_load() provides the load.
  void uses_auto_measure(bool is_measured);
  // User-defined values: integers (std::int64_t), numbers (double) and std::string, by name. They migrate
  // with the element and are written with its task in each phase. A bool is the integer 0 or 1.

  /// Adds a value, unless this element has one with this name: a constructor that calls this does not replace
  /// values that have migrated. The kind `user_defined` is also read by strategies (e.g.
  /// "task_serialized_bytes"), `attributes` also by vt.
  void val_insert(std::string_view name, const runtime::UserValue& value,
                  runtime::UserValueKind kind = runtime::UserValueKind::user_defined);
  /// Adds an unsigned integer in the same way. Throws Error (usage) above 2^63 - 1.
  template <runtime::UnsignedInteger Integer>
  void val_insert(std::string_view name, Integer value,
                  runtime::UserValueKind kind = runtime::UserValueKind::user_defined) {
    val_insert(name, runtime::integer_value(name, value), kind);
  }
  /// Returns a value: `val_get<double>("weight")`. An integer can be requested as any arithmetic type, and a
  /// double as any floating-point type, to which it is rounded. Throws Error (usage) if the value is missing,
  /// is of another type, or does not fit into the requested integer type.
  template <class Value>
  Value val_get(std::string_view name) const;
  bool val_exists(std::string_view name) const;
  /// Removes a value, also to insert another one with the same name.
  void val_remove(std::string_view name);

  /// Sets whether this element may migrate, which it may at first if its collection is migratable
  /// (CollectionOptions::migratable). While it may not, strategies leave it where it is, and a pending
  /// migrate_to() is cancelled. Throws Error (usage) if the collection is not migratable and `migratable` is
  /// true. Members of object groups never migrate.
  void set_migratable(bool migratable);
  bool is_migratable() const;
  /// Requests that this element migrates to a rank. It does so at the end of the phase, when the data of the
  /// phase are complete, so that it is recorded on one rank per phase. If no element has worked in the phase
  /// yet, run_until_quiet() migrates it at once. The last request of an element counts, and replaces what a
  /// strategy decides for it; a request for its current rank keeps it there. If the end of the phase fails,
  /// the request is dropped. Throws Error (usage) if the rank is out of range, or if the element is not
  /// migratable.
  void migrate_to(int rank);
  /// Requests that this element is destroyed after the current handler of this element, or at once if none
  /// runs. Throws Error (usage) in constructors of the element, in about_to_migrate(), and in
  /// user_set_lb_load().
  void destroy();

  /// Makes this element take part in at_sync(). Call it in the constructor.
  void use_at_sync();
  /// Reports that this element has reached the point where it can be balanced. When all elements that take
  /// part have called it and no message is left, run_until_quiet() ends the phase, which may migrate
  /// elements, and calls resume_from_sync() of all of them.
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
  /// Returns the load in seconds if it is not measured; called at the end of each phase. By default, the load
  /// is that of set_obj_time().
  virtual double user_set_lb_load() { return get_obj_time(); }

  /// Takes part in a reduction over all elements of the collection, or over a section to which this element
  /// belongs: when each has called this, `method` of the receiver is called with all values merged,
  /// `Merge{}(left, right)`. Every element calls it once for each reduction, in the same order, with the same
  /// method, type `Merge` and receiver. A reduction must complete in the run_until_quiet() in which it
  /// begins; otherwise, e.g. after the end of an element that should contribute, run_until_quiet() throws.
  /// The order in which values are merged varies: with floating-point numbers, so does the rounding. Throws
  /// Error (usage) over the collection before the first run_until_quiet() after the creation of this element
  /// has ended, except for the elements of a dense collection, which may call it after their constructors.
  template <auto method, class Merge, class Value, class Receiver>
  void contribute(Value&& value, const ElementProxy<Receiver>& receiver, const SectionId& section = {});
  /// The same, but a rank receives the result: it calls a function of the program,
  /// `void report(plimsoll::ObjectSystem& system, double total)`, as in ObjectSystem::send_to_rank(). Throws
  /// Error (usage) if the rank is out of range.
  template <auto function, class Merge, class Value>
  void contribute(Value&& value, int rank, const SectionId& section = {});

  /// Accepts messages of `step` that call `method`, whose first parameter is a Step. Call it again with each
  /// next step, which must be greater. Messages of later steps wait in this element until it accepts their
  /// step: they migrate along and are saved in checkpoints. Before the first call, all messages wait. A
  /// message of an earlier step is an error of run_until_quiet(), and so are more bytes of waiting messages
  /// than CollectionOptions::max_early_bytes.
  template <auto method>
  void when(Step step);
  /// Does the same for `count` messages. After the last of them, the step is complete, and `then`, a member
  /// function without parameters, is called: `when<&Cell::receive_halo, &Cell::compute>(step, 2)`. The next
  /// call must follow. Without messages (`count` is 0), `then` is called as if by a message. Throws Error
  /// (usage) if the step is not greater than the previous one, or if that is not complete.
  template <auto method, auto then>
  void when(Step step, std::int64_t count);

  CollectionBase& collection_base() const { return *collection_; }
  /// Number of the element's position in its collection.
  std::uint64_t number() const { return number_; }

 private:
  friend class CollectionBase;
  friend class ObjectSystem;
  friend class ElementTable;

  explicit ElementBase(const NewElement& identity);

  void await_step(std::uint32_t function, Step step, std::optional<std::int64_t> count, std::uint32_t then);
  runtime::UserValue user_value(std::string_view name) const;
  [[noreturn]] static void wrong_type(std::string_view name);
  [[noreturn]] static void does_not_fit(std::string_view name, std::int64_t value);

  CollectionBase* collection_;
  ObjectSystem* system_;
  std::uint64_t number_;
  ObjectId id_ = ObjectId::none;
  ObjectHandle handle_;
  std::uint32_t run_ = 0;              // run_until_quiet() to which n_contributions_ belongs
  std::uint32_t n_contributions_ = 0;  // reductions in which this element has taken part
  std::uint32_t last_count_ = 0;       // of elements before the creation of this one; 0: it has been counted
  std::uint32_t n_running_ = 0;        // member functions of this element that run, one within another
  bool uses_at_sync_ = false;
  bool is_at_sync_ = false;
  bool is_destroyed_ = false;
  // What this element has set; nothing: the option of its collection applies.
  std::optional<bool> is_migratable_;
  std::optional<bool> is_measured_;
  std::unique_ptr<AwaitedSteps> steps_;  // null: this element has no messages that belong to steps
};

template <class Value>
Value ElementBase::val_get(std::string_view name) const {
  const runtime::UserValue value = user_value(name);
  if constexpr (std::is_arithmetic_v<Value>) {
    if (const std::int64_t* const integer = std::get_if<std::int64_t>(&value)) {
      const auto converted = static_cast<Value>(*integer);
      if constexpr (std::integral<Value>)
        if (static_cast<std::int64_t>(converted) != *integer ||
            (std::unsigned_integral<Value> && *integer < 0))
          does_not_fit(name, *integer);
      return converted;
    }
    if constexpr (std::floating_point<Value>)
      if (const double* const number = std::get_if<double>(&value)) return static_cast<Value>(*number);
  } else if (const Value* const found = std::get_if<Value>(&value)) {
    return *found;
  }
  wrong_type(name);
}

/// Base class of the elements of a Collection: `struct Cell : plimsoll::Element<Cell, 2> { ... };`
///
/// Messages call member functions of the element. An element that migrates needs a default constructor and a
/// cereal `serialize(Archive&)` of its own members.
template <class T, std::size_t dimensions_ = 1>
class Element : public ElementBase {
 public:
  static constexpr std::size_t dimensions = dimensions_;

  /// Returns the position of this element in its collection; valid in the constructor, too.
  const Index<dimensions>& index() const { return index_; }
  /// Returns the collection of this element, to send messages to others, and for its bounds() and count().
  Collection<T>& collection() const { return static_cast<Collection<T>&>(collection_base()); }
  /// Returns the address of this element, e.g. for contribute().
  ElementProxy<T> proxy() const { return {collection(), number()}; }

 protected:
  Element() : index_(static_cast<Collection<T>&>(collection_base()).bounds().index_of(number())) {}

 private:
  Index<dimensions> index_;
};

}  // namespace plimsoll::objects

namespace plimsoll::PLIMSOLL_ABI {
using objects::Element;
}  // namespace plimsoll
