#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/parse.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Formats of loads that other programs write (docs/how-to/import-files.md).
enum class ImportFormat {
  charm,  ///< one file per phase that Charm++ writes with `+LBDump`, version 3
  csv,    ///< one line per object and phase
  warpx,  ///< reduced diagnostics `LoadBalanceCosts` of WarpX and other AMReX programs
};

/// Names of the formats, as in `plimsoll import`.
inline constexpr support::Named<ImportFormat> import_formats[] = {
    {"charm", ImportFormat::charm}, {"csv", ImportFormat::csv}, {"warpx", ImportFormat::warpx}};

/// Data set that has been imported, and its size.
struct ImportedData {
  Dataset dataset;
  std::int64_t phases = 0;
  std::int64_t objects = 0;  ///< distinct objects of all phases
  /// Edges that are not imported because the file has no load of an end.
  std::int64_t edges_without_object = 0;
};

/// Converts the content of a file to a data set, whose objects have `seq_id`. Ranks without objects have
/// empty phases. `name` is used in messages. Cost: O(n log n) for n loads and edges. Throws Error (bad_input)
/// with file and line or byte if the content does not have this format, or if it contradicts itself.
ImportedData import_text(std::string_view text, const std::string& name, ImportFormat format);

/// Imports files of up to `max_bytes` each. With several files, which only ImportFormat::charm allows, each
/// is a phase. Throws Error like import_text() and support::read_text_file(), or usage for a wrong number of
/// files.
ImportedData import_files(const std::vector<std::string>& paths, ImportFormat format,
                          std::uint64_t max_bytes = std::uint64_t{4} << 30);

}  // namespace plimsoll::lbdata
