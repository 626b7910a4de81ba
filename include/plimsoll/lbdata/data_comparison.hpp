#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/support/progress.hpp>
#include <plimsoll/support/text_source.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Options of compare_data().
struct DataComparisonOptions {
  /// Relative tolerance of times, bytes, and users' numbers with a fraction: a and b are equal if |a - b| <=
  /// tolerance * max(|a|, |b|). Integers must be equal. Finite, >= 0.
  double tolerance = 0;
  std::size_t max_differences = 10;  ///< number of differences after which the comparison stops (>= 1)
  unsigned threads = 0;              ///< number of threads; 0: one per processor
  support::SizeLimits limits;        ///< limits for each file
  support::Progress* progress = &support::Progress::none();
};

/// Value that differs between two data sets.
struct DataDifference {
  std::string file;                       ///< path in the first data set, or the second if only that has it
  std::int64_t rank = 0;                  ///< rank of the file
  std::optional<std::int64_t> phase;      ///< empty for metadata and missing files
  std::optional<std::int64_t> iteration;  ///< iteration of the phase that contains the value, if any
  /// Task or edge, such as "object 5" or "SendRecv from object 5 to object 7". Empty for values of a rank or
  /// phase.
  std::string object;
  std::string field;                  ///< path of the value, such as "time" or "user_defined/shared_id"
  std::optional<std::string> first;   ///< value in the first data set; empty: absent
  std::optional<std::string> second;  ///< value in the second data set; empty: absent
};

/// Result of compare_data().
struct DataComparison {
  std::vector<DataDifference> differences;  ///< first differences, by rank and phase
  bool cut_off = false;                     ///< whether more differences may exist
  std::uint64_t files = 0;                  ///< number of compared files of the first data set
  std::uint64_t phases = 0;                 ///< number of phase records in these files
  std::uint64_t tasks = 0;
  std::uint64_t communications = 0;

  bool equal() const { return differences.empty(); }
};

/// Compares the contents of two data sets, rank by rank. If each consists of one file, these are compared
/// whatever their ranks. The contents are equal if users of the data cannot see a difference:
///  - The order of tasks, edges, subphases and members has no effect, nor has the format of numbers.
///  - Edges with the same ends and type add up.
///  - Phases that are listed as identical are compared as if they were written in full. Phases that are
///    listed as skipped equal phases that are not mentioned.
///  - An absent list or object equals an empty one; an absent `rank_alpha` equals 1. An absent `rank` equals
///    any. The type of the document is not compared.
///
/// Memory: the data of one rank of each data set, and a copy of the larger phase's edges. Throws Error
/// (usage) for an invalid tolerance, Error (bad_input) for edges whose messages exceed 64 bits in total, and
/// Error like read().
DataComparison compare_data(const std::vector<RankFile>& first, const std::vector<RankFile>& second,
                            const DataComparisonOptions& options = {});

}  // namespace plimsoll::lbdata
