// Delivers messages until none is left, and does then what elements have requested.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>

#include "objects/messaging/handler_tables.hpp"
#include "objects/system/system_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

namespace {

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
}

}  // namespace

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
                     .at_sync = n_at_sync});
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
