#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/import.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Load of one object in one phase, as an imported file states it.
struct ObjectLoad {
  std::int64_t phase = 0;
  std::int64_t object = 0;
  std::int32_t rank = 0;
  double load_s = 0;
  std::uint64_t line = 0;  ///< of the file, for messages; 0 if it has no lines
  bool migratable = true;
  std::string user_defined;  ///< JSON object; may be empty
};

/// Messages of one phase from one object to another.
struct ObjectEdge {
  std::int64_t phase = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t messages = 0;
  double bytes = 0;  ///< of all messages
};

/// Loads of a file, in any order.
struct ObjectLoads {
  std::vector<ObjectLoad> loads;
  std::vector<ObjectEdge> edges;               ///< may have ends without a load
  std::int64_t n_ranks = 0;                    ///< 0: the highest rank plus 1
  std::map<std::int64_t, std::string> phases;  ///< JSON objects that describe phases
};

/// Creates an Error (bad_input) about a line of an imported file.
Error invalid_line(std::string what, const std::string& file, std::uint64_t line,
                   std::string suggestion = {});

/// Returns a number of a file. Throws invalid_line() if the text is another one or outside the range.
/// `column` names the number.
std::int64_t integer_in(std::string_view text, std::string_view column, std::int64_t max,
                        const std::string& file, std::uint64_t line);
/// The same for a finite number of at least 0, up to 1e30.
double amount_in(std::string_view text, std::string_view column, const std::string& file, std::uint64_t line);

/// Reads the loads of a text in one of the formats.
ObjectLoads csv_loads(std::string_view text, const std::string& file);
ObjectLoads warpx_loads(std::string_view text, const std::string& file);
ObjectLoads charm_loads(std::string_view text, const std::string& file);

inline constexpr double max_imported_amount = 1e30;
inline constexpr std::int64_t max_imported_phase = 0x7fffffff;
inline constexpr std::int64_t max_imported_rank = 0xfffff;

}  // namespace plimsoll::lbdata
