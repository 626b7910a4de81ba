#include <brotli/decode.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/parse.hpp>
#include <plimsoll/support/text_source.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

constexpr std::size_t input_bytes = std::size_t{64} << 10;
constexpr std::size_t slice_bytes = std::size_t{1} << 20;  // bytes decoded between two checks of the limits
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// Returns whether a file that begins with `head` may be plain text: its first bytes are ASCII text.
bool looks_like_text(std::string_view head) {
  if (head.starts_with(byte_order_mark)) return true;
  return std::ranges::all_of(head.substr(0, 16), [](char character) {
    return (character >= ' ' && character <= '~') || blanks.find(character) != std::string_view::npos;
  });
}

/// Decoder of one brotli stream. Its window takes at most 16 MiB, even if the stream specifies a larger one.
class BrotliDecoder {
 public:
  BrotliDecoder() : state_(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr)) {
    if (!state_) throw std::bad_alloc();
  }

  /// Decodes from the front of `input` into `output`. Removes the consumed bytes from `input`, and sets
  /// `filled` to the number of bytes written.
  BrotliDecoderResult decode(std::string_view& input, char* output, std::size_t size, std::size_t& filled) {
    std::size_t available_in = input.size();
    auto next_in = reinterpret_cast<const std::uint8_t*>(input.data());
    std::size_t available_out = size;
    auto next_out = reinterpret_cast<std::uint8_t*>(output);
    const BrotliDecoderResult result = BrotliDecoderDecompressStream(state_.get(), &available_in, &next_in,
                                                                     &available_out, &next_out, nullptr);
    input.remove_prefix(input.size() - available_in);
    filled = size - available_out;
    const BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(state_.get());
    if (result == BROTLI_DECODER_RESULT_ERROR && code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
        code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES)
      throw std::bad_alloc();
    return result;
  }

  std::string_view complaint() const {
    std::string_view text = BrotliDecoderErrorString(BrotliDecoderGetErrorCode(state_.get()));
    return text.substr(text.starts_with('_') ? 1 : 0);
  }

 private:
  struct Destroy {
    void operator()(BrotliDecoderState* state) const { BrotliDecoderDestroyInstance(state); }
  };
  std::unique_ptr<BrotliDecoderState, Destroy> state_;
};

}  // namespace

class TextSource::Implementation {
 public:
  /// Reads a file, or `content` without one.
  Implementation(std::string name, Descriptor file, std::string_view content, const TextFormat& format,
                 const SizeLimits& limits)
      : name_(std::move(name)),
        file_(std::move(file)),
        pending_(content),
        fetched_(content.size()),
        format_(format),
        limits_(limits) {
    if (file_.is_open()) open();
    const std::string_view head = pending_.substr(0, input_bytes);
    blank_ = head.find_first_not_of(blanks) == std::string_view::npos;
    looks_like_text_ = looks_like_text(head);
    if (!blank_ && !format_.begins_text(head)) decoder_.emplace();
  }

  std::size_t read(char* buffer, std::size_t size) {
    PLIMSOLL_EXPECT(size > 0);
    // One byte beyond the limit distinguishes an oversized text from one that just fits.
    const std::uint64_t room = limits_.max_bytes - std::min(produced_, limits_.max_bytes);
    if (room < size) size = static_cast<std::size_t>(room) + 1;
    const std::size_t filled = decoder_ ? read_compressed(buffer, size) : read_plain(buffer, size);
    produced_ += filled;
    if (produced_ > limits_.max_bytes) {
      throw SizeLimitError(
          {.what = fmt::format("contains more than {} of text", format_bytes(limits_.max_bytes)),
           .file = name_,
           .suggestion = "set a higher size limit if you trust the file"});
    }
    return filled;
  }

  bool compressed() const { return decoder_.has_value(); }
  std::uint64_t text_bytes() const { return produced_; }
  std::uint64_t file_bytes() const { return std::max(file_bytes_, fetched_); }
  const std::string& name() const { return name_; }

 private:
  void open() {
    struct stat status {};
    if (::fstat(file_.number(), &status) != 0) throw system_error("cannot determine its size", name_, errno);
    file_bytes_ = static_cast<std::uint64_t>(status.st_size);
    buffer_.resize(input_bytes);
    refill();
  }
  std::size_t fetch(char* buffer, std::size_t size) {
    const std::size_t got = file_.is_open() ? read_at(file_, buffer, size, fetched_, name_) : 0;
    fetched_ += got;
    return got;
  }
  void refill() { pending_ = {buffer_.data(), fetch(buffer_.data(), buffer_.size())}; }
  std::uint64_t consumed_bytes() const { return fetched_ - pending_.size(); }

  std::size_t read_plain(char* buffer, std::size_t size) {
    if (blank_ && produced_ == 0 && pending_.size() < input_bytes) {
      throw TruncatedError({.what = fetched_ == 0 ? "is empty" : "contains only white space",
                            .file = name_,
                            .suggestion = "remove it or write it again"});
    }
    const std::size_t copied = pending_.copy(buffer, size);
    pending_.remove_prefix(copied);
    if (copied == size) return copied;
    return copied + fetch(buffer + copied, size - copied);
  }

  // Returns the data that precede any damage first. Reports the damage only in the following call.
  std::size_t read_compressed(char* buffer, std::size_t size) {
    std::size_t filled = 0;
    std::string_view damage;
    bool truncated = false;
    while (!finished_ && filled < size && damage.empty()) {
      std::size_t got = 0;
      const auto status =
          decoder_->decode(pending_, buffer + filled, std::min(size - filled, slice_bytes), got);
      filled += got;
      check_ratio(produced_ + filled);
      if (status == BROTLI_DECODER_RESULT_ERROR) damage = decoder_->complaint();
      if (status == BROTLI_DECODER_RESULT_SUCCESS) finished_ = true;
      if (status == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT) {
        refill();
        truncated = pending_.empty();
        if (truncated) damage = "ends in the middle of the stream";
      }
    }
    if (filled > 0) return filled;
    if (finished_ && pending_.empty()) refill();
    if (finished_ && !pending_.empty()) damage = "continues after the end of the stream";
    if (truncated && !looks_like_text_) throw TruncatedError(broken(damage));
    if (!damage.empty()) throw Error(ErrorKind::bad_input, broken(damage));
    return 0;
  }

  void check_ratio(std::uint64_t text_bytes) const {
    if (text_bytes <= limits_.ratio_allowance ||
        text_bytes / std::max<std::uint64_t>(limits_.max_ratio, 1) <= consumed_bytes())
      return;
    throw SizeLimitError({.what = fmt::format("expands to more than {} times its size", limits_.max_ratio),
                          .file = name_,
                          .suggestion = "check the origin of the file; set a higher limit if you trust it"});
  }

  Diagnostic broken(std::string_view damage) const {
    if (looks_like_text_) {
      return {.what = fmt::format("is neither {} nor a brotli stream", format_.name),
              .file = name_,
              .suggestion = std::string(format_.hint)};
    }
    return {.what = fmt::format("is not a valid brotli stream: {} (compressed byte {} of {})", damage,
                                consumed_bytes(), file_bytes()),
            .file = name_,
            .suggestion = "copy it again"};
  }

  std::string name_;
  Descriptor file_;  // closed if the content is in memory
  std::uint64_t file_bytes_ = 0;
  std::vector<char> buffer_;
  std::string_view pending_;  // unused part of buffer_, or of the content
  std::uint64_t fetched_ = 0;
  TextFormat format_;
  SizeLimits limits_;
  std::uint64_t produced_ = 0;
  std::optional<BrotliDecoder> decoder_;
  bool blank_ = false;
  bool looks_like_text_ = false;
  bool finished_ = false;
};

TextSource::TextSource(const std::string& path, const TextFormat& format, const SizeLimits& limits)
    : implementation_(std::make_unique<Implementation>(path, open_input_file(path), "", format, limits)) {}
TextSource::TextSource(std::string_view content, std::string name, const TextFormat& format,
                       const SizeLimits& limits)
    : implementation_(
          std::make_unique<Implementation>(std::move(name), Descriptor(), content, format, limits)) {}
TextSource::TextSource(TextSource&&) noexcept = default;
TextSource& TextSource::operator=(TextSource&&) noexcept = default;
TextSource::~TextSource() = default;

std::size_t TextSource::read(char* buffer, std::size_t size) {
  return implementation_->read(buffer, size);
}
bool TextSource::compressed() const {
  return implementation_->compressed();
}
std::uint64_t TextSource::text_bytes() const {
  return implementation_->text_bytes();
}
std::uint64_t TextSource::file_bytes() const {
  return implementation_->file_bytes();
}
const std::string& TextSource::name() const {
  return implementation_->name();
}

}  // namespace plimsoll::support
