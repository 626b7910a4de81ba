#include "runtime/output/phase_stream.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include <plimsoll/support/error.hpp>

namespace plimsoll::runtime {

namespace {

constexpr std::size_t max_waiting_phases = 2;
constexpr std::uint64_t max_pending_bytes = std::uint64_t{64} << 20;  // beyond it, a pause to begin it anew

// Each phase comes with its tables.
const lbdata::RecordTables& no_tables() {
  static const lbdata::Dataset empty;
  static const lbdata::RecordTables tables(empty);
  return tables;
}

// Threads started while it lives leave all signals to the program's own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

PendingText::PendingText(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) throw support::system_error("cannot create", path_, errno);
}

PendingText::~PendingText() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// What is added counts only when the NUL before it, which ended the text so far, is replaced by its first
// character: a program that is killed before leaves the text as it was.
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
    const ssize_t got =
        ::pread(descriptor_, text.data() + done, place.size - done, static_cast<off_t>(place.begin + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw support::system_error("reading failed", path_, errno);
    if (got == 0) throw support::system_error("lacks its end: another program has changed it", path_, EIO);
    done += static_cast<std::size_t>(got);
  }
}

void PendingText::clear() {
  size_bytes_ = 0;
}

void PendingText::remove() {
  ::unlink(path_.c_str());
}

void PendingText::write(std::string_view bytes, std::uint64_t position) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(position));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw support::system_error("writing failed", path_, errno, "make room, or write elsewhere");
    position += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

PhaseStream::PhaseStream(const std::string& path, const lbdata::RankMetadata& metadata,
                         const Options& options)
    : writer_(path, metadata, no_tables(), options.file), before_compressing_(options.before_compressing) {
  if (options.file.overwrite)
    ::unlink((path + ".pending").c_str());  // else it would be taken for part of this run
  if (!options.file.compress || !options.with_thread) return;
  pending_ = std::make_unique<PendingText>(path + ".pending");
  const SignalsBlocked for_the_thread;
  thread_ = std::thread([this] { compress_phases(); });
}

PhaseStream::~PhaseStream() {
  stop_thread();
}

void PhaseStream::write(const lbdata::PhaseRecord& phase, const lbdata::RecordTables& tables) {
  if (!thread_.joinable()) return writer_.write(phase, tables);
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

void PhaseStream::set_metadata(const lbdata::RankMetadata& metadata) {
  std::unique_lock lock(mutex_);
  wait_until_drained(lock);
  writer_.set_metadata(metadata);
}

void PhaseStream::close() {
  stop_thread();
  rethrow();
  writer_.close();
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
      writer_.write_json(phase);
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
