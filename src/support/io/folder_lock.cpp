#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <mutex>
#include <system_error>
#include <thread>

#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/threads.hpp>
#include <plimsoll/support/internal/uninterrupted.hpp>
#include <plimsoll/support/parse.hpp>

#include "support/io/publication.hpp"
#include "support/io/unfinished_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

std::string first_line(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

std::string link_target(const char* path) {
  std::array<char, 64> text{};
  const ssize_t size = ::readlink(path, text.data(), text.size());
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "";
}

std::string this_machine() {
  const std::string boot = first_line("/proc/sys/kernel/random/boot_id");
  return boot.empty() ? boot : boot + " " + link_target("/proc/self/ns/pid");
}

/// Returns the start time of a living process: the 22nd field of /proc/<process>/stat. The second field, the
/// program's name, may contain spaces and brackets. Returns nothing if the system does not show it, for
/// example for other users' processes (hidepid).
std::optional<std::string> start_of(long process) {
  const std::string line = first_line(fmt::format("/proc/{}/stat", process));
  const std::size_t end_of_name = line.rfind(')');
  if (end_of_name == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(line).substr(end_of_name + 1);
  if (take_word(rest) == "Z") return "";  // zombie: has ended, but its parent has not waited for it
  for (int field = 4; field < 22; ++field) take_word(rest);
  return std::string(take_word(rest));
}

/// Holder of a FolderLock, as the lock's file describes it.
struct LockHolder {
  std::string host;
  std::string program;
  long process = 0;
  std::string since;
  std::string machine;  ///< identifies a boot of the machine and a process ID namespace
  std::string started;  ///< start time of the process by the machine's clock, because process IDs are reused
  bool has_system_lock = true;
  std::chrono::seconds believed{60};  ///< time after which other hosts consider an untouched lock abandoned

  /// Returns a description of this process that contains the current time.
  static LockHolder self() {
    const std::string host = host_name();
    return {.host = host.empty() ? "an unknown host" : host,
            .program = program_invocation_short_name,
            .process = ::getpid(),
            .since = utc_now(),
            .machine = this_machine(),
            .started = start_of(::getpid()).value_or("")};
  }

  static LockHolder parse(std::string_view text) {
    LockHolder holder;
    for (LineReader lines(text); !lines.at_end(); lines.advance()) {
      std::string_view line = lines.line();
      const std::string_view key = take_word(line);
      const std::string_view value = trimmed(line);
      if (key == "host") holder.host = printable(value);
      if (key == "program") holder.program = printable(value);
      if (key == "process") holder.process = parse_number<long>(value).value_or(0);
      if (key == "since") holder.since = printable(value);
      if (key == "machine") holder.machine = value;
      if (key == "started") holder.started = value;
      if (key == "lock") holder.has_system_lock = value == "system";
      if (key == "believed_s") holder.believed = std::chrono::seconds(parse_number<int>(value).value_or(60));
    }
    return holder;
  }

  std::string text() const {
    return fmt::format(
        "host {}\nprogram {}\nprocess {}\nsince {}\nmachine {}\nstarted {}\nlock {}\nbelieved_s {}\n", host,
        program, process, since, machine, started, has_system_lock ? "system" : "file", believed.count());
  }

  /// Returns whether this machine can look up the holder's process.
  bool is_of_this_machine() const { return !machine.empty() && machine == this_machine(); }

  /// Returns whether a process with the holder's process ID and start time exists on this machine.
  bool is_alive_here() const {
    if (process <= 0) return false;
    const auto began = start_of(process);
    const bool exists = ::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM;
    return exists && (!began || *began == started);
  }

  /// Returns a description such as "plimsoll (process 17 on node3, since 2026-11-22 13:00:00 UTC)".
  std::string name() const {
    if (process <= 0) return "another program";
    return fmt::format("{} (process {} on {}, since {})", program, process, host, since);
  }
};

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::nanoseconds;

constexpr std::string_view lock_suffix = ".lock";
constexpr std::chrono::seconds touch_interval{10};
constexpr std::chrono::seconds believed_without_thread{24 * 3600};
constexpr std::chrono::milliseconds retry_interval{50};

Error cannot_write(const std::string& folder, int error) {
  return system_error("cannot write into the directory", folder, error, "check its name and permissions");
}

Error held_by(const std::string& folder, const LockHolder& holder, const std::string& path) {
  std::string suggestion = "wait for it, or use another directory";
  if (!holder.is_of_this_machine()) suggestion += fmt::format("; if that program has ended, remove {}", path);
  return usage_error(fmt::format("{} is writing there", holder.name()), folder, std::move(suggestion));
}

/// Creates a new file whose name begins with `path`. Returns a closed descriptor if that fails.
Descriptor create_beside(const std::string& path, std::string& name) {
  name = path + "-XXXXXX";
  return Descriptor(::mkostemp(name.data(), O_CLOEXEC));
}

LockHolder holder_of(const Descriptor& file) {
  std::array<char, 4096> text{};
  const ssize_t size = uninterrupted([&] { return ::pread(file.number(), text.data(), text.size(), 0); });
  return LockHolder::parse({text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))});
}

Nanoseconds changed(const struct stat& status) {
  return std::chrono::seconds(status.st_mtim.tv_sec) + Nanoseconds(status.st_mtim.tv_nsec);
}

/// Returns the time since a file was last modified, by the clock of its file system.
Nanoseconds age(const Descriptor& file, const std::string& folder) {
  std::string probe;
  const Descriptor now = create_beside(path_in(folder, ".plimsoll.clock"), probe);
  if (!now.is_open()) throw cannot_write(folder, errno);
  ::unlink(probe.c_str());
  struct stat fresh {};
  struct stat status {};
  if (::futimens(now.number(), nullptr) != 0 || ::fstat(now.number(), &fresh) != 0 ||
      ::fstat(file.number(), &status) != 0)
    throw cannot_write(folder, errno);
  return changed(fresh) - changed(status);
}

/// Returns whether the holder named in a lock's file still holds the lock. Called if the system has granted
/// the lock to this process, or does not support locks.
bool still_holds(const LockHolder& holder, const Descriptor& file, const std::string& folder,
                 LockOutcome outcome) {
  if (holder.is_of_this_machine()) {
    const bool would_be_locked = outcome == LockOutcome::locked && holder.has_system_lock;
    return !would_be_locked && holder.is_alive_here();
  }
  return age(file, folder) < holder.believed;
}

}  // namespace

class FolderLock::Held {
 public:
  Held(std::string folder, const Options& options)
      : folder_(std::move(folder)), name_(options.name), path_(set_file(folder_, name_, lock_suffix)) {
    try {
      acquire(options);
      if (options.may_have_threads) start_touching();
    } catch (...) {
      release();
      throw;
    }
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    stop_touching();
    release();
  }

  void touch() const { ::futimens(file_.number(), nullptr); }

 private:
  friend FolderLock;

  void acquire(const Options& options) {
    const Clock::time_point deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                          std::chrono::duration<double>(options.patience_s));
    while (const std::optional<LockHolder> other = try_acquire(options)) {
      if (Clock::now() >= deadline) throw held_by(folder_, *other, path_);
      std::this_thread::sleep_for(retry_interval);
    }
  }

  /// Tries to acquire the lock. Returns its holder if another process has it.
  std::optional<LockHolder> try_acquire(const Options& options) {
    const UnfinishedFiles::Work work;
    constexpr int attempts = 100;  // the file may appear and disappear between two steps
    for (int k = 0; k < attempts; ++k) {
      if (!open()) {
        if (!create(options)) continue;
        created_ = true;
        UnfinishedFiles::add(path_, identity(file_));
        return std::nullopt;
      }
      outcome_ = try_lock(file_);
      if (outcome_ == LockOutcome::held) return holder_of(file_);
      if (identity(path_) != identity(file_)) continue;
      const LockHolder before = holder_of(file_);
      if (still_holds(before, file_, folder_, outcome_)) return before;
      remove_stale();
    }
    return LockHolder{};
  }

  bool open() {
    file_ = open_to_lock(path_, O_NOFOLLOW);
    if (!file_.is_open() && errno != ENOENT) throw system_error("cannot open the lock", path_, errno);
    struct stat status {};
    if (file_.is_open() && ::fstat(file_.number(), &status) == 0 && !S_ISREG(status.st_mode))
      throw usage_error(fmt::format("{} is not a file", path_), "remove it");
    return file_.is_open();
  }

  /// Creates the lock. Returns whether this process holds it now. The file gets its name only after its
  /// holder has been written to it, so that other processes never see it without a holder. The name is given
  /// by linking, which fails if another process on any host has been faster.
  bool create(const Options& options) {
    std::string unnamed;
    file_ = create_beside(path_, unnamed);
    if (!file_.is_open()) throw cannot_write(folder_, errno);
    outcome_ = try_lock(file_);
    try {
      write(options);
    } catch (...) {
      ::unlink(unnamed.c_str());
      throw;
    }
    if (const int error = error_of_link(unnamed); error == 0 || error == EEXIST) return error == 0;
    return create_in_place(options);
  }

  /// Links a file as the lock, and removes its first name. Returns errno if that fails, else 0.
  int error_of_link(const std::string& unnamed) const {
    int error = ::link(unnamed.c_str(), path_.c_str()) == 0 ? 0 : errno;
    // Some file systems do not support links.
    if (error != 0 && error != EEXIST &&
        ::renameat2(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0)
      return 0;
    if (error != 0 && error != EEXIST) error = errno;
    ::unlink(unnamed.c_str());
    return error;
  }

  /// Creates the lock on file systems without links that cannot rename without replacing. Other processes may
  /// see it before its holder is written to it, but consider it held for a minute.
  bool create_in_place(const Options& options) {
    file_ = open_file(path_, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (!file_.is_open() && errno == EEXIST) return false;
    if (!file_.is_open()) throw cannot_write(folder_, errno);
    created_ = true;
    outcome_ = try_lock(file_);
    write(options);
    return true;
  }

  /// Removes the lock's file, unless another process has replaced it.
  void release() noexcept {
    if (!created_) return;
    const UnfinishedFiles::Work work;
    UnfinishedFiles::remove(path_);
    try {
      if (identity(path_) == identity(file_)) ::unlink(path_.c_str());
    } catch (const Error&) {
      // The file system no longer knows the open file. Other processes find that this one has ended.
    }
  }

  /// Removes the file of a dead holder, but never the file of a process that took over the lock in the
  /// meantime.
  void remove_stale() const {
    std::string aside;
    if (!create_beside(path_, aside).is_open()) throw cannot_write(folder_, errno);
    if (::rename(path_.c_str(), aside.c_str()) != 0 && errno != ENOENT) {
      const int error = errno;
      ::unlink(aside.c_str());
      throw system_error("cannot remove the lock of a program that has ended", path_, error,
                         "remove it if no program writes there");
    }
    // Fails if the next holder created its own file in the meantime.
    [[maybe_unused]] const int linked =
        identity(aside) != identity(file_) ? ::link(aside.c_str(), path_.c_str()) : 0;
    ::unlink(aside.c_str());
  }

  void write(const Options& options) const {
    LockHolder holder = LockHolder::self();
    holder.has_system_lock = outcome_ == LockOutcome::locked;
    if (!options.may_have_threads) holder.believed = believed_without_thread;
    ::fchmod(file_.number(), 0644);  // other users may read who holds the lock
    write_at(file_, holder.text(), 0, path_);
  }

  void start_touching() {
    const BlockSignals for_the_thread;
    try {
      toucher_ = std::thread([this] {
        std::unique_lock lock(mutex_);
        while (!ending_.wait_for(lock, touch_interval, [this] { return ends_; })) touch();
      });
    } catch (const std::system_error& error) {
      throw system_error("cannot start a thread", folder_, error.code().value(),
                         "set a higher limit of processes (ulimit -u)");
    }
  }
  void stop_touching() {
    if (!toucher_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    ending_.notify_all();
    toucher_.join();
  }

  std::string folder_;
  std::string name_;
  std::string path_;
  pid_t process_ = ::getpid();
  Descriptor file_;
  bool created_ = false;  // whether this process has created the file
  LockOutcome outcome_ = LockOutcome::unsupported;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ends_ = false;
  std::thread toucher_;
};

FolderLock::FolderLock(const std::string& folder, const Options& options)
    : held_(std::make_unique<Held>(folder, options)) {
  complete_publication(folder, options.name);
}

FolderLock::FolderLock(FolderLock&&) noexcept = default;
FolderLock& FolderLock::operator=(FolderLock&&) noexcept = default;

FolderLock::~FolderLock() {
  // A forked child has neither the lock nor its thread, and could wait for that thread forever.
  if (held_ && held_->process_ != ::getpid()) static_cast<void>(held_.release());
}

const std::string& FolderLock::folder() const {
  PLIMSOLL_EXPECT(held_);
  return held_->folder_;
}
const std::string& FolderLock::name() const {
  return held_->name_;
}
bool FolderLock::is_certain() const {
  return held_->outcome_ == LockOutcome::locked;
}
void FolderLock::check() const {
  PLIMSOLL_EXPECT(held_);
  if (identity(held_->path_) == identity(held_->file_)) return;
  throw Error(ErrorKind::system,
              {.what = "the lock of this directory was removed while its files were being written",
               .file = held_->path_,
               .suggestion = "check that no other program writes there, and try again"});
}
void FolderLock::touch() const {
  held_->touch();
}

std::vector<std::string> locks_in(const std::string& folder) {
  std::vector<std::string> names = sets_with(folder, lock_suffix);
  std::erase(names, "");  // the lock of the files that no name covers
  return names;
}

}  // namespace plimsoll::support
