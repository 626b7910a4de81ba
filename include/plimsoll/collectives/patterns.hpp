#pragma once

#include <compare>
#include <map>
#include <utility>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Class of the communication in one call. The partners of a rank are the other ranks to which it sends data,
/// and those from which it receives data; data that a rank sends to itself do not matter. The first class
/// that fits applies.
enum class StructureClass : std::uint8_t {
  empty,      ///< no data
  local,      ///< ranks send data only to themselves
  pairwise,   ///< each rank sends to at most one rank, which also sends to it
  shift,      ///< each rank sends to at most one rank, and receives from at most one: chains and rings
  gather,     ///< each rank sends to at most one rank; some rank receives from several
  scatter,    ///< each rank receives from at most one rank; some rank sends to several
  dense,      ///< at least 3/4 of all pairs of a sender and a receiver exchange data
  transpose,  ///< ranks form separate groups; in a group, each rank sends to all others
  halo,       ///< symmetric: each rank sends to the ranks from which it receives
  irregular   ///< all others
};

/// Returns the name of a class, such as "halo".
const char* to_string(StructureClass structure_class);

/// Minimum and maximum number of partners of the ranks that have any.
struct Degree {
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  friend auto operator<=>(const Degree&, const Degree&) = default;
};

/// Structure of the communication in one call: which ranks exchange data, regardless of the amount.
struct Structure {
  StructureClass kind = StructureClass::empty;
  std::uint32_t senders = 0;    ///< ranks that send to other ranks
  std::uint32_t receivers = 0;  ///< ranks that receive from other ranks
  Degree sends_to;              ///< number of ranks to which a sender sends
  Degree receives_from;         ///< number of ranks from which a receiver receives
  bool symmetric = false;       ///< whether each rank sends to exactly the ranks from which it receives
  friend auto operator<=>(const Structure&, const Structure&) = default;
};

/// Returns the structure of the calls of a count set, from its send counts. `remote_size`: size of the remote
/// group if the calls are on an inter-communicator, else 0. The partners of a rank are then in the other
/// group, whose ranks send what the receive counts specify. Sets of partners are compared by 64-bit hashes.
/// Cost: O(numbers + ranks).
Structure structure_of(const Signature& signature, std::uint32_t remote_size = 0);

/// Number of ranks by number of peers with a non-zero count. A rank that sends to itself is one of its own
/// peers. Ranks without peers are not included.
using PeerCounts = std::map<std::uint64_t, std::uint64_t>;

/// Shape of one call: number of ranks by number of peers, regardless of which ranks they are.
struct Shape {
  PeerCounts send;
  PeerCounts recv;
  bool empty() const { return send.empty() && recv.empty(); }
  friend auto operator<=>(const Shape&, const Shape&) = default;
};

/// Returns the shape of the calls of a count set. `remote_size`: size of the remote group if the calls are on
/// an inter-communicator, else 0. Cost: O(numbers of the count set).
Shape shape_of(const Signature& signature, std::uint32_t remote_size = 0);

/// Some calls. Sums beyond 64 bits saturate.
struct CallAmount {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  ///< bytes sent in these calls

  void add(const CallAmount& others);
};

/// A pattern: the calls with the same shape.
struct Pattern {
  Shape shape;
  NumberList calls;         ///< ids in ascending order
  std::uint64_t bytes = 0;  ///< bytes sent in these calls
  /// The same calls by structure. Calls with the same shape may have different structures: in a ring of 6
  /// ranks and in two groups of 3 ranks, each rank has 2 partners.
  std::map<Structure, CallAmount> structures;
};

/// Consecutive calls whose patterns repeat: `cycle` occurs `repeats` times. Each element of the cycle is a
/// pattern and the number of consecutive calls with this pattern. If all calls have the same pattern, the
/// cycle has one element and is not repeated.
struct RepeatedCycle {
  std::uint64_t first_call = 0;
  std::uint64_t last_call = 0;
  std::vector<std::pair<std::size_t, std::uint64_t>> cycle;
  std::uint64_t repeats = 1;
  friend bool operator==(const RepeatedCycle&, const RepeatedCycle&) = default;
};

/// The patterns of one operation on the communicators of one lead.
struct LeadPatterns {
  std::uint64_t job = 0;
  std::uint32_t lead = 0;
  Operation operation;
  std::uint64_t calls = 0;
  std::vector<Pattern> patterns;        ///< patterns #0, #1 ... in order of first call
  Shape sum;                            ///< number of ranks by number of peers, summed over all calls
  std::vector<RepeatedCycle> timeline;  ///< sequence of patterns, in order of calls
};

/// Finds patterns by job, lead and operation. Cost: O(numbers and runs of the profile).
std::vector<LeadPatterns> find_patterns(const Profile& profile);

/// The calls with one structure, of all operations, leads and jobs.
struct StructureTotal {
  Structure structure;
  CallAmount amount;
  std::vector<Operation> operations;  ///< ordered by index
  NumberList leads;                   ///< lead ranks in ascending order
};

/// Returns the structures of all patterns, those with the most calls first.
std::vector<StructureTotal> total_structures(const std::vector<LeadPatterns>& patterns);

/// Measure by which patterns are ranked.
enum class PatternOrder { occurrences, bytes };
/// Returns the indices of at most `count` patterns, heaviest first.
std::vector<std::size_t> heaviest(const LeadPatterns& lead, PatternOrder by, std::size_t count);

/// Divides the calls of a lead, in order, into at most `columns` parts with equal numbers of calls. Returns
/// the most frequent pattern of each part, or the first of several equally frequent patterns.
std::vector<std::size_t> dominant_patterns(const LeadPatterns& lead, std::size_t columns);

/// The collective profiler's classes of patterns, by the numbers of senders and of their peers. They do not
/// depend on receivers. Structure::kind is more precise.
enum class PatternClass { one_to_n, n_to_one, n_to_n };

/// The collective profiler's rule for classifying X ranks that each send to Y others. They are 1-to-n if Y >
/// factor * X, n-to-1 if X > factor * Y, and n-to-n if X is within `tolerance` of Y. All other pairs of X and
/// Y have no class. With a factor of 100, runs with fewer than 101 ranks contain only n-to-n.
struct ClassRule {
  double factor = 100;
  double tolerance = 0.1;
};

/// Returns whether `ranks` ranks that each send to `peers` peers belong to the class `wanted`.
bool is_of_class(std::uint64_t peers, std::uint64_t ranks, PatternClass wanted, const ClassRule& rule = {});
/// Returns whether any entry of `shape.send` belongs to the class `wanted`. A shape may belong to several
/// classes.
bool is_of_class(const Shape& shape, PatternClass wanted, const ClassRule& rule = {});

/// Returns "1-to-n", "n-to-1" or "n-to-n".
const char* to_string(PatternClass pattern_class);

/// Describes a shape as the collective profiler does: "4 ranks sent to 1 other ranks" and "4 ranks recv'd
/// from 1 other ranks", one line per number of peers. The lines with the fewest ranks come first. Among those
/// with equally many ranks, the line with the fewest peers comes first; the profiler's order varies.
std::vector<std::string> sentences(const Shape& shape);

/// Writes the collective profiler's patterns-job<J>-rank<L>.md and patterns-summary-job<J>-rank<L>.md into a
/// directory, which is created if it is missing. With the default rule, the files are identical to those of
/// the collective profiler for Alltoallv calls with the IDs 0, 1, 2 ..., with two exceptions: the order of
/// lines that sentences() describes, and the numbers of patterns in the sections N to 1 and N to n, which are
/// always 0 in its files. It skips calls whose IDs are not below the number of calls. Other operations
/// follow in the same format. Returns the paths of the files. Throws Error: usage if a file exists and may
/// not be replaced, system if writing fails.
std::vector<std::string> write_patterns(const std::vector<LeadPatterns>& patterns, const std::string& folder,
                                        const ClassRule& rule = {}, bool overwrite = false);

}  // namespace plimsoll::collectives
