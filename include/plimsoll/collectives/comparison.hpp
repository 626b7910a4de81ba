#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <plimsoll/collectives/patterns.hpp>
#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/collectives/summary.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Value of one quantity in the first and in the second profile.
template <class Number>
struct BeforeAfter {
  Number before{};
  Number after{};
};

/// Calls of one operation with the same counts and type sizes, led by the same rank, in any job.
struct SignatureChange {
  std::uint32_t lead = 0;
  Operation operation;
  std::uint32_t comm_size = 0;
  std::uint64_t bytes = 0;  ///< bytes sent per call
  BeforeAfter<std::uint64_t> calls;
  BeforeAfter<std::uint64_t> first_call;  ///< meaningful only if `calls` is not 0
};

/// Calls of one operation with the same shape, led by the same rank, in any job.
struct PatternChange {
  std::uint32_t lead = 0;
  Operation operation;
  Shape shape;
  BeforeAfter<std::uint64_t> calls;
  BeforeAfter<std::uint64_t> bytes;
};

/// Relation between the exchanges of two profiles.
enum class CountsVerdict {
  same,         ///< same counts in the same calls
  reordered,    ///< same counts equally often, but in other calls
  other_calls,  ///< same counts, but in a different number of calls
  different     ///< some counts occur in only one profile
};

/// Returns a readable text such as "same counts".
const char* to_string(CountsVerdict verdict);

/// Changes between two runs.
struct Comparison {
  BeforeAfter<Summary> summary;
  CountsVerdict verdict = CountsVerdict::same;
  std::vector<SignatureChange> signatures;  ///< ordered by lead, operation and first call
  std::vector<PatternChange> patterns;      ///< ordered by lead and operation
};

/// Compares two runs. Leads are matched by rank, regardless of their jobs. Cost: O(numbers of both profiles).
/// Throws Error (bad_input) if a profile contains no counts.
Comparison compare(const Profile& before, const Profile& after, const SummaryOptions& options = {});

}  // namespace plimsoll::collectives
