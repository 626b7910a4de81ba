#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/objects/object_system.hpp>
#include <plimsoll/runtime/recorder_state.hpp>
#include <plimsoll/support/error.hpp>

#include "objects/elements/element_identity.hpp"
#include "objects/messaging/handler_tables.hpp"
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
  table_.for_each([&](ElementBase& element) { system_.parts_->erase(element); });
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

namespace {

std::string_view class_of(std::string_view call) {
  return call == "next_phase" || call == "close" ? "LoadRecorder" : "Balancer";
}

}  // namespace

void ObjectSystem::Parts::compare_recorder_call(std::string_view call, const runtime::WatchedWait& wait) {
  const std::string name = fmt::format("{}::{}()", class_of(call), call);
  expect_main_program(name.c_str());
  if (!is_in_own_call) quiescence.meet(fmt::format("{} in phase {}", name, recorder.phase()), wait);
}

}  // namespace plimsoll::objects
