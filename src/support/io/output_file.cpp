#include <brotli/encode.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>

#include <plimsoll/support/output_file.hpp>

#include "support/io/sync.hpp"
#include "support/io/unfinished_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

void expect_in_range(const char* what, int value, int first, int last) {
  if (value >= first && value <= last) return;
  throw usage_error(fmt::format("invalid brotli {}: {}", what, value),
                    fmt::format("use a value from {} to {}", first, last));
}

Error partial_exists(const std::string& path, const std::string& rescue) {
  return usage_error(
      "already exists: another program is writing it, or was killed while writing it", path,
      fmt::format("wait for it, {}{}or allow overwriting", rescue, rescue.empty() ? "" : ", "));
}

}  // namespace

BrotliEncoder::BrotliEncoder(const BrotliOptions& options) {
  expect_in_range("quality", options.quality, BROTLI_MIN_QUALITY, BROTLI_MAX_QUALITY);
  expect_in_range("window", options.window, BROTLI_MIN_WINDOW_BITS, BROTLI_MAX_WINDOW_BITS);
  encoder_.reset(BrotliEncoderCreateInstance(nullptr, nullptr, nullptr));
  if (!encoder_) throw std::bad_alloc();
  const auto set = [&](BrotliEncoderParameter parameter, std::uint32_t value) {
    BrotliEncoderSetParameter(encoder_.get(), parameter, value);
  };
  set(BROTLI_PARAM_QUALITY, static_cast<std::uint32_t>(options.quality));
  set(BROTLI_PARAM_LGWIN, static_cast<std::uint32_t>(options.window));
  set(BROTLI_PARAM_SIZE_HINT, options.size_hint_bytes);
}

void BrotliEncoder::Destroy::operator()(BrotliEncoderStateStruct* encoder) const {
  BrotliEncoderDestroyInstance(encoder);
}

void BrotliEncoder::encode(std::string_view text, std::string& output) {
  run(BROTLI_OPERATION_PROCESS, text, output);
}
void BrotliEncoder::flush(std::string& output) {
  run(BROTLI_OPERATION_FLUSH, {}, output);
}
void BrotliEncoder::finish(std::string& output) {
  run(BROTLI_OPERATION_FINISH, {}, output);
}

void BrotliEncoder::run(int operation, std::string_view text, std::string& output) {
  BrotliEncoderState* encoder = encoder_.get();
  PLIMSOLL_EXPECT(!BrotliEncoderIsFinished(encoder));
  std::size_t available_in = text.size();
  auto next_in = reinterpret_cast<const std::uint8_t*>(text.data());
  do {
    std::size_t available_out = 0;
    // The encoder fails only if memory is exhausted: parameters and order of calls are correct here.
    if (BrotliEncoderCompressStream(encoder, static_cast<BrotliEncoderOperation>(operation), &available_in,
                                    &next_in, &available_out, nullptr, nullptr) == BROTLI_FALSE) {
      throw std::bad_alloc();
    }
    std::size_t size = 0;
    const std::uint8_t* bytes = BrotliEncoderTakeOutput(encoder, &size);
    output.append(reinterpret_cast<const char*>(bytes), size);
  } while (available_in > 0 || BrotliEncoderHasMoreOutput(encoder) == BROTLI_TRUE);
}

OutputFile::OutputFile(std::string path, const OutputOptions& options)
    : path_(std::move(path)), options_(options), process_(::getpid()) {
  check_target(path_, options.overwrite);
  if (options.brotli) encoder_.emplace(*options.brotli);
  const UnfinishedFiles::Work work;
  descriptor_ = create_file(partial_path(), options.overwrite || !options.keep_unfinished);
  if (!descriptor_.is_open()) throw partial_exists(partial_path(), options.rescue);
  try {
    identity_ = support::identity(descriptor_);
    UnfinishedFiles::add(partial_path(), identity_);
  } catch (...) {
    ::unlink(partial_path().c_str());
    throw;
  }
}

void OutputFile::check(const std::string& path, const OutputOptions& options) {
  check_target(path, options.overwrite);
  const std::string partial = path + ".partial";
  if (!can_create_file(partial, options.overwrite)) throw partial_exists(partial, options.rescue);
}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this != &other) {
    std::destroy_at(this);
    std::construct_at(this, std::move(other));
  }
  return *this;
}

OutputFile::~OutputFile() {
  if (!descriptor_.is_open()) return;
  if (process_ != ::getpid()) {
    descriptor_.close();
    return;
  }
  try {
    const UnfinishedFiles::Work work;
    if (options_.keep_unfinished && text_bytes_ > 0)
      flush();
    else if (support::identity(partial_path()) == identity_)
      ::unlink(partial_path().c_str());
    UnfinishedFiles::remove(partial_path());
  } catch (...) {
    // A destructor cannot report errors. Data flushed earlier remain in the file.
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
  // Empty the buffer first, so that no data are written twice after a failure.
  std::string bytes = std::exchange(buffer_, {});
  write_raw(bytes);
  buffer_ = std::move(bytes);
  buffer_.clear();
}

void OutputFile::write_raw(std::string_view bytes) {
  if (failure_) throw Error(*failure_);  // data after a gap are useless
  try {
    write_at(descriptor_, bytes, file_bytes_, partial_path());
  } catch (const Error& error) {
    failure_ = error;
    throw;
  }
  file_bytes_ += bytes.size();
}

void OutputFile::end_text() {
  PLIMSOLL_EXPECT(descriptor_.is_open());
  if (encoder_) {
    encoder_->finish(buffer_);
    encoder_.reset();
  }
  drain();
}

void OutputFile::expect_own() const {
  if (support::identity(partial_path()) == identity_) return;
  throw Error(ErrorKind::system, {.what = "another program has removed or replaced it",
                                  .file = partial_path(),
                                  .suggestion = "check that only one program writes there at a time"});
}

void OutputFile::end() {
  end_text();
  if (const int error = error_of_sync(descriptor_); error != 0)
    throw system_error("cannot write it to the disk", partial_path(), error);
}

void OutputFile::close() {
  close_together({this, 1});
}

void OutputFile::close_together(std::span<OutputFile> files) {
  for (OutputFile& file : files) file.end();
  {
    const UnfinishedFiles::Work work;
    for (const OutputFile& file : files) {
      file.expect_own();
      check_target(file.path_, file.options_.overwrite);
    }
    for (const OutputFile& file : files) {
      rename_file(file.partial_path(), file.path_, file.options_.overwrite);
      UnfinishedFiles::remove(file.partial_path());
      UnfinishedFiles::note_published();
    }
  }
  for (OutputFile& file : files) {
    sync_folder(folder_of(file.path_));
    file.descriptor_.close();
  }
}

void OutputFile::finish() {
  PLIMSOLL_EXPECT(!options_.keep_unfinished);
  end_text();
  ::sync_file_range(descriptor_.number(), 0, 0, SYNC_FILE_RANGE_WRITE);  // shortens publish()
  if (!descriptor_.close()) throw system_error("cannot close", partial_path(), errno);
}

void rename_file(const std::string& from, const std::string& to, bool overwrite) {
  if (!overwrite) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
    if (errno == EEXIST) throw already_exists(to);
    // Some file systems, such as NFS, cannot refuse to replace a file. On these, check before renaming.
    if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
      throw system_error("cannot rename", from, errno);
    if (::access(to.c_str(), F_OK) == 0) throw already_exists(to);
  }
  if (::rename(from.c_str(), to.c_str()) != 0) throw system_error("cannot rename", from, errno);
}

}  // namespace plimsoll::support
