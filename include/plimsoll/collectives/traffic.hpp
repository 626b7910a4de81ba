#pragma once

#include <functional>

#include <plimsoll/collectives/recorded_run.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A dense matrix with a number for each sender and receiver. It uses doubles because totals in files may
/// exceed 64 bits. Sums are exact up to 2^53 bytes.
class TrafficMatrix {
 public:
  TrafficMatrix() = default;
  explicit TrafficMatrix(std::uint32_t size) : size_(size), values_(std::size_t{size} * size) {}

  std::uint32_t size() const { return size_; }
  double operator()(std::uint32_t from, std::uint32_t to) const { return values_[index(from, to)]; }
  double& operator()(std::uint32_t from, std::uint32_t to) { return values_[index(from, to)]; }
  /// Returns the row of one sender: the number for each receiver.
  std::span<const double> row(std::uint32_t from) const {
    return std::span(values_).subspan(index(from, 0), size_);
  }

 private:
  std::size_t index(std::uint32_t from, std::uint32_t to) const { return std::size_t{from} * size_ + to; }

  std::uint32_t size_ = 0;
  std::vector<double> values_;
};

/// Selects calls of a profile: a call must match all members that are set.
struct TrafficSelection {
  std::optional<std::uint32_t> lead;
  std::optional<Operation> operation;
  // Members whose values each lead assigns separately; they require `lead`.
  std::optional<std::uint64_t> call;     ///< id of the call; set `operation` too if several calls have it
  std::optional<std::size_t> signature;  ///< index in Lead::signatures
  std::optional<std::uint32_t> communicator;

  friend bool operator==(const TrafficSelection&, const TrafficSelection&) = default;
};

/// Traffic between ranks of MPI_COMM_WORLD, summed over all calls of a selection.
struct Traffic {
  static constexpr std::uint32_t max_ranks = 16384;

  TrafficMatrix bytes;
  TrafficMatrix messages;  ///< one message per non-zero count and call, and each point-to-point message;
                           ///< empty unless requested
  std::uint64_t point_to_point_messages = 0;  ///< messages outside collectives, if included; saturates
  std::uint64_t calls = 0;  ///< a call on an inter-communicator, which has two leads, counts once
  /// Number of calls whose ranks in MPI_COMM_WORLD are unknown, and the bytes sent in them. `bytes` does not
  /// include them.
  std::uint64_t unplaced_calls = 0;
  double unplaced_bytes = 0;
  std::vector<Diagnostic> findings;  ///< calls whose ranks are unknown, with the reason
};

/// Sums counts x type sizes x calls, from the counts of senders or of receivers. Ranks of a communicator are
/// translated to MPI_COMM_WORLD by its members. If the members are unknown, a communicator that is as large
/// as MPI_COMM_WORLD and whose lead is rank 0 is assumed to have the same ranks. The calls of a count set
/// that several communicators share are counted for each communicator separately.
///
/// Time: O(numbers of the count sets), where equal rows count once per rank. Memory: at most max_ranks^2
/// numbers. Throws Error: usage if the selection matches no calls or is ambiguous, or if the profile has
/// several jobs or more than max_ranks ranks; bad_input if the profile contains no counts, if the ranks of
/// all selected calls are unknown, or if ranks are not in their communicator.
Traffic traffic(const Profile& profile, const TrafficSelection& selection = {},
                Direction counts_of = Direction::send, bool with_messages = false);

/// Returns the number of ranks in MPI_COMM_WORLD. If the profile does not contain it, returns the minimum
/// possible size.
std::uint32_t known_world_size(const Profile& profile);

/// Calls whose traffic is summed.
enum class TrafficKind {
  collectives,     ///< collectives with counts
  point_to_point,  ///< point-to-point messages and one-sided transfers
  all
};

/// Returns "collectives", "p2p" or "all".
const char* to_string(TrafficKind kind);

/// Returns `collectives` if their counts were recorded or if nothing was recorded, else `point_to_point`.
TrafficKind default_traffic(const RecordedRun& run);

/// Throws Error (bad_input) if the run contains no traffic of a kind although its ranks exchanged data: of
/// most collectives, such as MPI_Allreduce, only sums are known. Traffic of 0 bytes would be wrong then.
void expect_traffic(const RecordedRun& run, TrafficKind kind);

/// Sums the traffic of calls of a kind. `selection` and `counts_of` refer to collectives. A finding names the
/// functions whose traffic between pairs is unknown, unless counts were recorded and only one kind is wanted.
/// Throws the Errors of traffic() for profiles; also bad_input if the data of this kind were not recorded,
/// and usage for a selection of other kinds than collectives.
Traffic traffic(const RecordedRun& run, TrafficKind kind, const TrafficSelection& selection = {},
                Direction counts_of = Direction::send, bool with_messages = false);

/// Extreme values of a matrix of bytes.
struct TrafficSummary {
  /// The rank with the maximum, and the ratio of the maximum to the mean of all ranks (not a number if the
  /// total is 0).
  struct Extreme {
    std::uint32_t rank = 0;
    double bytes = 0;
    double over_mean = 0;
  };
  double total_bytes = 0;
  double self_bytes = 0;  ///< part of total_bytes that ranks send to themselves
  // Pair of different ranks with the largest traffic in this direction; the first pair if tied.
  std::uint32_t largest_from = 0;
  std::uint32_t largest_to = 0;
  double largest_bytes = 0;  ///< 0 if no two different ranks exchange data
  Extreme sent;
  Extreme received;
};

/// Summarises a matrix. Cost: O(size^2).
TrafficSummary summarise(const TrafficMatrix& bytes);

/// Returns the host of each rank of MPI_COMM_WORLD. An unknown host is an empty string.
std::vector<std::string> rank_hosts(const Profile& profile);

/// Traffic between hosts.
struct HostTraffic {
  std::vector<std::string> hosts;    ///< names in order of their lowest rank
  std::vector<std::uint32_t> ranks;  ///< number of ranks on each host
  TrafficMatrix bytes;
  /// Bytes between ranks on the same host, including bytes that ranks send to themselves.
  double within_bytes = 0;
  double between_bytes = 0;
};

/// Sums traffic by host. Throws Error (usage) unless the host of every rank is known.
HostTraffic host_traffic(const TrafficMatrix& bytes, std::span<const std::string> hosts);

/// Selection of the traffic to show, and the way to sum it.
struct TrafficViewOptions {
  std::optional<TrafficKind> kind;  ///< if empty, default_traffic()
  TrafficSelection selection;
  Direction counts_of = Direction::send;  ///< side whose counts are summed
  bool by_host = false;                   ///< whether to sum the traffic of the ranks on each host
  bool with_self = true;                  ///< whether to include the bytes that ranks send to themselves
};

/// Traffic of the selected calls, by rank or by host, for display.
struct TrafficView {
  TrafficKind kind = TrafficKind::collectives;
  std::string title;
  Traffic traffic;
  std::optional<HostTraffic> hosts;  ///< set if all hosts are known
  bool by_host = false;
  bool with_self = true;

  const TrafficMatrix& matrix() const { return by_host ? hosts->bytes : traffic.bytes; }
  /// Returns the names of the rows and columns of matrix().
  std::vector<std::string> names() const;
};

/// Makes a view. Throws the same Errors as expect_traffic(), traffic() and, by host, host_traffic().
TrafficView view_traffic(const RecordedRun& run, const TrafficViewOptions& options = {});

/// Describes a selection, such as "Alltoallv calls on communicator 1 of rank 0" or "calls".
std::string to_string(const TrafficSelection& selection);

/// Passes a view as CSV (RFC 4180) to a sink, line by line: a header line of receivers, then one line per
/// sender.
void write_csv(const TrafficView& view, const std::function<void(std::string_view)>& sink);

}  // namespace plimsoll::collectives
