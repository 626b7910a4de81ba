#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <plimsoll/objects/arguments.hpp>
#include <plimsoll/objects/collection_base.hpp>
#include <plimsoll/objects/handler.hpp>
#include <plimsoll/objects/index.hpp>
#include <plimsoll/objects/local_queue.hpp>
#include <plimsoll/objects/reduction.hpp>
#include <plimsoll/runtime/balancer.hpp>
#include <plimsoll/runtime/load_recorder.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Options of a new ObjectSystem.
struct SystemOptions {
  /// Directory of a checkpoint (ObjectSystem::checkpoint()) from which the program continues, on any number
  /// of ranks; empty: none. The phase that was current becomes the first phase of the recorder. Create the
  /// collections of the checkpoint in the same order as in the program that wrote it, with the same names,
  /// types of elements and bounds, before messages are delivered. Each gets its elements when it is created.
  ///
  /// When the last one is created, the elements are placed by their loads in the last phase, with the first
  /// strategy that the settings select (lb_name, lb_file_name), or else with GreedyLB. Those that have to
  /// leave their homes migrate. If no phase had ended, all stay at their homes.
  ///
  /// A rank needs memory for its elements and about 16 MiB, and more only for larger elements. Throws Error
  /// on all ranks: bad_input if the directory has no complete checkpoint or a file is damaged, usage for
  /// collections and serialize() functions that do not match it, and for collections that are missing when
  /// messages are to be delivered.
  std::string restore = {};
  /// Whether the process keeps the memory of blocks of up to 32 MiB that it frees, so that elements that
  /// arrive reuse it. It returns memory only if more than 1 GiB is free at the end of the heap. Otherwise,
  /// elements of about 1 MiB and more take up to four times as long to migrate, because the operating system
  /// has to provide each page again. Applies to glibc's malloc and to the whole process, and replaces earlier
  /// calls of mallopt(). Settings of glibc in the environment (MALLOC_TRIM_THRESHOLD_,
  /// MALLOC_MMAP_THRESHOLD_, GLIBC_TUNABLES) take precedence.
  bool keep_freed_memory = true;
};

/// Memory of a message that is being sent.
struct MessageRoom {
  std::byte* envelope;
  std::span<std::byte> arguments;
};
/// Lets nobody receive a message.
void cancel(const MessageRoom& room);
/// Packs the arguments of a message. If this throws, nobody receives it.
template <class Pack>
void fill(const MessageRoom& room, const Pack& pack_into) {
  try {
    pack_into(room.arguments);
  } catch (...) {
    cancel(room);
    throw;
  }
}

/// Delivers messages between the elements of collections, on top of a LoadRecorder, which measures their work
/// and their messages, and a Balancer, which migrates them at phase ends if the settings say so:
///
///     plimsoll::LoadRecorder recorder(argc, argv);
///     plimsoll::ObjectSystem system(recorder);
///     plimsoll::Collection<Cell> cells(system, {.bounds = {64}});
///     for (int step = 0; step < steps; ++step) {
///       cells.broadcast_collective<&Cell::start>(step);
///       system.next_phase();
///     }
///
/// Messages are delivered one after the other, by the thread that calls run_until_quiet(). A member function
/// that receives one may send others and create, destroy or migrate elements, but must not call MPI
/// collectively. The time that it takes is the work of its element.
///
/// Messages of a busy rank are sent when they fill a buffer, or about every millisecond between two member
/// functions. In run_until_quiet(), a rank with more than 64 MiB under way to others waits until they receive
/// some of it, at most a second per buffer.
class ObjectSystem {
 public:
  /// Collective. The system must outlive all collections, and the recorder the system. The recorder must have
  /// no other Balancer.
  explicit ObjectSystem(runtime::LoadRecorder& recorder, const SystemOptions& options = {});
  ObjectSystem(const ObjectSystem&) = delete;
  ObjectSystem& operator=(const ObjectSystem&) = delete;
  ~ObjectSystem();

  /// Delivers messages until no message is left on any rank. Then ends the phase if all elements that take
  /// part have called at_sync(). If no element has worked in the phase, migrates those that requested it.
  /// Both may lead to new messages, which are delivered too. Collective.
  ///
  /// A rank that has nothing to do sleeps. The end is detected by counting messages (Mattern, "Algorithms for
  /// distributed termination detection", Distributed Computing 2, 1987).
  ///
  /// If a member function throws, or a message has no receiver, the messages left are still delivered. Then
  /// the first error of the lowest rank, with element, rank and phase, is thrown on all ranks. Throws Error
  /// (usage) on all ranks if other ranks call another function of the system, its recorder or its Balancer
  /// instead, or have other collections, and on this rank if a member function of an element calls it.
  void run_until_quiet();
  /// Calls run_until_quiet(), then ends the phase (LoadRecorder::next_phase()). After that, elements migrate
  /// that a strategy selects, or that requested it. Collective.
  runtime::PhaseSummary next_phase();
  /// Returns the summary of the phase that has ended last, also if at_sync() has ended it; empty if none has.
  /// LoadRecorder::on_phase_end() reports each phase.
  const std::optional<runtime::PhaseSummary>& last_summary() const;

  /// Sends a message to a rank that calls a function of the program there:
  /// `void report(plimsoll::ObjectSystem& system, double value)`. The time that it takes is work of the rank
  /// itself (LoadRecorder::rank_object()). Throws Error (usage) if the rank is out of range.
  template <auto function, class... Each>
  void send_to_rank(int rank, Each&&... arguments);
  /// Calls a function on all ranks, this one included.
  template <auto function, class... Each>
  void broadcast_to_ranks(Each&&... arguments);

  /// Calls run_until_quiet(), then saves all elements in a directory that all ranks share, with their
  /// user-defined values and load histories, for SystemOptions::restore. Collective. Call it after
  /// next_phase(): what was measured since then is not saved.
  ///
  /// The elements must be serialisable and default-constructible, as for migration. Object groups are not
  /// saved: programs create them again. The checkpoint replaces the previous one in the directory in one
  /// step, once it is complete on the disk. If the program fails or is killed before, the previous one
  /// remains.
  ///
  /// Each rank writes one file of its own. Memory: two copies of one element, and 1 MiB. Throws Error on all
  /// ranks: usage if another program is writing there, else system.
  void checkpoint(const std::string& folder);
  /// Returns whether the collections get their elements from a checkpoint (SystemOptions::restore), so that
  /// the program must not initialise them.
  bool is_restored() const;

  runtime::LoadRecorder& recorder() const;
  runtime::Balancer& balancer() const;
  int rank() const;
  int rank_count() const;

  // For the templates of Collection.

  /// `may_drop`: whether the message is dropped if the element does not exist, whatever the collection wants.
  template <auto method, bool may_drop = false, class... Each>
  void send(CollectionBase& collection, std::uint64_t number, Each&&... arguments);
  template <auto method, class... Each>
  decltype(auto) invoke(CollectionBase& collection, std::uint64_t number, Each&&... arguments);
  void send_to_all(CollectionBase& collection, std::uint32_t handler, std::span<const std::byte> arguments);
  void send_to_all_here(CollectionBase& collection, std::uint32_t handler,
                        std::span<const std::byte> arguments);
  void send_to_members(CollectionBase& collection, std::span<const std::uint64_t> members,
                       std::uint32_t handler, std::span<const std::byte> arguments);
  void send_to_home(CollectionBase& collection, std::uint64_t number, std::uint32_t creator,
                    std::span<const std::byte> arguments);
  CollectionBase& collection(std::uint32_t number) const;
  /// Numbers a request of this rank, whose reply `place` keeps. Throws Error (usage) if an element runs.
  std::uint64_t add_request(std::shared_ptr<void> place);
  /// Returns the place for the reply, and forgets the request.
  std::shared_ptr<void> take_request(std::uint64_t number);
  /// Throws Error (usage) if `call` gets a rank that is out of range.
  void expect_rank(int rank, std::string_view call) const;
  /// The kind of the goal is that of the function.
  template <auto function, class Merge, class Value>
  void contribute(ElementBase& element, Value&& value, ReductionGoal goal);
  /// Creates the elements of a dense collection on this rank. `construct` calls their constructor.
  /// Collective.
  void create_all(CollectionBase& collection, const std::function<std::unique_ptr<ElementBase>()>& construct);
  /// Gives a new collection the elements that a checkpoint has for it. Returns false if the system does not
  /// restore any, or has restored all collections of the checkpoint. Collective.
  bool restore(CollectionBase& collection);

 private:
  friend class CollectionBase;
  friend class ElementBase;
  class Parts;

  Reduction& reduction_of(ElementBase& element, const ReductionGoal& goal);
  void contributed(ElementBase& element, const SectionId& section);

  /// An element whose member function runs: it is the sender of messages, and the time is its work.
  class Invocation {
   public:
    Invocation(ObjectSystem& system, ElementBase& element);
    Invocation(const Invocation&) = delete;
    Invocation& operator=(const Invocation&) = delete;
    ~Invocation();

   private:
    Parts& parts_;
    ElementBase& element_;
    ElementBase* outer_;  // element that has called invoke()
  };
  /// Returns an element on this rank, and records that it is invoked. Throws Error (usage) if it is not here.
  ElementBase& invoked(const CollectionBase& collection, std::uint64_t number, std::uint64_t bytes);

  LocalQueue& local_queue();
  ObjectId sender() const;
  /// Returns memory for the arguments of a message to an element that is not on this rank.
  MessageRoom room(CollectionBase& collection, std::uint64_t number, std::uint32_t handler, bool may_drop,
                   std::size_t bytes, ObjectId from);
  /// Sends a message to an element that is not on this rank.
  void send_large(CollectionBase& collection, std::uint64_t number, std::uint32_t handler, bool may_drop,
                  const PackedRest& rest, LargeArgument large);
  void call_on(int rank, std::uint32_t function, std::span<const std::byte> arguments);
  void call_on_all(std::uint32_t function, std::span<const std::byte> arguments);
  std::unique_ptr<Parts> parts_;
};

template <auto method, bool may_drop, class... Each>
void ObjectSystem::send(CollectionBase& collection, std::uint64_t number, Each&&... arguments) {
  using Handler = HandlerOf<method>;
  if (collection.table().find(number) != nullptr) {
    LocalMessage& message = local_queue().emplace<LocalMessageOf<method>>(
        collection.number(), number, sender(), std::forward<Each>(arguments)...);
    message.may_drop = may_drop;
    return;
  }
  auto converted = passed_as<typename Handler::Arguments>(std::forward<Each>(arguments)...);
  if (const std::span<const std::byte> large = large_memory(converted); !large.empty()) {
    const PackedRest rest = packed_without(converted, large);
    send_large(collection, number, Handler::number, may_drop, rest, take_argument(converted, large));
    return;
  }
  fill(room(collection, number, Handler::number, may_drop, packed_bytes(converted), sender()),
       [&](std::span<std::byte> bytes) { pack(converted, bytes); });
}

template <auto method, class... Each>
decltype(auto) ObjectSystem::invoke(CollectionBase& collection, std::uint64_t number, Each&&... arguments) {
  using Handler = HandlerOf<method>;
  expect_all_passable<typename Handler::Arguments, Each...>();
  const std::size_t bytes = packed_bytes_as(std::type_identity<typename Handler::Arguments>(), arguments...);
  ElementBase& element = invoked(collection, number, bytes);
  const Invocation invocation(*this, element);
  return (static_cast<typename Handler::Class&>(element).*method)(std::forward<Each>(arguments)...);
}

template <auto function, class... Each>
void ObjectSystem::send_to_rank(int rank, Each&&... arguments) {
  using Function = RankFunction<function>;
  call_on(rank, Function::number,
          packed(passed_as<typename Function::Arguments>(std::forward<Each>(arguments)...)));
}

template <auto function, class... Each>
void ObjectSystem::broadcast_to_ranks(Each&&... arguments) {
  using Function = RankFunction<function>;
  call_on_all(Function::number,
              packed(passed_as<typename Function::Arguments>(std::forward<Each>(arguments)...)));
}

template <auto function, class Merge, class Value>
void ObjectSystem::contribute(ElementBase& element, Value&& value, ReductionGoal goal) {
  using Kind = ReductionTo<function, Merge>;
  expect_passable<Value, typename Kind::Value>();
  goal.kind = Kind::number;
  Reduction& reduction = reduction_of(element, goal);
  static_cast<Kind&>(*reduction.partial).merge(std::forward<Value>(value));
  contributed(element, goal.section);
}

template <auto function, class Merge>
void ReductionTo<function, Merge>::finish(ObjectSystem& system, [[maybe_unused]] CollectionBase* receivers,
                                          std::uint64_t receiver) {
  if constexpr (std::is_member_function_pointer_v<decltype(function)>)
    system.send<function>(*receivers, receiver, std::move(value_));
  else
    system.send_to_rank<function>(static_cast<int>(receiver), std::move(value_));
}

}  // namespace plimsoll::objects

namespace plimsoll::PLIMSOLL_ABI {
using objects::ObjectSystem;
using objects::SystemOptions;
}  // namespace plimsoll
