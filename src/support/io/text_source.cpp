#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>
#include <vector>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/parse.hpp>
#include <plimsoll/support/text_source.hpp>

#include "support/io/brotli_decoder.hpp"
#include "support/io/raw_input.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {

BrotliDecoder::BrotliDecoder() : state_(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr)) {
  if (!state_) throw std::bad_alloc();
}

BrotliDecoder::Status BrotliDecoder::decode(std::string_view& input, char* output, std::size_t size,
                                            std::size_t& filled) {
  std::size_t available_in = input.size();
  auto next_in = reinterpret_cast<const std::uint8_t*>(input.data());
  std::size_t available_out = size;
  auto next_out = reinterpret_cast<std::uint8_t*>(output);
  const BrotliDecoderResult result = BrotliDecoderDecompressStream(state_.get(), &available_in, &next_in,
                                                                   &available_out, &next_out, nullptr);
  input.remove_prefix(input.size() - available_in);
  filled = size - available_out;
  switch (result) {
    case BROTLI_DECODER_RESULT_SUCCESS: return Status::finished;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return Status::needs_input;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: return Status::output_full;
    case BROTLI_DECODER_RESULT_ERROR: break;
  }
  const BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(state_.get());
  if (code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES)
    throw std::bad_alloc();
  return Status::broken;
}

std::string_view BrotliDecoder::complaint() const {
  std::string_view text = BrotliDecoderErrorString(BrotliDecoderGetErrorCode(state_.get()));
  return text.substr(text.starts_with('_') ? 1 : 0);
}

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

}  // namespace

class TextSource::Implementation {
 public:
  template <class... Arguments>
  Implementation(const TextFormat& format, const SizeLimits& limits, Arguments&&... input)
      : format_(format), limits_(limits), input_(std::forward<Arguments>(input)...), buffer_(input_bytes) {
    refill();
    blank_ = pending_.find_first_not_of(blanks) == std::string_view::npos;
    looks_like_text_ = looks_like_text(pending_);
    if (!blank_ && !format_.begins_text(pending_)) decoder_.emplace();
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
           .file = input_.name(),
           .suggestion = "set a higher size limit if you trust the file"});
    }
    return filled;
  }

  bool compressed() const { return decoder_.has_value(); }
  std::uint64_t text_bytes() const { return produced_; }
  std::uint64_t consumed_bytes() const { return fetched_ - pending_.size(); }
  const RawInput& input() const { return input_; }

 private:
  void refill() {
    const std::size_t got = input_.read(buffer_.data(), buffer_.size());
    fetched_ += got;
    pending_ = {buffer_.data(), got};
  }

  std::size_t read_plain(char* buffer, std::size_t size) {
    if (blank_ && produced_ == 0 && pending_.size() < buffer_.size()) {
      throw TruncatedError({.what = fetched_ == 0 ? "is empty" : "contains only white space",
                            .file = input_.name(),
                            .suggestion = "remove it or write it again"});
    }
    const std::size_t copied = pending_.copy(buffer, size);
    pending_.remove_prefix(copied);
    if (copied == size) return copied;
    const std::size_t got = input_.read(buffer + copied, size - copied);
    fetched_ += got;
    return copied + got;
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
      if (status == BrotliDecoder::Status::broken) damage = decoder_->complaint();
      if (status == BrotliDecoder::Status::finished) finished_ = true;
      if (status == BrotliDecoder::Status::needs_input) {
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
                          .file = input_.name(),
                          .suggestion = "check the origin of the file; set a higher limit if you trust it"});
  }

  Diagnostic broken(std::string_view damage) const {
    if (looks_like_text_) {
      return {.what = fmt::format("is neither {} nor a brotli stream", format_.name),
              .file = input_.name(),
              .suggestion = std::string(format_.hint)};
    }
    return {.what = fmt::format("is not a valid brotli stream: {} (compressed byte {} of {})", damage,
                                consumed_bytes(), input_.file_bytes()),
            .file = input_.name(),
            .suggestion = "copy it again"};
  }

  TextFormat format_;
  SizeLimits limits_;
  RawInput input_;
  std::vector<char> buffer_;
  std::string_view pending_;  // unused part of buffer_
  std::uint64_t fetched_ = 0;
  std::uint64_t produced_ = 0;
  std::optional<BrotliDecoder> decoder_;
  bool blank_ = false;
  bool looks_like_text_ = false;
  bool finished_ = false;
};

TextSource::TextSource(const std::string& path, const TextFormat& format, const SizeLimits& limits)
    : implementation_(std::make_unique<Implementation>(format, limits, path)) {}
TextSource::TextSource(std::string_view content, std::string name, const TextFormat& format,
                       const SizeLimits& limits)
    : implementation_(std::make_unique<Implementation>(format, limits, content, std::move(name))) {}
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
std::uint64_t TextSource::consumed_bytes() const {
  return implementation_->consumed_bytes();
}
std::uint64_t TextSource::file_bytes() const {
  return implementation_->input().file_bytes();
}
const std::string& TextSource::name() const {
  return implementation_->input().name();
}

}  // namespace plimsoll::support
