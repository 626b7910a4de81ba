#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/objects/object_system.hpp>
#include <plimsoll/runtime/directory.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/runtime/recorder_state.hpp>
#include <plimsoll/support/version.hpp>

#include "objects/checkpoint/checkpoint.hpp"
#include "objects/elements/awaited_steps.hpp"
#include "objects/messaging/envelope.hpp"
#include "objects/messaging/message_exchange.hpp"
#include "objects/messaging/quiescence.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Returns a checksum of the serialised state of an element. It does not depend on the order of the bytes,
/// because an unordered container may have another order after it was read.
std::uint64_t state_checksum(std::span<const std::byte> bytes);

/// Checks that migrations neither lose nor duplicate elements.
class Conservation {
 public:
  using NameOf = std::function<std::string(runtime::ObjectId)>;  ///< returns the name of an element

  /// Notes the elements on this rank before the migrations.
  void begin(const std::vector<runtime::ObjectId>& here);
  /// Note an element that is created or destroyed on this rank until end().
  void created(runtime::ObjectId element) { ++surplus_[element]; }
  void destroyed(runtime::ObjectId element) { --surplus_[element]; }
  /// Compares these with the elements that are on this rank now, for all ranks together. Collective. Throws
  /// Error (system) on all ranks that names an element if it is on too few or too many ranks.
  void end(const mpi::Communicator& ranks, const std::vector<runtime::ObjectId>& here, const NameOf& name_of);

 private:
  // How often an element was on this rank, minus how often it is.
  std::unordered_map<runtime::ObjectId, std::int64_t> surplus_;
};

/// Replaces a value as long as this object exists.
template <class Value>
class Replaced {
 public:
  Replaced(Value& value, Value temporary) : value_(value), before_(std::exchange(value, temporary)) {}
  Replaced(const Replaced&) = delete;
  Replaced& operator=(const Replaced&) = delete;
  ~Replaced() { value_ = before_; }

 private:
  Value& value_;
  Value before_;
};

struct PackedLocalMessage;

/// The state of an ObjectSystem on this rank.
class ObjectSystem::Parts {
 public:
  Parts(ObjectSystem& its_system, runtime::LoadRecorder& its_recorder, const SystemOptions& options);
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  ~Parts();

  CollectionBase& collection(std::uint32_t number) const;
  void expect_same_homes(const CollectionBase& collection) const;
  /// Returns the names of the collections that exist, for the comparison of ranks.
  std::string names_of_collections() const;
  /// Throws Error (usage) in member functions of elements.
  void expect_main_program(const char* call) const;
  ElementBase* find(std::uint32_t collection_number, std::uint64_t number) const;
  ElementBase* find(ObjectId id) const;
  ElementBase* find_member(ObjectId id) const;
  ElementBase& migrating(ObjectId id) const;
  static ObjectId id_of(const CollectionBase& collection, std::uint64_t number);

  // Delivery.
  void deliver(std::span<const std::byte> message);
  void deliver(const Envelope& envelope, std::span<const std::byte> arguments);
  bool is_discarded(const Envelope& envelope) const;
  bool deliver_local(std::int64_t received);
  void resume(ElementBase& element);
  void finish_migration(ElementBase& element);
  ElementBase* begin_call(ElementBase& element);
  void end_call(ElementBase& element, ElementBase* outer);
  void note_error(std::string_view place);
  void deliver_broadcast(ElementBase& element, const Envelope& envelope,
                         std::span<const std::byte> arguments);

  // Messages to many.
  void send_to_members(const Envelope& envelope, std::span<const std::uint64_t> members,
                       std::span<const std::byte> arguments);
  void deliver_to_members(const Envelope& envelope, std::span<const std::byte> message);
  std::vector<std::uint64_t> deliver_to_members(const Envelope& envelope,
                                                std::span<const std::uint64_t> members,
                                                std::span<const std::byte> arguments);

  void send_everywhere(const Envelope& envelope, std::span<const std::byte> arguments);
  void send_on(const Envelope& envelope, std::span<const std::byte> arguments);
  void call_function(const Envelope& envelope, std::span<const std::byte> arguments);

  // Routing, and bounds on what waits.
  void flush_if_due();
  void wait_for_receivers();
  /// Returns the rank to which a new message for an element that is not here is sent, like next_rank().
  std::optional<int> first_rank(const CollectionBase& collection, Envelope& envelope) const;
  /// Returns the rank to which messages for an element that is not here are sent, or no rank if it exists
  /// nowhere. Advances the stage of the message.
  std::optional<int> next_rank(const CollectionBase& collection, Envelope& envelope) const;
  /// Adds a message to those for another rank, and returns the memory for what follows the envelope.
  std::span<std::byte> append(int to, const Envelope& envelope, std::size_t bytes);
  void append(int to, const Envelope& envelope, std::span<const std::byte> arguments);
  MessageRoom keep(const Envelope& envelope, std::size_t bytes);
  void tell_location(const Envelope& message, std::uint64_t number);
  void remember_location(std::uint64_t object_number, int rank);
  void forward(Envelope envelope, std::span<const std::byte> arguments);
  void handle_missing(const Envelope& envelope);

  // Messages that belong to steps.
  bool is_due(ElementBase& element, const Envelope& envelope, std::span<const std::byte> arguments);
  bool is_due(ElementBase& element, const LocalMessage& message);
  void keep_early(ElementBase& element, const Envelope& envelope, Step step,
                  std::span<const std::byte> arguments);
  void note_late(const ElementBase& element, std::uint32_t function, Step step);
  std::vector<EarlyMessage> take_early(ElementBase& element);
  std::string first_early() const;
  void note_undelivered(std::int64_t early, std::int64_t dropped);
  void report_undelivered() const noexcept;
  static std::vector<std::byte> packed_steps(const ElementBase& element);
  void set_steps(ElementBase& element, std::span<const std::byte> packed);

  // Reductions.
  /// Identifies a reduction that is under way.
  struct ReductionKey {
    std::uint32_t collection = 0;
    std::uint32_t sequence = 0;
    std::uint64_t section = 0;  ///< hash of the members; 0: all elements of the collection
    friend auto operator<=>(const ReductionKey&, const ReductionKey&) = default;
  };
  std::uint32_t& n_contributions(ElementBase& element, const SectionId& section);
  Reduction& reduction(const ReductionKey& key, const ReductionGoal& goal);
  std::string name_of_reduction(const ReductionKey& key) const;
  int root_of(const ReductionGoal& goal) const;
  void pass_up(const ReductionKey& key);
  void send_partial(const ReductionKey& key, int to);
  void merge_partial(const Envelope& envelope, std::span<const std::byte> bytes);
  void send_partials_of_sections();
  /// Returns the error of the first reduction that some rank has not ended. Collective.
  Error incomplete_reduction() const;
  void end_reductions();
  /// Counts the elements of all collections on all ranks, which take part in the next reductions. Collective.
  void count_elements();
  void note_contributors();

  // Quiet.
  /// Delivers messages and does what elements have requested until nothing is left. Collective. `call` is the
  /// name of the public function.
  void run_until_quiet(std::string_view call);
  void compare_calls(std::string_view call);
  void deliver_until_quiet();
  /// Does what elements have requested, once no message is left. Returns whether to go on. Collective.
  bool act_when_quiet();
  void resume_all();

  // Elements.
  ElementBase& create(CollectionBase& collection, std::uint64_t number,
                      const std::function<std::unique_ptr<ElementBase>()>& construct);
  /// Returns the result of user_set_lb_load() of an element.
  double user_load_s(ElementBase& element);
  void erase(ElementBase& element);
  std::unique_ptr<ElementBase> release(ElementBase& element);
  std::string name_of(const CollectionBase& collection, std::uint64_t number) const;
  std::string name_of(ObjectId id) const;

  /// Calls a hook of an element, which must neither destroy the element nor call collective functions. Notes
  /// what it throws with the name of the element, for after_failure(), before it passes it on.
  template <class Hook>
  auto call_hook(const CollectionBase& collection, std::uint64_t number, const Hook& hook) {
    const Replaced in_hook(is_in_hook, true);
    try {
      return hook();
    } catch (...) {
      note_error(name_of(collection, number));
      throw;
    }
  }

  // Migrations.
  void end_phase();
  std::vector<runtime::Move> take_requests();
  void migrate_now();
  void migrate(const runtime::MigrationPlan& plan);
  void after_migration(const runtime::MigrationPlan& plan);
  void after_failure();
  void declare_elements_away();
  runtime::ObjectTransport transport();
  std::size_t migration_bytes(ElementBase& element);
  std::size_t pack_to_migrate(ElementBase& element, std::span<std::byte> bytes);
  std::size_t unpack_migrated(ObjectId id, std::span<const std::byte> bytes);
  /// State of the base class of an element that migrates or is saved.
  static std::uint8_t base_state(const ElementBase& element);
  void set_base_state(ElementBase& element, std::uint8_t state) const;
  static bool has_steps(std::uint8_t base_state);
  /// Set what the element itself chooses; nothing: the option of its collection.
  void choose_measured(ElementBase& element, const std::optional<bool>& choice) const;
  void choose_migratable(ElementBase& element, const std::optional<bool>& choice) const;
  std::size_t fixed_header_bytes() const;
  std::size_t header_bytes(const ElementBase& element) const;
  static void unpack_state(ElementBase& element, std::span<const std::byte> state);
  void expect_same_state(ElementBase& element, std::span<const std::byte> packed) const;
  std::vector<ObjectId> elements_here() const;

  // Calls of the recorder and its Balancer by the program.
  /// Throws Error (usage) on all ranks if some are in a collective call of the system instead.
  void compare_recorder_call(std::string_view call, const runtime::WatchedWait& wait);
  // Checkpoints.
  std::vector<CollectionBase*> saved_collections() const;
  static SavedCollection describe(const CollectionBase& collection);
  /// Writes a checkpoint. Collective.
  void save(const std::string& folder);
  std::vector<std::byte> packed(ElementBase& element);
  std::unique_ptr<ElementBase> unpacked(CollectionBase& collection, std::span<const std::byte> record);
  /// Creates the elements of the next collection of the checkpoint. Collective.
  void restore(CollectionBase& collection);
  void place_restored();

  ObjectSystem& system;
  runtime::LoadRecorder& recorder;
  mpi::Communicator ranks;
  runtime::Balancer balancer;
  runtime::Directory directory;  // of the elements that are away from their homes
  MessageExchange exchange;
  runtime::WaitWatch wait_watch;  // until all ranks take part in the detection of quiet
  Quiescence quiescence;          // whose destructor waits for all ranks, before that of wait_watch
  LocalQueue queue;
  std::vector<CollectionBase*> collections;  // by number; nullptr if destroyed
  /// Numbers of collections that could not be created, although their elements may have sent messages to
  /// each other, which are discarded.
  std::set<std::uint32_t> failed_collections;
  struct CollectiveBroadcast {
    std::uint32_t collection, function;
  };
  std::vector<CollectiveBroadcast> collective_broadcasts;  // since the last run, for compare_calls()
  std::unordered_map<std::uint64_t, int> known_locations;  // by object number; may be out of date

  ElementBase* working = nullptr;  // element whose member function runs
  std::optional<Error> error;      // the first since the last quiet
  std::unordered_map<std::uint64_t, std::shared_ptr<void>> awaited_replies;  // places, by request
  std::uint64_t n_requests = 0;                                              // for replies, since the start
  std::map<ObjectId, int> requests;  // ranks to which elements are to migrate
  std::int64_t n_at_sync_users = 0;
  std::int64_t n_at_sync = 0;
  std::int64_t n_early = 0;              // messages of later steps in the elements on this rank
  std::int64_t n_dropped = 0;            // messages without receiver that this rank has dropped
  std::vector<std::string> undelivered;  // report on rank 0 at the end
  std::optional<runtime::PhaseSummary> last_summary;
  /// The elements of a collection that take part in reductions.
  struct Contributors {
    std::uint64_t n_all = 0;       // on all ranks
    std::uint64_t n_here = 0;      // on this rank
    std::uint32_t n_complete = 0;  // reductions to which all elements on this rank have contributed
  };
  std::vector<Contributors> contributors;  // by collection
  std::map<ReductionKey, Reduction> reductions;
  std::vector<ReductionKey> unsent_sections;  // reductions over sections with contributions to send
  /// Number of reductions over a section in which an element has taken part, by section and element.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> section_contributions;
  std::chrono::steady_clock::time_point last_flush;
  Conservation conservation;
  std::optional<Restart> restart;  // until all collections of the checkpoint have been created

  std::uint32_t n_counts = 1;  // calls of count_elements(), plus 1
  std::uint32_t n_runs = 0;    // number of times that no message was left
  int n_calls_to_reading = 1;  // member functions to run before flush_if_due() reads the clock
  bool has_requests = false;   // any rank had requests when no message was left
  bool has_worked = false;     // an element has worked in this phase
  bool is_directory_outdated = false;
  bool is_count_outdated = false;  // whether elements were created or destroyed since count_elements()
  bool is_delivering = false;      // in run_until_quiet()
  const bool checks_migrations;    // setting lb_check; always in builds with assertions
  bool is_in_hook = false;
  bool is_constructing = false;  // the constructor of an element runs
  bool is_arriving = false;      // the same, and the element has existed on another rank, or in a checkpoint
  bool is_in_own_call = false;   // collective call of the recorder or its Balancer by the system itself
  bool is_restored = false;

 private:
  template <class Call>
  void call_back(ElementBase& element, const Call& call);
  template <class Call>
  void run(ElementBase& element, const Call& call);
  template <class Call>
  void run_message(ElementBase& element, std::uint32_t function, const Call& call);
  void deliver(LocalMessage& message);
  void deliver_here(const Envelope& envelope, std::span<const std::byte> arguments);
};

}  // namespace plimsoll::objects
