#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Text of completed phases that the partial output file does not contain yet. The text is kept in a second
/// file in the same directory (`NAME.pending`), as an LB data file without its end. If the program is killed,
/// its completed phases can be recovered from both files. The text ends at the first NUL; data after the NUL
/// belong to earlier phases. Overwriting old data is several times as fast as truncating the file each time.
///
/// If phases are elided, the file begins with a line about them (lbdata::ElidedPhases), followed by the
/// metadata: the partial output file contains neither until it is complete.
class PendingText {
 public:
  /// Replaces the file of an earlier run. The caller must have the partial output file open and locked.
  /// Throws the same Errors as support::create_file().
  explicit PendingText(const std::string& path, std::optional<lbdata::ElidedPhases> elided = {});

  /// Position of one phase's text.
  struct Place {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
  };
  /// Appends the text of the next phase. Throws Error (system) if writing fails; the text is then unchanged.
  Place append(const lbdata::PhaseRecord& phase, const lbdata::RecordTables& tables);
  /// Sets the metadata, which are written if phases are elided. Call it only while no text is pending. Throws
  /// Error (system) if writing fails.
  void set_metadata(const lbdata::RankMetadata& metadata);
  /// Counts an elided phase. Throws Error (system) if writing fails.
  void elide(std::int64_t phase);
  /// Reads text that was appended. May be called by another thread than append(). Throws Error (system).
  void read(Place place, std::string& text) const;
  /// Marks the text as written to the partial output file. The next text overwrites it.
  void clear() { size_bytes_ = head_bytes_; }
  /// Deletes the file.
  void remove();
  std::uint64_t size_bytes() const { return size_bytes_; }

 private:
  void write_head();
  void write(std::string_view bytes, std::uint64_t position);

  std::string path_;
  support::Descriptor descriptor_;
  std::optional<lbdata::ElidedPhases> elided_;
  std::string metadata_;          // JSON text; empty if it is not written
  std::uint64_t head_bytes_ = 0;  // text before the first phase; 0 until it is written
  std::uint64_t size_bytes_ = 0;
};

}  // namespace plimsoll::runtime
