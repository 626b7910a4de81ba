#include "runtime/output/pending_text.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr std::string_view end_of_text("\0", 1);

}  // namespace

PendingText::PendingText(const std::string& path, std::optional<lbdata::ElidedPhases> elided)
    : path_(path), descriptor_(support::create_file(path, true)), elided_(std::move(elided)) {}

void PendingText::set_metadata(const lbdata::RankMetadata& metadata) {
  if (!elided_) return;
  lbdata::RankMetadata without_lists = metadata;
  without_lists.phases.reset();
  metadata_ = lbdata::to_json(without_lists);
  if (head_bytes_ > 0) write_head();
}

// The system writes the counts as a whole: they are in one page of the file.
void PendingText::elide(std::int64_t phase) {
  if (head_bytes_ == 0) write_head();
  ++elided_->count;
  elided_->last = phase;
  write(lbdata::counts_text(*elided_), lbdata::counts_offset);
}

// The NUL before the new text is replaced last, by the character before the phase. If the program is killed
// before that, the text is unchanged.
PendingText::Place PendingText::append(const lbdata::PhaseRecord& phase, const lbdata::RecordTables& tables) {
  if (head_bytes_ == 0) write_head();
  const bool is_first = size_bytes_ == head_bytes_;
  if (is_first) write(end_of_text, size_bytes_);
  Place place{.begin = size_bytes_ + 1};
  lbdata::emit_json(phase, tables, [&](std::string_view piece) {
    write(piece, place.begin + place.size);
    place.size += piece.size();
  });
  write(end_of_text, place.begin + place.size);
  write(is_first ? "\n" : ",", size_bytes_);
  size_bytes_ = place.begin + place.size;
  return place;
}

// Like append(), the line about elided phases remains readable at any time.
void PendingText::write_head() {
  const std::string line = elided_ ? lbdata::to_line(*elided_) : "";
  const std::string metadata = metadata_.empty() ? "" : "\"metadata\":" + metadata_ + ",";
  const std::string begin = "{" + metadata + R"("type":"LBDatafile","phases":[)";
  if (head_bytes_ == 0) write(line, 0);
  write(end_of_text, line.size());
  write(begin.substr(1), line.size() + 1);
  write(end_of_text, line.size() + begin.size());
  write(begin.substr(0, 1), line.size());
  head_bytes_ = size_bytes_ = line.size() + begin.size();
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

void PendingText::remove() {
  // A new run may have replaced the file, because rank 0 unlocks the directory without waiting for other
  // ranks.
  if (support::identity(path_) == support::identity(descriptor_)) ::unlink(path_.c_str());
}

void PendingText::write(std::string_view bytes, std::uint64_t position) {
  support::write_at(descriptor_, bytes, position, path_);
}

}  // namespace plimsoll::runtime
