#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/objects/object_system.hpp>
#include <plimsoll/runtime/recorder_state.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>

#include "objects/elements/element_identity.hpp"
#include "objects/messaging/envelope.hpp"
#include "objects/system/system_parts.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace plimsoll::PLIMSOLL_ABI::objects {

namespace {

bool is_set(const char* variable) {
  return std::getenv(variable) != nullptr;
}

/// Whether the user has set when glibc returns memory to the operating system.
bool has_settings() {
  const char* const tunables = std::getenv("GLIBC_TUNABLES");
  return is_set("MALLOC_TRIM_THRESHOLD_") || is_set("MALLOC_MMAP_THRESHOLD_") ||
         (tunables != nullptr && std::string_view(tunables).find("glibc.malloc.") != std::string_view::npos);
}

/// Makes glibc's malloc reuse freed blocks of up to 32 MiB instead of returning them to the operating system
/// (SystemOptions::keep_freed_memory). Does nothing if the environment has settings of glibc for this, or
/// with other C libraries.
void keep_freed_memory() {
  if (has_settings()) return;
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the maximum of 64-bit systems
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

#ifdef NDEBUG
constexpr bool is_debug_build = false;
#else
constexpr bool is_debug_build = true;
#endif

void expect_same_executable(const mpi::Communicator& ranks) {
  const std::uint64_t mine = hash_of_functions();
  std::uint64_t first = mine;
  mpi::check(MPI_Bcast(&first, 1, MPI_UINT64_T, 0, ranks.handle()), "MPI_Bcast");
  mpi::agreed(ranks, [&] {
    if (mine != first)
      throw support::usage_error("the ranks run different programs",
                                 "run the same executable on all ranks of an ObjectSystem");
  });
}

std::string_view class_of(std::string_view call) {
  return call == "next_phase" || call == "close" ? "LoadRecorder" : "Balancer";
}

/// State of a rank at quiescence, when no message is left; all ranks add theirs up.
struct QuiescentState {
  std::int64_t failed_rank = 0;  // number of ranks: none
  std::int64_t requests = 0;
  std::int64_t ranks_that_worked = 0;
  std::int64_t outdated_directories = 0;
  std::int64_t outdated_counts = 0;
  std::int64_t incomplete_reductions = 0;
  std::int64_t at_sync_users = 0;
  std::int64_t at_sync = 0;
  std::int64_t early = 0;
  std::int64_t dropped = 0;
};

void add_state(QuiescentState& left, const QuiescentState& right) {
  left.failed_rank = std::min(left.failed_rank, right.failed_rank);
  left.requests += right.requests;
  left.ranks_that_worked += right.ranks_that_worked;
  left.outdated_directories += right.outdated_directories;
  left.outdated_counts += right.outdated_counts;
  left.incomplete_reductions += right.incomplete_reductions;
  left.at_sync_users += right.at_sync_users;
  left.at_sync += right.at_sync;
  left.early += right.early;
  left.dropped += right.dropped;
}

}  // namespace

ObjectSystem::Parts::Parts(ObjectSystem& its_system, runtime::LoadRecorder& its_recorder,
                           const SystemOptions& options)
    : system(its_system),
      recorder(its_recorder),
      ranks(its_recorder.communicator().handle()),
      balancer(its_recorder),
      directory(ranks),
      exchange(ranks),
      wait_watch(recorder),
      quiescence(ranks),
      checks_migrations(is_debug_build || its_recorder.settings().lb_check),
      is_restored(!options.restore.empty()) {
  expect_same_executable(ranks);
  if (options.keep_freed_memory) keep_freed_memory();
  exchange.on_congestion([this] { wait_for_receivers(); });
  balancer.on_migration([this](const runtime::MigrationPlan& plan) { after_migration(plan); });
  balancer.balance_at_phase_ends(transport());
  recorder.set_load_of_elements([this](ObjectHandle object) -> std::optional<double> {
    ElementBase* const element = find(recorder.id(object));
    if (element == nullptr) return {};
    return user_load_s(*element);
  });
  quiescence.meet(fmt::format("the constructor of ObjectSystem with restore = \"{}\"", options.restore));
  if (is_restored) {
    restart.emplace(ranks, options.restore);
    mpi::agreed(ranks, [&] { runtime::RecorderState(recorder).resume(restart->phase()); });
  }
  recorder.on_collective_call(
      [this](std::string_view call, const runtime::WatchedWait& wait) { compare_recorder_call(call, wait); });
}

ObjectSystem::Parts::~Parts() {
  report_undelivered();
  recorder.set_load_of_elements(nullptr);
  recorder.on_collective_call(nullptr);
}

CollectionBase& ObjectSystem::Parts::collection(std::uint32_t number) const {
  if (number < collections.size() && collections[number] != nullptr) return *collections[number];
  throw support::usage_error(fmt::format("message to collection {}, which does not exist", number),
                             "destroy collections only when no messages are left");
}

void ObjectSystem::Parts::expect_main_program(const char* call) const {
  if (working != nullptr || is_delivering || is_in_hook || is_constructing)
    throw support::usage_error(fmt::format("{} is called by an element or by a function on a rank", call),
                               "call it in the main program");
}

std::string ObjectSystem::Parts::names_of_collections() const {
  std::string names;
  for (const CollectionBase* const collection : collections)
    if (collection != nullptr)
      names += fmt::format("{}{} \"{}\"", names.empty() ? "collections " : ", ", collection->number_,
                           collection->name());
  return names.empty() ? "no collections" : names;
}

ElementBase* ObjectSystem::Parts::find(std::uint32_t collection_number, std::uint64_t number) const {
  if (collection_number >= collections.size() || collections[collection_number] == nullptr) return nullptr;
  return collections[collection_number]->table_.find(number);
}

ObjectSystem::ObjectSystem(runtime::LoadRecorder& recorder, const SystemOptions& options)
    : parts_(std::make_unique<Parts>(*this, recorder, options)) {}

ObjectSystem::~ObjectSystem() = default;

CollectionBase::CollectionBase(ObjectSystem& system, Properties properties)
    : system_(system), properties_(std::move(properties)) {
  ObjectSystem::Parts& parts = *system_.parts_;
  parts.expect_main_program("the constructor of a collection");
  const std::size_t number = parts.collections.size();
  parts.quiescence.meet(fmt::format("the constructor of collection {}, {}", number, description()));
  if (number == max_collections)
    throw support::usage_error(fmt::format("more than {} collections", max_collections),
                               "keep collections instead of creating new ones");
  n_positions_ = count_of_positions();
  parts.expect_same_homes(*this);
  number_ = static_cast<std::uint32_t>(number);
  if (!properties_.is_group) collection_id_ = parts.recorder.add_collection();
  parts.collections.push_back(this);
  parts.contributors.emplace_back();
}

CollectionBase::~CollectionBase() {
  table_.for_each([&](ElementBase& element) {
    system_.parts_->take_early(element);
    system_.parts_->erase(element);
  });
  system_.parts_->collections[number_] = nullptr;
}

std::uint64_t CollectionBase::count() const {
  return system_.parts_->contributors[number_].n_all;
}
/// Collective. Throws Error (usage) on all ranks unless they agree on the homes of a new collection.
void ObjectSystem::Parts::expect_same_homes(const CollectionBase& collection) const {
  struct Hashes {
    std::uint64_t lowest, highest;
  } mine{};
  mpi::agreed(ranks, [&] { mine.lowest = mine.highest = collection.hash_of_homes(); });
  const Hashes all = ranks.all_reduce<[](Hashes& left, const Hashes& right) {
    left = {std::min(left.lowest, right.lowest), std::max(left.highest, right.highest)};
  }>(mine);
  if (all.lowest != all.highest) collection.homes_differ();
}

const std::optional<runtime::PhaseSummary>& ObjectSystem::last_summary() const {
  return parts_->last_summary;
}

runtime::LoadRecorder& ObjectSystem::recorder() const {
  return parts_->recorder;
}

runtime::Balancer& ObjectSystem::balancer() const {
  return parts_->balancer;
}

int ObjectSystem::rank() const {
  return parts_->ranks.rank();
}

int ObjectSystem::rank_count() const {
  return parts_->ranks.size();
}

void ObjectSystem::expect_rank(int rank, std::string_view call) const {
  if (rank < 0 || rank >= rank_count())
    throw support::usage_error(fmt::format("invalid rank {} for {}", rank, call),
                               fmt::format("use 0 to {}", rank_count() - 1));
}

void ObjectSystem::Parts::compare_recorder_call(std::string_view call, const runtime::WatchedWait& wait) {
  const std::string name = fmt::format("{}::{}()", class_of(call), call);
  expect_main_program(name.c_str());
  if (!is_in_own_call) quiescence.meet(fmt::format("{} in phase {}", name, recorder.phase()), wait);
}

void ObjectSystem::run_until_quiet() {
  parts_->run_until_quiet("run_until_quiet()");
}

void ObjectSystem::Parts::run_until_quiet(std::string_view call) {
  expect_main_program("run_until_quiet(), next_phase() or checkpoint()");
  if (restart) restart->expect_complete();
  compare_calls(call);
  do {
    deliver_until_quiet();
  } while (act_when_quiet());
}

/// Lets the ranks compare their calls while they wait for messages.
void ObjectSystem::Parts::compare_calls(std::string_view call) {
  const std::uint64_t hash = support::hash_bytes(collective_broadcasts);
  auto names_of_broadcasts = [this, broadcasts = std::exchange(collective_broadcasts, {})] {
    std::vector<std::string> names;
    for (const auto& [number, function] : broadcasts) {
      const CollectionBase* const receivers = collections[number];  // nullptr if destroyed since
      names.push_back(fmt::format("broadcast_collective() of {} to collection {}{}",
                                  name_of_function<DeliverPacked>(function), number,
                                  receivers ? fmt::format(" \"{}\"", receivers->name()) : ""));
    }
    return names;
  };
  quiescence.set_call(fmt::format("{} with {}", call, names_of_collections()), hash,
                      std::move(names_of_broadcasts));
}

void ObjectSystem::Parts::deliver_until_quiet() {
  const Replaced delivering(is_delivering, true);
  mpi::Backoff backoff;
  std::optional<runtime::LoadRecorder::Scope> idle;
  wait_watch.begin(n_runs);
  for (;;) {
    const std::int64_t received_before = exchange.received();
    bool is_active = exchange.receive([this](int, std::span<const std::byte> message) { deliver(message); });
    is_active = deliver_local(exchange.received() - received_before) || is_active;
    if (is_active) {
      idle.reset();
      backoff.reset();
      continue;
    }
    if (!idle) idle.emplace(recorder, runtime::WorkMeter::idle);
    send_partials_of_sections();
    exchange.flush();
    if (quiescence.is_reached(exchange.sent(), exchange.received())) return;
    quiescence.all_ranks_take_part() ? wait_watch.end() : wait_watch.look();
    backoff.pause();
  }
}

bool ObjectSystem::Parts::act_when_quiet() {
  for (CollectionBase* const collection : collections)
    if (collection != nullptr) collection->table_.compact();
  const std::optional<Error> mine = std::exchange(error, std::nullopt);
  const QuiescentState all = ranks.all_reduce<&add_state>(
      QuiescentState{.failed_rank = mine ? ranks.rank() : ranks.size(),
                     .requests = static_cast<std::int64_t>(requests.size()),
                     .ranks_that_worked = has_worked ? 1 : 0,
                     .outdated_directories = is_directory_outdated ? 1 : 0,
                     .outdated_counts = is_count_outdated ? 1 : 0,
                     .incomplete_reductions = static_cast<std::int64_t>(reductions.size()),
                     .at_sync_users = n_at_sync_users,
                     .at_sync = n_at_sync,
                     .early = n_early,
                     .dropped = n_dropped});
  note_undelivered(all.early, all.dropped);
  std::optional<Error> incomplete;
  if (all.incomplete_reductions > 0) incomplete = incomplete_reduction();
  end_reductions();
  if (all.outdated_counts > 0) count_elements();
  if (all.failed_rank < ranks.size()) mpi::throw_error_of(ranks, static_cast<int>(all.failed_rank), mine);
  if (incomplete) throw Error(*incomplete);
  // An element that has worked in this phase stays until its end, so that its data are on one rank only.
  has_requests = all.requests > 0;
  if (has_requests && all.ranks_that_worked == 0) {
    migrate_now();
    return true;
  }
  if (all.outdated_directories > 0) declare_elements_away();
  if (all.at_sync_users == 0 || all.at_sync < all.at_sync_users) return false;
  end_phase();
  resume_all();
  return true;
}

void ObjectSystem::Parts::resume_all() {
  std::vector<ObjectId> resumed;
  for (CollectionBase* const collection : collections) {
    if (collection == nullptr) continue;
    collection->table_.for_each([&](ElementBase& element) {
      if (std::exchange(element.is_at_sync_, false)) resumed.push_back(element.id_);
    });
  }
  n_at_sync = 0;
  for (const ObjectId id : resumed)
    if (ElementBase* const element = find(id)) resume(*element);
}

runtime::PhaseSummary ObjectSystem::next_phase() {
  parts_->run_until_quiet("next_phase()");
  parts_->end_phase();
  return *parts_->last_summary;
}

// at_sync().

void ElementBase::use_at_sync() {
  system_->parts_->n_at_sync_users += std::exchange(uses_at_sync_, true) ? 0 : 1;
}

void ElementBase::at_sync() {
  use_at_sync();
  system_->parts_->n_at_sync += std::exchange(is_at_sync_, true) ? 0 : 1;
}
}  // namespace plimsoll::objects
