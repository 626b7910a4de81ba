#include "objects/messaging/quiescence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

namespace {

/// Returns the line that begins at a position of a text.
std::string_view line_at(std::string_view text, std::size_t begin) {
  if (begin >= text.size()) return "missing";
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// Describes the first line in which the calls of rank 0 and of another rank differ.
std::string difference(std::string_view first, int other_rank, std::string_view other) {
  const auto [end, ignored] = std::mismatch(first.begin(), first.end(), other.begin(), other.end());
  const std::string_view same = first.substr(0, static_cast<std::size_t>(end - first.begin()));
  const std::size_t begin = same.rfind('\n') + 1;  // 0 in the first line
  if (begin == 0)
    return fmt::format("rank 0 calls {}, rank {} calls {}", line_at(first, 0), other_rank, line_at(other, 0));
  return fmt::format("before {}, call {} of rank 0 is {}, and that of rank {} is {}", line_at(first, 0),
                     std::ranges::count(same, '\n'), line_at(first, begin), other_rank,
                     line_at(other, begin));
}

}  // namespace

Quiescence::~Quiescence() {
  if (mpi::finalised()) return;
  try {
    // Ranks may have joined different numbers of waves. All leave after the first wave in which all want to.
    do {
      if (request_ == MPI_REQUEST_NULL) start_wave({.ranks_leaving = 1});
      mpi::wait(request_);
    } while (all_.ranks_leaving < communicator_.size());
  } catch (const Error&) {
    return;  // MPI has failed, so that the other ranks cannot be waited for
  }
}

void Quiescence::set_call(std::string call, std::uint64_t hash_of_preparations, Preparations preparations) {
  call_ = std::move(call);
  call_hash_ = support::hash_bytes(call_, hash_of_preparations);
  preparations_ = std::move(preparations);
}

void Quiescence::meet(std::string call, const runtime::WatchedWait& wait) {
  set_call(std::move(call));
  mpi::wait(request_);  // of a detection that an exception has ended on this rank
  start_wave({});
  wait(request_);
  check_wave();
}

bool Quiescence::is_reached(std::int64_t sent, std::int64_t received) {
  if (request_ != MPI_REQUEST_NULL) {
    int is_complete = 0;
    mpi::check(MPI_Test(&request_, &is_complete, MPI_STATUS_IGNORE), "MPI_Test");
    if (is_complete == 0) return false;
    check_wave();
    const bool is_quiet = all_.sent == all_.received && all_ == previous_;
    previous_ = all_;
    if (is_quiet) {
      previous_.reset();
      return true;
    }
  }
  start_wave({.sent = sent, .received = received});
  return false;
}

void Quiescence::start_wave(const Sums& mine) {
  static_assert(sizeof(Sums) == 4 * sizeof(std::uint64_t));
  PLIMSOLL_EXPECT(request_ == MPI_REQUEST_NULL);
  mine_ = mine;
  mine_.calls = call_hash_;
  // Unsigned, because the sum of the hashes may overflow.
  mpi::check(MPI_Iallreduce(&mine_, &all_, 4, MPI_UINT64_T, MPI_SUM, communicator_.handle(), &request_),
             "MPI_Iallreduce");
}

void Quiescence::check_wave() {
  if (all_.ranks_leaving > 0)
    throw Error(ErrorKind::system, {.what = "another rank has stopped waiting for messages",
                                    .suggestion = "check the error of that rank"});
  if (all_.calls != static_cast<std::uint64_t>(communicator_.size()) * call_hash_) throw_different_calls();
}

/// Collective, because the wave has the same result on all ranks.
void Quiescence::throw_different_calls() {
  previous_.reset();
  const std::string mine = text_of_call();
  const std::string first = communicator_.broadcast(mine);
  const int other =
      communicator_.all_reduce<[](int& left, const int& right) { left = std::min(left, right); }>(
          mine == first ? communicator_.size() : communicator_.rank());
  throw support::usage_error("the ranks make different collective calls: " +
                                 difference(first, other, communicator_.broadcast(mine, other)),
                             "make the same calls in the same order on all ranks");
}

/// Returns the call and what has prepared it, one per line.
std::string Quiescence::text_of_call() const {
  std::string text = call_ + '\n';
  if (preparations_)
    for (const std::string& preparation : preparations_()) text += preparation + '\n';
  return text;
}

}  // namespace plimsoll::objects
