#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include <plimsoll/objects/collection_base.hpp>
#include <plimsoll/objects/element.hpp>
#include <plimsoll/objects/future.hpp>
#include <plimsoll/objects/handler.hpp>
#include <plimsoll/objects/index.hpp>
#include <plimsoll/objects/object_system.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

template <class T>
class Collection;

/// Some elements of a collection, wherever they are (Charm++: CProxySection):
///
///     const auto row = cells.section({3, 0}, {4, 16});  // positions (3, 0) to (3, 15)
///     row.broadcast<&Cell::add>(row.id());
///
///     void Cell::add(const plimsoll::SectionId& row) {
///       contribute<&Cell::keep, std::plus<>>(value, collection()[{3, 0}], row);
///     }
///
/// Sections are values that any rank, and any element, makes with Collection::section() without
/// communication. Each takes 8 bytes per member.
template <class T>
class Section {
 public:
  /// Calls a member function of all members, in run_until_quiet(). Each rank that has members receives one
  /// message with the list of its members. A member that does not exist is an error, like any other receiver
  /// that does not exist. Cost: O(members).
  template <auto method, class... Each>
  void broadcast(Each&&... arguments) const {
    expect_member_of<T, method>();
    collection_->system().send_to_members(*collection_, members_, HandlerOf<method>::number,
                                          packed<method>(std::forward<Each>(arguments)...));
  }

  /// Returns the identity, for reductions.
  const SectionId& id() const { return id_; }
  /// Returns the number of members.
  std::size_t size() const { return members_.size(); }

 private:
  friend class Collection<T>;

  Section(Collection<T>& collection, std::vector<std::uint64_t> positions)
      : collection_(&collection), members_(std::move(positions)) {
    id_ = section_id(collection.number(), members_);
  }

  Collection<T>* collection_;
  std::vector<std::uint64_t> members_;  // numbers of their positions, sorted
  SectionId id_;
};

/// Options of a new collection.
template <std::size_t dimensions>
struct CollectionOptions {
  Bounds<dimensions> bounds;        ///< positions that elements can have; their number is at most 2^36
  bool is_dense = true;             ///< whether all positions have an element from the beginning
  InitialMap map = block_map;       ///< home rank of each position
  bool migratable = true;           ///< whether strategies may migrate the elements
  bool measured = true;             ///< initial value of Element::uses_auto_measure()
  bool drop_undeliverable = false;  ///< whether messages to missing elements are dropped; otherwise an error
  std::uint64_t max_early_bytes = std::uint64_t{64} << 20;  ///< limit per element on messages of later steps
  std::string name = "elements";                            ///< for messages
};

/// Address of an element, wherever it is.
template <class T>
class ElementProxy {
 public:
  ElementProxy(Collection<T>& collection, std::uint64_t number) : collection_(collection), number_(number) {}

  /// Sends a message that calls a member function of the element: `send<&Cell::receive>(7, values)`.
  /// Arguments are converted to the types of its parameters. A conversion of numbers that could change a
  /// value does not compile. They are moved or copied if the element is on this rank, and serialised with
  /// cereal otherwise, except for a `std::vector` of numbers of at least 64 KiB, which is sent from its own
  /// memory: move it to avoid any copy on this rank. The function is called in run_until_quiet(), on the rank
  /// where the element then is. Messages of one sender arrive in their order if the element is on its rank
  /// or has never migrated; after a migration, some may overtake others.
  template <auto method, class... Each>
  void send(Each&&... arguments) const {
    expect_member_of<T, method>();
    collection_.system().template send<method>(collection_, number_, std::forward<Each>(arguments)...);
  }

  /// Does the same, but if the element does not exist, because it has been destroyed for example, the message
  /// is dropped without error, and counts in CollectionBase::dropped_messages().
  template <auto method, class... Each>
  void send_or_drop(Each&&... arguments) const {
    expect_member_of<T, method>();
    collection_.system().template send<method, true>(collection_, number_, std::forward<Each>(arguments)...);
  }

  /// Calls a member function of the element, which must be on this rank, at once, and returns its result:
  /// `invoke<&Cell::value>()`. The arguments are not copied. The time that it takes is work of this element.
  /// An exception propagates to the caller. Throws Error (usage) if the element is not on this rank.
  template <auto method, class... Each>
  decltype(auto) invoke(Each&&... arguments) const {
    expect_member_of<T, method>();
    static_assert(!has_step<typename HandlerOf<method>::Arguments>,
                  "invoke() calls a member function at once, which cannot wait for its step: send a message");
    return collection_.system().template invoke<method>(collection_, number_,
                                                        std::forward<Each>(arguments)...);
  }

  /// Sends a message that calls a member function of the element, whose result is the reply: a message that
  /// calls `receive` of `to`, wherever that element then is. `request<&Cell::energy, &Cell::keep>(proxy())`.
  /// Throws Error (usage) like send(). If the function throws, no reply is sent.
  template <auto method, auto receive, class Receiver, class... Each>
  void request(const ElementProxy<Receiver>& to, Each&&... arguments) const {
    expect_replies<method>();
    expect_member_of<Receiver, receive>();
    expect_all_passable<typename HandlerOf<receive>::Arguments, ReplyOf<method>>();
    collection_.system().template send<&Reply<method>::template to_element<receive>>(
        collection_, number_, ReplyAddress{.collection = to.collection().number(), .number = to.number()},
        std::forward<Each>(arguments)...);
  }
  /// Does the same for the main program, or for a function on a rank, and returns the future reply. Throws
  /// Error (usage) if an element calls it, because that may migrate before the reply arrives.
  template <auto method, class... Each>
  Future<ReplyOf<method>> request(Each&&... arguments) const {
    expect_replies<method>();
    ObjectSystem& system = collection_.system();
    auto reply = std::make_shared<std::optional<ReplyOf<method>>>();
    system.template send<&Reply<method>::to_rank>(
        collection_, number_, ReplyAddress{.rank = system.rank(), .number = system.add_request(reply)},
        std::forward<Each>(arguments)...);
    return Future<ReplyOf<method>>(std::move(reply));
  }

  CollectionBase& collection() const { return collection_; }
  /// Number of the element's position.
  std::uint64_t number() const { return number_; }

 private:
  template <auto method>
  static constexpr void expect_replies() {
    expect_member_of<T, method>();
    static_assert(!std::is_void_v<ReplyOf<method>>,
                  "a request calls a member function without a result: use send()");
    static_assert(!has_step<typename HandlerOf<method>::Arguments>,
                  "a request calls a member function whose messages wait for their step: use send()");
  }

  Collection<T>& collection_;
  std::uint64_t number_;
};

/// Elements of one type on all ranks, which receive messages wherever they are, and which can migrate:
///
///     struct Cell : plimsoll::Element<Cell, 2> {
///       void receive(std::vector<double> values);
///       template <class Archive> void serialize(Archive& archive) { archive(values_); }
///     };
///     plimsoll::Collection<Cell> cells(system, {.bounds = {16, 16}});
///     cells[{3, 4}].send<&Cell::receive>(std::vector{1.0, 2.0});
///     system.run_until_quiet();
///
/// Create the collections of a system in the same order on all ranks, with the same options, and destroy a
/// collection on all ranks or on none between two calls of run_until_quiet(); otherwise all ranks get an
/// error. Each rank has its own Collection object, and elements refer to that of their rank.
template <class T>
class Collection : public CollectionBase {
 public:
  static constexpr std::size_t dimensions = T::dimensions;
  using Position = Index<dimensions>;  ///< position of an element

  /// Collective. Constructs the elements of a dense collection at their homes, from these arguments. If the
  /// system restores a checkpoint that has this collection, takes its elements from there instead. Throws
  /// Error on all ranks: usage for invalid options, and if the ranks create different collections or make
  /// another collective call, what constructors of elements throw, and the errors of SystemOptions::restore.
  /// After an error, messages of constructors to elements of this collection are discarded.
  template <class... Each>
  explicit Collection(ObjectSystem& system, const CollectionOptions<dimensions>& options,
                      const Each&... arguments)
      : Collection(system, options, false) {
    if (!system.restore(*this) && options.is_dense) create_all(arguments...);
  }

  const Bounds<dimensions>& bounds() const { return bounds_; }

  /// Returns the address of an element. Throws Error (usage) for a position that is out of bounds.
  ElementProxy<T> operator[](const Position& index) { return {*this, number_of(index)}; }
  /// Sends a message to all elements that exist when it arrives on their rank. Any rank or element may call
  /// this; each call sends a message. For one message of all ranks together, use broadcast_collective().
  template <auto method, class... Each>
  void broadcast(Each&&... arguments) {
    expect_member_of<T, method>();
    system().send_to_all(*this, HandlerOf<method>::number, packed<method>(std::forward<Each>(arguments)...));
  }
  /// Calls a member function of all elements, in run_until_quiet(). Collective, with the same arguments on
  /// all ranks: each rank calls the function of its own elements, so that nothing is sent. Throws Error
  /// (usage) if an element calls it; run_until_quiet() throws if the ranks make different calls.
  template <auto method, class... Each>
  void broadcast_collective(Each&&... arguments) {
    expect_member_of<T, method>();
    system().send_to_all_here(*this, HandlerOf<method>::number,
                              packed<method>(std::forward<Each>(arguments)...));
  }

  /// Returns a section of the elements at some positions, whether or not they exist already. Throws Error
  /// (usage) for a position that is out of bounds.
  Section<T> section(const std::vector<Position>& indices) {
    std::vector<std::uint64_t> members;
    for (const Position& index : indices) members.push_back(number_of(index));
    return {*this, std::move(members)};
  }
  /// Does the same for the positions from `begin` to `end` - 1 in each dimension.
  Section<T> section(const Position& begin, const Position& end) {
    Bounds<dimensions> box;
    for (std::size_t k = 0; k < dimensions; ++k) box.sizes[k] = std::max<std::int64_t>(end[k] - begin[k], 0);
    std::vector<Position> indices(box.count());
    for (std::uint64_t number = 0; number < indices.size(); ++number) {
      indices[number] = box.index_of(number);
      for (std::size_t k = 0; k < dimensions; ++k) indices[number][k] += begin[k];
    }
    return section(indices);
  }
  /// Does the same for all positions for which `is_member(index)` is true. Cost: O(positions).
  template <std::predicate<const Position&> IsMember>
  Section<T> section(const IsMember& is_member) {
    std::vector<std::uint64_t> members;
    const std::uint64_t count = bounds_.count();
    for (std::uint64_t number = 0; number < count; ++number)
      if (is_member(bounds_.index_of(number))) members.push_back(number);
    return {*this, std::move(members)};
  }

  /// Creates an element at its home from these arguments, which must be of the types that its constructor
  /// has. Any rank may call this. The element exists after run_until_quiet(), or earlier. If its constructor
  /// throws, or the home has the element already, run_until_quiet() throws. If another rank has it, only the
  /// setting lb_check finds out.
  template <class... Each>
  void insert(const Position& index, Each... arguments) {
    system().send_to_home(*this, number_of(index), CreatorOf<T, Each...>::number,
                          packed(std::tuple<Each...>(std::move(arguments)...)));
  }

  /// Returns an element if it is on this rank, otherwise nullptr.
  T* find(const Position& index) { return static_cast<T*>(table().find(number_of(index))); }
  /// Calls `work(element)` for all elements on this rank, in no particular order.
  template <class Work>
  void for_each_local(Work&& work) {
    table().for_each([&](ElementBase& element) { work(static_cast<T&>(element)); });
  }
  /// Returns the home of an element: the rank on which it is created.
  int home(const Position& index) const { return home_of(number_of(index)); }

 protected:
  Collection(ObjectSystem& system, const CollectionOptions<dimensions>& options, bool is_group)
      : CollectionBase(system, {.name = options.name,
                                .type = typeid(T).name(),
                                .sizes = {options.bounds.sizes.begin(), options.bounds.sizes.end()},
                                .is_dense = options.is_dense,
                                .map = options.map,
                                .migratable = options.migratable,
                                .measured = options.measured,
                                .drop_undeliverable = options.drop_undeliverable,
                                .max_early_bytes = options.max_early_bytes,
                                .is_group = is_group}),
        bounds_(options.bounds) {}

  template <class... Each>
  void create_all(const Each&... arguments) {
    system().create_all(*this, [&] { return std::make_unique<T>(arguments...); });
  }

 private:
  std::uint64_t number_of(const Position& index) const {
    if (!bounds_.contains(index)) out_of_bounds(index);
    return bounds_.number_of(index);
  }

  std::unique_ptr<ElementBase> construct_default() override {
    if constexpr (std::is_default_constructible_v<T>)
      return std::make_unique<T>();
    else
      cannot_be_packed("a default constructor");
  }
  std::size_t packed_bytes(ElementBase& element) override {
    runtime::PackArchive archive;
    serialise(archive, element);
    return archive.size_bytes();
  }
  void pack(ElementBase& element, std::span<std::byte> bytes) override {
    runtime::PackArchive archive(bytes);
    serialise(archive, element);
  }
  std::size_t unpack(ElementBase& element, std::span<const std::byte> bytes) override {
    runtime::UnpackArchive archive(bytes);
    serialise(archive, element);
    return archive.size_bytes();
  }
  // Classes that never migrate need not be serialisable.
  template <class Archive>
  void serialise(Archive& archive, ElementBase& element) {
    if constexpr (!cereal::traits::is_output_serializable<T, runtime::PackArchive>::value)
      cannot_be_packed("a member function serialize()");
    else if constexpr (!std::is_default_constructible_v<T>)
      cannot_be_packed("a default constructor");
    else
      archive(static_cast<T&>(element));
  }
  std::vector<std::int64_t> index_of(std::uint64_t number) const override {
    const Position index = bounds_.index_of(number);
    return {index.begin(), index.end()};
  }

  Bounds<dimensions> bounds_;
};

template <auto method, class Merge, class Value, class Receiver>
void ElementBase::contribute(Value&& value, const ElementProxy<Receiver>& receiver,
                             const SectionId& section) {
  expect_member_of<Receiver, method>();
  system_->contribute<method, Merge>(
      *this, std::forward<Value>(value),
      {.receivers = receiver.collection().number(), .receiver = receiver.number(), .section = section});
}

template <auto function, class Merge, class Value>
void ElementBase::contribute(Value&& value, int rank, const SectionId& section) {
  system_->expect_rank(rank, "contribute()");
  system_->contribute<function, Merge>(
      *this, std::forward<Value>(value),
      {.receivers = ranks_as_receivers, .receiver = static_cast<std::uint64_t>(rank), .section = section});
}

template <auto method>
void ElementBase::when(Step step) {
  static_assert(has_step<typename HandlerOf<method>::Arguments>,
                "when() needs a member function whose first parameter is a plimsoll::Step");
  await_step(HandlerOf<method>::number, step, std::nullopt, 0);
}

template <auto method, auto then>
void ElementBase::when(Step step, std::int64_t count) {
  static_assert(has_step<typename HandlerOf<method>::Arguments>,
                "when() needs a member function whose first parameter is a plimsoll::Step");
  static_assert(std::is_same_v<typename HandlerOf<then>::Arguments, std::tuple<>>,
                "when() calls a member function without parameters after the messages");
  await_step(HandlerOf<method>::number, step, count, HandlerOf<then>::number);
}

/// One object of type T, derived from Element<T>, on each rank. The members of a group receive messages like
/// the elements of a Collection, and never migrate: `group[{rank}].send<&Solver::add>(3)`.
template <class T>
class ObjGroup : public Collection<T> {
 public:
  /// Collective. Constructs this rank's member from these arguments.
  template <class... Each>
  explicit ObjGroup(ObjectSystem& system, const std::string& name, const Each&... arguments)
      : Collection<T>(
            system, {.bounds = {{system.rank_count()}}, .map = block_map, .migratable = false, .name = name},
            true) {
    this->create_all(arguments...);
  }

  /// Returns this rank's member.
  T& local() { return *this->find({this->system().rank()}); }
};

}  // namespace plimsoll::objects

namespace plimsoll::PLIMSOLL_ABI {
using objects::Collection;
using objects::CollectionOptions;
using objects::ElementProxy;
using objects::ObjGroup;
using objects::Section;
}  // namespace plimsoll
