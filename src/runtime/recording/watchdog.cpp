#include "runtime/recording/watchdog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

using mpi::check;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int watchdog_question_tag = 32'001;  // below packet_tag of transfers
constexpr int watchdog_answer_tag = 32'002;
constexpr int tests_without_yielding = 1000;  // some 50 us, in which ranks on separate cores usually arrive
constexpr milliseconds quiet_time{500};       // before it, a rank does not even look for questions
constexpr milliseconds stagger{20};           // per rank, so that usually only one rank asks
constexpr milliseconds answer_time{1000};
constexpr std::int64_t first_number_of_begin = std::int64_t{1} << 62;  // other waits have smaller numbers

bool is_complete(MPI_Request& request) {
  int complete = 0;
  check(MPI_Test(&request, &complete, MPI_STATUS_IGNORE), "MPI_Test");
  return complete != 0;
}

}  // namespace

Watchdog::Watchdog(const mpi::Communicator& communicator, std::chrono::seconds limit, Report report)
    : communicator_(communicator), limit_(limit), report_(std::move(report)) {}

void Watchdog::wait(MPI_Request& request, const Arrival& mine) {
  number_ = ++waits_;
  watch(request, mine);
}

// Does not count, because ranks in other calls do not.
void Watchdog::wait_for_comparison(MPI_Request& request, const Arrival& mine) {
  number_ = -1 - waits_;
  watch(request, mine);
}

void Watchdog::watch(MPI_Request& request, const Arrival& mine) {
  if (limit_.count() == 0) return check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  for (int k = 0; k < tests_without_yielding; ++k)
    if (is_complete(request)) return;
  state_ = {.start = steady_clock::now()};
  while (!is_complete(request)) {
    ::sched_yield();
    look(mine);
  }
  finish();
}

void Watchdog::begin(std::int64_t number) {
  number_ = first_number_of_begin + number;
  state_ = {.start = steady_clock::now()};
}

// All ranks have arrived. The messages are so short that MPI sends them without waiting for the receiver.
void Watchdog::finish() {
  check(MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  sends_.clear();
}

void Watchdog::look(const Arrival& mine) {
  if (limit_.count() == 0) return;
  const Time now = steady_clock::now();
  if (now - state_.start < quiet_time) return;
  answer();
  if (state_.ended) return;
  if (!state_.asked && now - state_.start >= limit_ + communicator_.rank() * stagger) ask(now);
  if (!state_.asked) return;
  collect_answers();
  if (std::ranges::find(state_.present, false) == state_.present.end()) {
    state_ = {.start = now};  // the last rank has arrived; the operation itself is slow
  } else if (now - state_.asked_at >= answer_time) {
    state_.ended = true;
    report_(description(mine, now));
  }
}

void Watchdog::answer() {
  for (int from = 0; take_message(watchdog_question_tag, from);) {
    send(watchdog_answer_tag, from);
    if (!state_.asked || from < communicator_.rank()) state_.ended = true;
  }
}

void Watchdog::ask(Time now) {
  state_.asked = true;
  state_.asked_at = now;
  state_.present.assign(static_cast<std::size_t>(communicator_.size()), false);
  state_.present[static_cast<std::size_t>(communicator_.rank())] = true;
  for (int rank = 0; rank < communicator_.size(); ++rank)
    if (rank != communicator_.rank()) send(watchdog_question_tag, rank);
}

void Watchdog::collect_answers() {
  for (int from = 0; take_message(watchdog_answer_tag, from);)
    state_.present[static_cast<std::size_t>(from)] = true;
}

void Watchdog::send(int tag, int to) {
  check(MPI_Isend(&number_, 1, MPI_INT64_T, to, tag, communicator_.handle(), &sends_.emplace_back()),
        "MPI_Isend");
}

// Returns whether a message about this wait has arrived. Discards messages about earlier waits.
bool Watchdog::take_message(int tag, int& from) {
  while (true) {
    int arrived = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, tag, communicator_.handle(), &arrived, &status), "MPI_Iprobe");
    if (arrived == 0) return false;
    std::int64_t number = 0;
    check(MPI_Recv(&number, 1, MPI_INT64_T, status.MPI_SOURCE, tag, communicator_.handle(), &status),
          "MPI_Recv");
    from = status.MPI_SOURCE;
    if (number == number_) return true;
  }
}

void Watchdog::discard_messages() {
  number_ = 0;  // of no wait
  int from = 0;
  take_message(watchdog_question_tag, from);
  take_message(watchdog_answer_tag, from);
}

std::string Watchdog::description(const Arrival& mine, Time now) const {
  constexpr std::size_t most_named = 10;
  std::vector<int> missing;
  for (int rank = 0; rank < communicator_.size(); ++rank)
    if (!state_.present[static_cast<std::size_t>(rank)]) missing.push_back(rank);
  const std::size_t named = std::min(missing.size(), most_named);
  const std::string more = missing.size() > named ? fmt::format(" and {} more", missing.size() - named) : "";
  return fmt::format(
      "rank {} has been waiting in {}() of phase {} for {} s: missing {} {}{}; check that all ranks make "
      "the same collective calls in the same order",
      mine.rank, name_of(mine.call), mine.phase,
      std::chrono::duration_cast<std::chrono::seconds>(now - state_.start).count(),
      missing.size() == 1 ? "rank" : "ranks",
      fmt::join(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(named), ", "), more);
}

}  // namespace plimsoll::runtime
