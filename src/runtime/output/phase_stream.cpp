#include "runtime/output/phase_stream.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/threads.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr std::string_view end_of_text("\0", 1);

constexpr std::size_t max_waiting_phases = 2;
constexpr std::uint64_t max_pending_bytes =
    std::uint64_t{64} << 20;  // size beyond which the program pauses to restart the file

// Returns empty tables, because each phase is written with separate tables.
const lbdata::RecordTables& no_tables() {
  static const lbdata::Dataset empty;
  static const lbdata::RecordTables tables(empty);
  return tables;
}

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

PhaseStream::PhaseStream(const std::string& path, const Options& options)
    : metadata_last_(options.file.metadata_last),
      with_thread_(options.file.compress && options.with_thread),
      file_(lbdata::create_rank_file(path, options.file)),
      before_compressing_(options.before_compressing) {
  if (with_thread_ || options.elided)
    pending_ = std::make_unique<PendingText>(path + ".pending", options.elided);
  else if (options.file.overwrite)
    ::unlink((path + ".pending").c_str());  // would be mistaken for part of this run
}

PhaseStream::PhaseStream(const std::string& path, const lbdata::RankMetadata& metadata,
                         const Options& options)
    : PhaseStream(path, options) {
  begin(metadata);
}

void PhaseStream::begin(const lbdata::RankMetadata& metadata) {
  writer_.emplace(std::move(*file_), metadata, no_tables(), metadata_last_);
  file_.reset();
  if (pending_) pending_->set_metadata(metadata);
  if (!with_thread_) return;
  const support::BlockSignals for_the_thread;
  thread_ = std::thread([this] { compress_phases(); });
}

PhaseStream::~PhaseStream() {
  stop_thread();
  if (pending_ && !writer_) pending_->remove();
}

void PhaseStream::write(const lbdata::PhaseRecord& phase, const lbdata::RecordTables& tables) {
  if (!thread_.joinable()) return writer_->write(phase, tables);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return queue_.size() < max_waiting_phases || failure_; });
  if (pending_->size_bytes() > max_pending_bytes) wait_until_drained(lock);
  rethrow();
  if (queue_.empty()) pending_->clear();
  lock.unlock();
  try {
    const PendingText::Place place = pending_->append(phase, tables);
    lock.lock();
    queue_.push_back(place);
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    failure_ = std::current_exception();
    throw;
  }
  changed_.notify_all();
}

void PhaseStream::elide(std::int64_t phase) {
  {
    const std::lock_guard lock(mutex_);
    rethrow();
  }
  pending_->elide(phase);
}

void PhaseStream::set_metadata(const lbdata::RankMetadata& metadata) {
  std::unique_lock lock(mutex_);
  wait_until_drained(lock);
  writer_->set_metadata(metadata);
  if (pending_) pending_->set_metadata(metadata);
}

void PhaseStream::end() {
  stop_thread();
  rethrow();
  writer_->end();
}

void PhaseStream::close() {
  stop_thread();
  rethrow();
  writer_->close();
  remove_pending();
}

void PhaseStream::remove_pending() {
  if (pending_) pending_->remove();
}

void PhaseStream::compress_phases() {
  std::string phase;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return !queue_.empty() || ending_; });
    if (queue_.empty()) return;
    const PendingText::Place place = queue_.front();
    lock.unlock();
    std::exception_ptr failure;
    try {
      if (before_compressing_) before_compressing_();
      pending_->read(place, phase);
      writer_->write_json(phase);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    queue_.pop_front();
    if (failure) {
      failure_ = failure;
      queue_.clear();
    }
    changed_.notify_all();
    if (failure) return;
  }
}

void PhaseStream::wait_until_drained(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this] { return queue_.empty() || failure_; });
}

void PhaseStream::rethrow() {
  if (failure_) std::rethrow_exception(failure_);
}

void PhaseStream::stop_thread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

}  // namespace plimsoll::runtime
