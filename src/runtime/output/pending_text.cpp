#include "runtime/output/pending_text.hpp"

#include <unistd.h>

#include <cerrno>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/new_file.hpp>
#include <plimsoll/support/write_at.hpp>

namespace plimsoll::inline v0_1::runtime {

PendingText::PendingText(const std::string& path)
    : path_(path), descriptor_(support::create_file(path, true)) {}

// The NUL after the existing text is replaced last, by the first character of the new text. If the program is
// killed before that, the text is unchanged.
PendingText::Place PendingText::append(const lbdata::PhaseRecord& phase, const lbdata::RecordTables& tables) {
  constexpr std::string_view begin = R"({"type":"LBDatafile","phases":[)";
  constexpr std::string_view end("\0", 1);
  const std::string_view before = size_bytes_ == 0 ? begin : ",";
  if (size_bytes_ == 0) write(end, 0);
  write(before.substr(1), size_bytes_ + 1);
  Place place{.begin = size_bytes_ + before.size()};
  lbdata::emit_json(phase, tables, [&](std::string_view piece) {
    write(piece, place.begin + place.size);
    place.size += piece.size();
  });
  write(end, place.begin + place.size);
  write(before.substr(0, 1), size_bytes_);
  size_bytes_ = place.begin + place.size;
  return place;
}

void PendingText::read(Place place, std::string& text) const {
  text.resize(place.size);
  std::size_t done = 0;
  while (done < place.size) {
    const ssize_t got = ::pread(descriptor_.number(), text.data() + done, place.size - done,
                                static_cast<off_t>(place.begin + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw support::system_error("reading failed", path_, errno);
    if (got == 0) throw support::system_error("truncated: another program has changed it", path_, EIO);
    done += static_cast<std::size_t>(got);
  }
}

void PendingText::clear() {
  size_bytes_ = 0;
}

void PendingText::remove() {
  // A new run may have replaced the file, because rank 0 unlocks the directory without waiting for other
  // ranks.
  if (support::identity(path_) == support::identity(descriptor_)) ::unlink(path_.c_str());
}

void PendingText::write(std::string_view bytes, std::uint64_t position) {
  support::write_at(descriptor_, bytes, position, path_);
}

}  // namespace plimsoll::runtime
