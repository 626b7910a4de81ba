#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

/// Pauses of a rank that polls. The first ones take no time, later ones give the core to other processes, and
/// after 0.5 ms they sleep. With more ranks than cores, ranks that work are therefore not slowed down by
/// those that wait for them, as they are by blocking calls of MPI implementations that spin.
class Backoff {
 public:
  /// Pauses for at most 0.2 ms.
  void pause();
  /// Starts again with short pauses, because what the rank polled for has happened.
  void reset() { pauses_ = 0; }

 private:
  std::int64_t pauses_ = 0;
  std::chrono::steady_clock::time_point start_;  // of the pauses that take time
};

/// Waits with a Backoff until the request is complete, which sets it to MPI_REQUEST_NULL. For small messages
/// that another rank may send much later. Throws Error (system) if the operation failed.
void wait(MPI_Request& request);

/// Throws Error (system) with MPI's text for an error code, unless the code is MPI_SUCCESS.
void check(int code, const char* call);

/// A private duplicate of a program's communicator, so that Plimsoll's messages cannot interfere with the
/// program's. Errors on it are returned and thrown as Error (system), regardless of the program's error
/// handler.
class Communicator {
 public:
  /// Duplicates `parent`. Collective over `parent`. Throws Error (usage) for MPI_COMM_NULL, for an
  /// inter-communicator and before MPI_Init or after MPI_Finalize.
  explicit Communicator(MPI_Comm parent);
  Communicator(Communicator&& other) noexcept;
  /// Frees this object's previous communicator immediately. Collective, like the destructor.
  Communicator& operator=(Communicator&& other) noexcept;
  /// Frees the communicator. Collective, like MPI_Comm_free. Does nothing after MPI_Finalize.
  ~Communicator();

  int rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm handle() const { return handle_; }

  /// Waits for all ranks. Collective.
  void barrier() const;
  /// Broadcasts the text of `root`, of any length, to all ranks. Collective.
  std::string broadcast(std::string_view text, int root = 0) const;
  /// Merges the values of all ranks in rank order. Collective. The result has the same bits on every rank, as
  /// MPI requires of MPI_Allreduce. `merge(left, right)` merges `right` into `left`, must be associative up
  /// to rounding and must not throw.
  template <auto merge, class Value>
  Value all_reduce(const Value& mine) const {
    return all_reduce<merge>(mine, mpi::wait);
  }
  /// Does the same, but calls `wait` to wait for the other ranks. `wait` must complete the request, and must
  /// not throw before.
  using Wait = std::function<void(MPI_Request&)>;
  template <auto merge, class Value>
  Value all_reduce(const Value& mine, const Wait& wait) const;
  /// Returns the largest value of all ranks. Collective.
  template <class Value>
  Value max(Value mine) const {
    return all_reduce<[](Value& left, const Value& right) { left = left < right ? right : left; }>(mine);
  }
  /// Returns whether a condition is true on any rank, or on all ranks. Collective.
  bool any(bool mine) const { return max(mine ? 1 : 0) != 0; }
  bool all(bool mine) const { return !any(!mine); }
  /// Returns the sum of the values of all ranks. Collective. Rounded sums have the same bits on every rank.
  template <class Value>
  Value sum(Value mine) const {
    return all_reduce<[](Value& left, const Value& right) { left += right; }>(mine);
  }

 private:
  Communicator() = default;
  void all_reduce_bytes(const void* mine, void* result, int size_bytes, MPI_User_function* merge_all,
                        const Wait& wait) const;

  MPI_Comm handle_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
};

template <auto merge, class Value>
Value Communicator::all_reduce(const Value& mine, const Wait& wait) const {
  static_assert(std::is_trivially_copyable_v<Value>);
  static_assert(alignof(Value) <= alignof(std::max_align_t), "MPI aligns its buffers like malloc");
  const auto merge_all = [](void* left, void* right, int* count, MPI_Datatype*) noexcept {
    for (int k = 0; k < *count; ++k) {
      Value both = static_cast<Value*>(left)[k];
      merge(both, static_cast<Value*>(right)[k]);
      static_cast<Value*>(right)[k] = both;
    }
  };
  Value result = mine;
  all_reduce_bytes(&mine, &result, sizeof(Value), merge_all, wait);
  return result;
}

/// Throws, on all ranks, the error of the lowest rank that has one, so that no rank waits for a failed rank.
/// Collective. The error text begins with "rank N: ", unless all ranks have the same error. Throws Error
/// (usage) if MPI is not running.
void agree(const Communicator& communicator, const std::optional<Error>& mine);

/// Runs `work` on each rank, then agrees on the errors that it threw. Collective. Exceptions other than Error
/// become an Error (system).
void agreed(const Communicator& communicator, const std::function<void()>& work);

/// Performs the second half of agree(), for callers that know from their own reduction that `failed_rank` is
/// the lowest rank with an error. Collective. `mine` is this rank's error, if any.
[[noreturn]] void throw_error_of(const Communicator& communicator, int failed_rank,
                                 const std::optional<Error>& mine);

}  // namespace plimsoll::mpi
