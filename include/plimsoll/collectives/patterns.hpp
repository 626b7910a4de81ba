#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::inline v0_1::collectives {

/// How many ranks talk to so many others: number of peers with a count that is not 0 -> number of ranks. A
/// rank is one of its peers if it sends to itself; ranks with no peer at all are left out.
using PeerCounts = std::map<std::uint64_t, std::uint64_t>;

/// Counts the ranks of a signature by their number of peers on one side. O(numbers of the side).
PeerCounts peer_counts(const Signature& signature, const Side& side);

/// Who talks to how many others in a call, whoever they are.
struct Shape {
  PeerCounts send;
  PeerCounts recv;
  bool empty() const { return send.empty() && recv.empty(); }
  friend auto operator<=>(const Shape&, const Shape&) = default;
};

/// The calls with the same shape: a pattern.
struct Pattern {
  Shape shape;
  NumberList calls;         ///< ascending
  std::uint64_t bytes = 0;  ///< sent in these calls
};

/// Calls in a row whose patterns repeat: `cycle` (a pattern, and how many calls in a row have it) `repeats`
/// times. One pattern throughout is a cycle of one that is not repeated.
struct RepeatedCycle {
  std::uint64_t first_call = 0;
  std::uint64_t last_call = 0;
  std::vector<std::pair<std::size_t, std::uint64_t>> cycle;
  std::uint64_t repeats = 1;
  friend bool operator==(const RepeatedCycle&, const RepeatedCycle&) = default;
};

/// The patterns of an operation on the communicators of a lead.
struct LeadPatterns {
  std::uint64_t job = 0;
  std::uint32_t lead = 0;
  Operation operation;
  std::uint64_t calls = 0;
  std::vector<Pattern> patterns;        ///< by first call: pattern #0, #1 ...
  Shape sum;                            ///< ranks added up over all calls
  std::vector<RepeatedCycle> timeline;  ///< how patterns follow each other, in order of calls
};

/// By job, lead and operation. O(numbers and runs of the profile).
std::vector<LeadPatterns> find_patterns(const Profile& profile);

/// The order of patterns by how much they matter.
enum class PatternOrder { occurrences, bytes };
/// Indices of at most `count` patterns, heaviest first.
std::vector<std::size_t> heaviest(const LeadPatterns& lead, PatternOrder by, std::size_t count);

/// A lead's calls in order, divided into at most `columns` parts of equally many calls: the pattern that most
/// calls of each part have, of equals the first.
std::vector<std::size_t> dominant_patterns(const LeadPatterns& lead, std::size_t columns);

/// The kinds of sending that are told apart.
enum class PatternClass { one_to_n, n_to_one, n_to_n };

/// When X ranks sent to Y others each, it is 1-to-n if Y > factor X, n-to-1 if X > factor Y, n-to-n if X is
/// within `tolerance` of Y, and nothing special else.
///
/// The collective profiler has a factor of 100, which says nothing about runs of less than 101 ranks. With 2,
/// a rank that sends to three others is seen: what differs by more than a factor of two is no exchange any
/// more.
struct ClassRule {
  double factor = 2;
  double tolerance = 0.1;
  /// The collective profiler's.
  static constexpr ClassRule classic() { return {.factor = 100}; }
};

/// Whether ranks that send to so many peers are of a class.
bool is_of_class(std::uint64_t peers, std::uint64_t ranks, PatternClass wanted, const ClassRule& rule = {});
/// Whether any of those who send are; a pattern may be of several classes.
bool is_of_class(const Shape& shape, PatternClass wanted, const ClassRule& rule = {});

/// "1-to-n", "n-to-1" or "n-to-n".
const char* to_string(PatternClass pattern_class);

/// "4 ranks sent to 1 other ranks" and "4 ranks recv'd from 1 other ranks", in the collective profiler's
/// words; one line for each number of peers.
std::vector<std::string> sentences(const Shape& shape);

/// Writes the collective profiler's patterns-job<J>-rank<L>.md and patterns-summary-job<J>-rank<L>.md into a
/// folder, which it creates if needed: byte for byte for Alltoallv with the classic rule, but for the
/// numbers of patterns in the sections N to 1 and N to n, which are not all 0 here. Other operations follow
/// in the same form. Returns their paths. Throws Error: usage if one exists and may not be replaced, system
/// if writing fails.
std::vector<std::string> write_patterns(const std::vector<LeadPatterns>& patterns, const std::string& folder,
                                        const ClassRule& rule = ClassRule::classic(), bool overwrite = false);

}  // namespace plimsoll::collectives
