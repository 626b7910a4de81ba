#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/output_file.hpp>

namespace plimsoll::support {

namespace {

Error already_exists(const std::string& path) {
  return {ErrorKind::usage,
          {.what = "exists already", .file = path, .suggestion = "choose another name or allow overwriting"}};
}

Error partial_exists(const std::string& path, const std::string& rescue) {
  return {ErrorKind::usage,
          {.what = "exists already: another program is writing it, or was killed while writing it",
           .file = path,
           .suggestion =
               fmt::format("wait for it, {}{}or allow overwriting", rescue, rescue.empty() ? "" : ", ")}};
}

Error still_written(const std::string& path) {
  return {ErrorKind::usage,
          {.what = "another program is writing it",
           .file = path,
           .suggestion = "wait for it, or choose another name"}};
}

bool is_regular_file(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// The lock ends with the program, however that ends. File systems without locks do without.
bool lock(int descriptor) {
  return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

Descriptor open_partial(const std::string& path, const OutputOptions& options) {
  const int mode = O_WRONLY | O_CREAT | O_CLOEXEC | (options.overwrite ? 0 : O_EXCL);
  Descriptor descriptor(::open(path.c_str(), mode, 0666));
  if (!descriptor.is_open() && errno == EEXIST) throw partial_exists(path, options.rescue);
  if (!descriptor.is_open())
    throw system_error("cannot create", path, errno, "check that the folder exists and is writable");
  if (!is_regular_file(descriptor.number())) return descriptor;
  if (!lock(descriptor.number())) throw still_written(path);
  if (::ftruncate(descriptor.number(), 0) != 0) throw system_error("cannot empty", path, errno);
  return descriptor;
}

}  // namespace

OutputFile::OutputFile(std::string path, const OutputOptions& options)
    : path_(std::move(path)), options_(options) {
  if (!options.overwrite && ::access(path_.c_str(), F_OK) == 0) throw already_exists(path_);
  if (options.brotli) encoder_.emplace(*options.brotli);
  descriptor_ = open_partial(partial_path(), options);
}

void OutputFile::check(const std::string& path, const OutputOptions& options) {
  const std::string partial = path + ".partial";
  if (!options.overwrite) {
    if (::access(path.c_str(), F_OK) == 0) throw already_exists(path);
    if (::access(partial.c_str(), F_OK) == 0) throw partial_exists(partial, options.rescue);
    return;
  }
  const Descriptor file(::open(partial.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.is_open() && is_regular_file(file.number()) && !lock(file.number())) throw still_written(partial);
}

OutputFile::OutputFile(OutputFile&& other) noexcept = default;

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this == &other) return *this;
  abandon();
  path_ = std::move(other.path_);
  options_ = std::move(other.options_);
  encoder_ = std::move(other.encoder_);
  buffer_ = std::move(other.buffer_);
  descriptor_ = std::move(other.descriptor_);
  text_bytes_ = other.text_bytes_;
  file_bytes_ = other.file_bytes_;
  return *this;
}

OutputFile::~OutputFile() {
  abandon();
}

void OutputFile::abandon() noexcept {
  if (!descriptor_.is_open()) return;
  try {
    flush();
  } catch (...) {
    // A destructor cannot report it; what was flushed before is in the file.
  }
  descriptor_.close();
}

void OutputFile::write(std::string_view text) {
  PLIMSOLL_EXPECT(descriptor_.is_open());
  text_bytes_ += text.size();
  if (encoder_) {
    encoder_->encode(text, buffer_);
  } else if (text.size() < options_.buffer_bytes) {
    buffer_ += text;
  } else {
    drain();
    write_raw(text);
  }
  if (buffer_.size() >= options_.buffer_bytes) drain();
}

void OutputFile::flush() {
  PLIMSOLL_EXPECT(descriptor_.is_open());
  if (encoder_) encoder_->flush(buffer_);
  drain();
}

void OutputFile::drain() {
  // Emptied first: nothing must be written twice after a failure.
  std::string bytes = std::exchange(buffer_, {});
  write_raw(bytes);
  buffer_ = std::move(bytes);
  buffer_.clear();
}

void OutputFile::write_raw(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw system_error("writing failed", partial_path(), errno, "free some space, or write elsewhere");
    file_bytes_ += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::end_text() {
  PLIMSOLL_EXPECT(descriptor_.is_open());
  if (encoder_) {
    encoder_->finish(buffer_);
    encoder_.reset();
  }
  drain();
}

void OutputFile::close() {
  end_text();
  if (::fsync(descriptor_.number()) != 0)
    throw system_error("cannot write it to the disk", partial_path(), errno);
  if (!descriptor_.close()) throw system_error("cannot close", partial_path(), errno);
  publish(path_, options_.overwrite);
}

void OutputFile::finish() {
  end_text();
  if (!descriptor_.close()) throw system_error("cannot close", partial_path(), errno);
}

void OutputFile::publish(const std::string& path, bool overwrite) {
  rename_file(path + ".partial", path, overwrite);
}

void rename_file(const std::string& from, const std::string& to, bool overwrite) {
  if (!overwrite) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
    if (errno == EEXIST) throw already_exists(to);
    // Some file systems (NFS among them) cannot refuse to replace: then a look before must do.
    if (errno != EINVAL && errno != ENOSYS) throw system_error("cannot rename", from, errno);
    if (::access(to.c_str(), F_OK) == 0) throw already_exists(to);
  }
  if (::rename(from.c_str(), to.c_str()) != 0) throw system_error("cannot rename", from, errno);
}

}  // namespace plimsoll::support
