#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include <plimsoll/collectives/number_list.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Type of data exchange of a collective operation.
enum class Exchange : std::uint8_t { alltoall, alltoallv, alltoallw, allgatherv };

/// Direction of data: sent or received.
enum class Direction : std::uint8_t { send, recv };

/// Form of the call: MPI_X, MPI_Ix, or MPI_X_init. Each start of a persistent operation counts as one call.
enum class Mode : std::uint8_t { blocking, nonblocking, persistent };

/// A profiled collective operation. Large-count forms (MPI_X_c) are the same operation.
struct Operation {
  Exchange exchange = Exchange::alltoallv;
  Mode mode = Mode::blocking;
  bool neighborhood = false;

  static constexpr std::size_t count = 24;

  /// Returns an index from 0 to count - 1, for arrays over operations.
  constexpr std::size_t index() const {
    return (static_cast<std::size_t>(exchange) * 3 + static_cast<std::size_t>(mode)) * 2 +
           (neighborhood ? 1 : 0);
  }
  static constexpr Operation at(std::size_t index) {
    return {static_cast<Exchange>(index / 6), static_cast<Mode>(index / 2 % 3), index % 2 == 1};
  }
  /// Returns whether each rank passes MPI a single count for all its peers. This is true for Alltoall in both
  /// directions, and for Allgatherv in the send direction.
  constexpr bool has_one_count(Direction direction) const {
    return exchange == Exchange::alltoall ||
           (exchange == Exchange::allgatherv && direction == Direction::send);
  }
  /// Returns MPI's name without "MPI_", such as "Alltoallv", "Ineighbor_alltoallw", "Allgatherv_init".
  std::string name() const;
  /// Returns the name in lower case, as in file names.
  std::string lower_case_name() const;
  /// Returns the operation with that name, in upper or lower case; nothing if the name is unknown.
  static std::optional<Operation> named(std::string_view name);

  friend constexpr bool operator==(const Operation&, const Operation&) = default;
};

/// Returns the operation that a user entered, in upper or lower case, with or without "MPI_". Throws Error
/// (usage) if the operation is unknown.
Operation operation_named(const std::string& name);

/// The counts (or displacements) of all ranks of a communicator in one call. Each distinct row is stored
/// once, with the group of ranks that have these numbers. A row has one number per peer; peers are the ranks
/// of the communicator or of the remote group of an inter-communicator. If MPI takes a single count for all
/// peers (Operation::has_one_count()), a row has one number. Rows are sorted by their lowest rank.
struct CountMatrix {
  std::uint32_t columns = 0;
  std::vector<NumberList> ranks;     ///< ranks of each row, as ranks of the communicator
  std::vector<std::int64_t> counts;  ///< rows x columns, row by row

  std::size_t rows() const { return ranks.size(); }
  std::span<const std::int64_t> row(std::size_t k) const {
    return std::span(counts).subspan(k * columns, columns);
  }
  friend bool operator==(const CountMatrix&, const CountMatrix&) = default;
};

/// Send or receive side of a count set.
struct Side {
  /// Bytes of an element (MPI_Type_size) on the lead. For Alltoallw, whose types differ per peer, it is 1,
  /// and counts are in bytes.
  std::uint64_t type_size = 0;
  /// Type size of each rank of the communicator if they are not all equal to `type_size`; else empty.
  std::vector<std::uint64_t> type_sizes;
  CountMatrix matrix;
  friend bool operator==(const Side&, const Side&) = default;
};

/// A count set: calls with the same counts and type sizes. It is one block of the compact files.
struct Signature {
  Operation operation;
  std::uint32_t comm_size = 0;  ///< size of the communicator; inter-communicator: of the lead's group
  Side send;
  Side recv;
  NumberList calls;  ///< call ids: the lead counts all its calls of this operation from 0, including calls
                     ///< that it does not lead and calls that are not recorded
};

/// Returns whether calls of both count sets exchange the same data: all members except `calls` are equal.
inline bool same_counts(const Signature& one, const Signature& other) {
  return one.operation == other.operation && one.comm_size == other.comm_size && one.send == other.send &&
         one.recv == other.recv;
}

/// Returns the send or receive side of a count set.
inline const Side& side_of(const Signature& signature, Direction direction) {
  return direction == Direction::send ? signature.send : signature.recv;
}

/// Returns whether each row of a side is one count that is sent to (or received from) every peer.
inline bool has_one_count(const Signature& signature, Direction direction) {
  return signature.operation.has_one_count(direction) && side_of(signature, direction).matrix.columns == 1;
}

/// Returns the number of peers of each rank in the calls of a count set. It is the number of columns of the
/// larger matrix. If MPI takes one count for all peers, it is the size of the remote group of an
/// inter-communicator, `remote_size`, or that of the communicator if `remote_size` is 0.
std::uint32_t peers(const Signature& signature, std::uint32_t remote_size = 0);

/// A communicator of a lead.
struct Communicator {
  std::uint32_t id = 0;             ///< number 0, 1, 2 ... in order of first use on its lead
  NumberList members;               ///< ranks in MPI_COMM_WORLD, by rank; empty if unknown
  NumberList remote_members;        ///< members of the remote group of an inter-communicator, else empty
  std::vector<std::uint64_t> pids;  ///< process id of each member; empty if unknown
  std::vector<std::string> hosts;   ///< host of each member; empty if unknown
  /// Calls on this communicator, by operation; empty if unknown.
  struct Calls {
    Operation operation;
    NumberList ids;
  };
  std::vector<Calls> calls;
};

/// Recorded values of some calls: one value per call and rank of the communicator.
template <class Value>
struct PerRank {
  Operation operation;
  std::uint32_t communicator = 0;  ///< id on the lead
  std::uint32_t comm_size = 0;
  std::vector<std::uint64_t> calls;  ///< ids in ascending order
  std::vector<Value> values;         ///< calls x comm_size, call by call

  /// Returns the values of the k-th call, by rank.
  std::span<const Value> of_call(std::size_t k) const {
    return std::span(values).subspan(k * comm_size, comm_size);
  }
  /// Returns the values of the call with this id, by rank; empty if they are missing. Cost: O(log(calls)).
  std::span<const Value> find(std::uint64_t id) const {
    const auto found = std::ranges::lower_bound(calls, id);
    if (found == calls.end() || *found != id) return {};
    const auto k = static_cast<std::size_t>(found - calls.begin());
    return (k + 1) * comm_size <= values.size() ? of_call(k) : std::span<const Value>();
  }
  /// Removes the calls for which keep(k) is false, for k = 0, 1, 2 ...
  template <class Keep>
  void keep_calls(Keep&& keep) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < calls.size(); ++k) {
      if (!keep(k)) continue;
      calls[kept] = calls[k];
      std::ranges::copy(of_call(k), values.begin() + static_cast<std::ptrdiff_t>(kept * comm_size));
      ++kept;
    }
    calls.resize(kept);
    values.resize(kept * comm_size);
  }
};

/// Seconds of some calls.
using RankValues = PerRank<double>;

/// Hashes of the data that a rank sent and received in a call; 0 if not recorded.
/// docs/reference/collective-files.md defines them.
struct DataHashes {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  friend bool operator==(const DataHashes&, const DataHashes&) = default;
};
using RankHashes = PerRank<DataHashes>;  ///< hashes of some calls

/// Returns the values of one operation on one communicator; null if missing.
template <class Value>
const PerRank<Value>* find_values(const std::vector<PerRank<Value>>& all, Operation operation,
                                  std::uint32_t communicator) {
  for (const PerRank<Value>& values : all)
    if (values.operation == operation && values.communicator == communicator) return &values;
  return nullptr;
}

/// A call stack, and the calls made from there.
struct Backtrace {
  Operation operation;
  std::string program;  ///< path of the executable
  std::uint64_t pid = 0;
  std::vector<std::string>
      frames;  ///< "MODULE(FUNCTION+0xOFFSET) [0xADDRESS IN MODULE] FILE:LINE", innermost first
  /// Calls that one rank of a communicator made from this call stack.
  struct Context {
    std::uint32_t communicator = 0;
    std::uint32_t comm_rank = 0;
    std::uint32_t world_rank = 0;
    NumberList calls;
  };
  std::vector<Context> contexts;
};

/// Data of the communicators that have the same lead rank, i.e. whose rank 0 is the same rank of
/// MPI_COMM_WORLD.
struct Lead {
  std::uint64_t job = 0;
  std::uint32_t rank = 0;
  std::vector<Signature> signatures;     ///< ordered by operation, then by first call
  std::vector<Signature> displacements;  ///< displacements instead of counts, if recorded
  std::vector<Communicator> communicators;
  /// Time in the call; for a nonblocking or persistent call, also in the calls that waited for it or tested
  /// it. If one call waits for several recorded calls, each has an equal share of its time.
  std::vector<RankValues> execution_s;
  /// Time that this rank waited for others: from its arrival to that of the last rank on which it depends
  /// (all ranks, or its neighbours in a neighbourhood collective), but at most its execution time.
  std::vector<RankValues> late_arrival_s;
  std::vector<RankValues> begin_s;  ///< entry time of each rank since MPI_Init, on the clock of world rank 0
  std::vector<RankHashes> hashes;   ///< hashes of the data that each rank sent and received
  std::vector<Backtrace> backtraces;
  /// Number of calls of each operation in which the lead took part, including calls that are not recorded, by
  /// Operation::index().
  std::vector<std::uint64_t> total_calls = std::vector<std::uint64_t>(Operation::count);
};

/// Calls for which MPI returned an error on one or more ranks. They are not part of the counts.
struct FailedCalls {
  Operation operation;
  std::uint64_t calls = 0;  ///< a call that failed on several ranks counts once
  NumberList ranks;         ///< ranks in MPI_COMM_WORLD on which calls failed, ascending
  friend bool operator==(const FailedCalls&, const FailedCalls&) = default;
};

/// A host of the run.
struct Host {
  std::string name;
  NumberList ranks;  ///< its ranks in MPI_COMM_WORLD, ascending
  friend bool operator==(const Host&, const Host&) = default;
};

/// Recorded collective operations of one program run. Parts may be unknown.
struct Profile {
  std::uint32_t world_size = 0;   ///< 0 if unknown
  std::vector<std::string> runs;  ///< names of the runs (run_name()), one per job; empty if unknown
  /// Hosts of all ranks, also of those that made no collective call, in order of their lowest rank; empty if
  /// unknown.
  std::vector<Host> hosts;
  std::vector<Lead> leads;  ///< ordered by job and rank
  NumberList cut_short;     ///< world ranks whose log ends before MPI_Finalize or is missing
  std::uint64_t incomplete_calls =
      0;  ///< calls excluded because not all ranks of their communicator recorded them
  std::vector<FailedCalls> failed_calls;  ///< ordered by operation
  std::optional<double> clock_error_s;    ///< maximum error between times of different ranks, if clocks were
                                          ///< compared
};

/// Returns whether the calls on a communicator are also calls of another lead in the profile, which counts
/// them: both groups of an inter-communicator record each call. The group with the lowest rank counts.
bool is_counted_elsewhere(const Profile& profile, const Lead& lead, const Communicator& communicator);

/// Returns the number of calls with known counts, summed over all leads. Calls on inter-communicators count
/// once.
std::uint64_t recorded_calls(const Profile& profile);

/// Throws Error (bad_input) if a profile contains no counts.
void expect_counts(const Profile& profile);

/// Returns the lead with that job and rank. Inserts it in order if it does not exist yet. References to leads
/// become invalid when a lead is inserted.
Lead& lead_of(Profile& profile, std::uint64_t job, std::uint32_t rank);

/// A part of a profile.
struct Selection {
  std::optional<std::uint32_t> lead;  ///< all leads if unset
  std::string operation;              ///< name in any case, with or without "MPI_"; all if empty
};

/// Returns the part of a profile with the selected lead and operation. Throws Error (usage) if no recorded
/// call matches, or if the operation is unknown.
Profile select(Profile profile, const Selection& selection);

/// Keeps only the calls of an operation that the collective profiler would record if it began with call
/// `first` and stopped after `limit` calls. For each lead, these are the first `limit` calls that the rank
/// leads and whose id is >= `first`, regardless of their communicator.
void keep_window(Profile& profile, Operation operation, std::uint64_t first, std::uint64_t limit);

}  // namespace plimsoll::collectives
