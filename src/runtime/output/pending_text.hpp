#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/descriptor.hpp>

namespace plimsoll::inline v0_1::runtime {

/// Text of finished phases that is not in the stream yet, kept in a file beside it (`NAME.pending`) as an LB
/// data file that lacks its end: what a killed program had finished can then be recovered from both. The text
/// goes to the first NUL; what follows is of earlier phases, because writing over them is several times as
/// fast as writing to a file that is emptied each time.
class PendingText {
 public:
  /// Replaces what an earlier run left: the caller has the stream. Throws Error as support::create_file().
  explicit PendingText(const std::string& path);

  /// Where the text of a phase is.
  struct Place {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
  };
  /// Throws Error (system) if writing fails; the text is then as it was.
  Place append(const lbdata::PhaseRecord& phase, const lbdata::RecordTables& tables);
  /// Reads what was appended. May be called by another thread than append(). Throws Error (system).
  void read(Place place, std::string& text) const;
  /// The text was written elsewhere; the next text overwrites it.
  void clear();
  /// Deletes the file.
  void remove();
  std::uint64_t size_bytes() const { return size_bytes_; }

 private:
  void write(std::string_view bytes, std::uint64_t position);

  std::string path_;
  support::Descriptor descriptor_;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace plimsoll::runtime
