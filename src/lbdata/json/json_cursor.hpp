#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/support/text_source.hpp>

#include "lbdata/json/number_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// JSON number as written in the text, because schemas distinguish 1 from 1.0.
struct JsonNumber {
  enum class Kind { integer, fraction, not_finite };
  Kind kind = Kind::integer;
  WideInteger integer;           ///< value, if kind is integer and exceeds_64_bits is false
  bool exceeds_64_bits = false;  ///< whether an integer does not fit; `value` approximates it
  double value = 0;
};

/// Member name that a parser expects, prepared so that two 8-byte comparisons recognise it.
class MemberName {
 public:
  constexpr MemberName(const char* name) : name_(name) {  // NOLINT(google-explicit-constructor)
    std::array<char, 16> text{};
    std::array<char, 16> mask{};
    for (std::size_t i = 0; i < 16 && i <= name_.size(); ++i) {
      text[i] = i < name_.size() ? name_[i] : '"';
      mask[i] = static_cast<char>(0xff);
    }
    text_ = std::bit_cast<std::array<std::uint64_t, 2>>(text);
    mask_ = std::bit_cast<std::array<std::uint64_t, 2>>(mask);
  }

  constexpr std::string_view name() const { return name_; }

  /// Returns whether `text` starts with the name and a quote. It must have 16 readable bytes, or the length
  /// of the name plus one.
  [[gnu::always_inline]] bool begins(const char* text) const {
    std::uint64_t words[2];
    std::memcpy(words, text, sizeof words);
    if ((words[0] & mask_[0]) != text_[0] || (words[1] & mask_[1]) != text_[1]) return false;
    return name_.size() < 16 ||
           (std::memcmp(text, name_.data(), name_.size()) == 0 && text[name_.size()] == '"');
  }

 private:
  std::string_view name_;
  std::array<std::uint64_t, 2> text_{};
  std::array<std::uint64_t, 2> mask_{};
};

/// Sequential JSON reader with a window that slides over its source. It follows RFC 8259 strictly, but also
/// accepts NaN, Infinity and -Infinity, which Python writes, as non-finite numbers. Memory: the window of 64
/// KiB, or twice the longest single string or raw value.
///
/// Throws Error (bad_input) with file and byte for invalid syntax, and TruncatedError if the text ends too
/// early. The caller decides which values are valid at which position.
class JsonCursor {
 public:
  static constexpr unsigned max_depth = 256;
  static constexpr std::size_t max_value_bytes = std::size_t{256} << 20;

  explicit JsonCursor(support::TextSource& source);

  /// Returns the next byte that is not white space, without consuming it; 0 at the end of the text.
  [[gnu::always_inline]] char peek() {
    const auto byte = static_cast<unsigned char>(*cursor_);
    return byte > ' ' ? static_cast<char>(byte) : peek_behind_space();
  }

  void advance() { ++cursor_; }

  /// Returns the position in the window, for functions that recognise the following text without this cursor.
  /// A zero byte and more readable bytes follow the text in the window.
  const char* position() const { return cursor_; }
  /// Continues at a position behind position() in the same window.
  void continue_at(const char* position) { cursor_ = position; }
  /// Returns the position behind the first closing brace after `position`, or the end of the window.
  const char* object_end(const char* position) const {
    const void* const brace = std::memchr(position, '}', static_cast<std::size_t>(end_ - position));
    return brace == nullptr ? end_ : static_cast<const char*>(brace) + 1;
  }
  /// Returns whether the text at `position` repeats the `length` bytes from byte `begin`. Returns false if
  /// these are not in the window any more.
  bool repeats(const char* position, std::uint64_t begin, std::size_t length) const {
    return begin >= window_offset_ && static_cast<std::size_t>(end_ - position) >= length &&
           std::memcmp(position, window_.get() + (begin - window_offset_), length) == 0;
  }
  std::uint64_t offset_of(const char* position) const {
    return window_offset_ + static_cast<std::uint64_t>(position - window_.get());
  }

  /// Returns the text from byte `begin` up to the current position; empty if its start is not in the window
  /// any more. Valid until the next call.
  std::string_view text_since(std::uint64_t begin) const {
    if (begin < window_offset_) return {};
    const char* const start = window_.get() + (begin - window_offset_);
    return {start, static_cast<std::size_t>(cursor_ - start)};
  }

  /// Consumes `byte`, which must be the next; `context` names the text being read, for messages.
  void expect(char byte, const char* context) {
    if (peek() != byte) unexpected(context);
    advance();
  }

  /// Advances after a value inside an object or array. Returns true if another value follows, false at
  /// `close`.
  bool next_element(char close) {
    const char byte = peek();
    if (byte != ',' && byte != close) unexpected(close == '}' ? "',' or '}'" : "',' or ']'");
    advance();
    return byte == ',';
  }

  /// Returns the offset of the next byte in the text (call peek() first for the next token's offset).
  std::uint64_t offset() const { return offset_of(cursor_); }

  /// Consumes a member name with its colon if it comes next in compact text. Compact text has no white space,
  /// and a comma before every member except the first. Returns false for a name that is escaped or continues
  /// beyond the window; string() reads such names too. Inlined, so that the name is evaluated at compile
  /// time.
  [[gnu::always_inline]] bool take_compact_member(const MemberName& name, bool first) {
    const char* const quote = cursor_ + (first ? 0 : 1);
    const char* const colon = quote + name.name().size() + 2;
    if ((!first && *cursor_ != ',') || *quote != '"' || !name.begins(quote + 1) || *colon != ':')
      return false;
    cursor_ = colon + 1;
    return true;
  }

  /// Consumes exactly this string, without escapes, if it comes next: a fast path for a few frequent texts.
  bool take_string(std::string_view text) {
    if (static_cast<std::size_t>(end_ - cursor_) < text.size() + 2 || cursor_[0] != '"' ||
        cursor_[text.size() + 1] != '"' || std::memcmp(cursor_ + 1, text.data(), text.size()) != 0) {
      return false;
    }
    cursor_ += text.size() + 2;
    return true;
  }

  /// Reads a string and resolves escapes. The view is valid until the next call.
  std::string_view string();

  /// Reads a number; peek() must have returned a digit, '-', 'N' or 'I'.
  JsonNumber number();

  /// Reads a plain integer of up to 18 digits if it comes next: a fast path for the most frequent numbers.
  /// Otherwise consumes nothing, and the caller must use number().
  bool take_short_integer(WideInteger& integer) {
    const char* at = cursor_;
    const bool negative = *at == '-';
    if (negative) ++at;
    const char* const digits = at;
    std::uint64_t value = 0;
    read_digits(at, value);
    const auto count = at - digits;
    if (count == 0 || count > 18 || (*digits == '0' && count > 1) || at == end_ || continues_number(*at))
      return false;
    integer = {negative ? 0 - value : value, negative && value != 0};
    cursor_ = at;
    return true;
  }

  /// Reads an array of one short integer if it comes next in compact text.
  bool take_single_integer(WideInteger& integer) {
    const char* const before = cursor_;
    if (*cursor_ != '[') return false;
    ++cursor_;
    if (take_short_integer(integer) && *cursor_ == ']') {
      ++cursor_;
      return true;
    }
    cursor_ = before;
    return false;
  }

  /// Reads an integer that fits into 32 bits, like take_short_integer() above.
  bool take_short_integer(std::int32_t& integer) {
    const char* const before = cursor_;
    WideInteger wide;
    if (!take_short_integer(wide)) return false;
    integer = static_cast<std::int32_t>(wide.bits);
    if (static_cast<std::int64_t>(wide.bits) == integer) return true;
    cursor_ = before;
    return false;
  }

  /// Reads true, false or null; peek() must have returned its first letter.
  void literal(std::string_view text);

  /// Reads any value, checks its syntax, and returns its text, which is valid until the next call.
  std::string_view raw_value();

  /// Duplicate member name in an object inside the last raw_value(), with the position of the second one.
  struct DuplicateName {
    std::string name;
    std::uint64_t byte = 0;
  };
  const std::optional<DuplicateName>& duplicate_name() const { return duplicate_name_; }

  void expect_end();

  [[noreturn]] void unexpected(const char* expected);
  [[noreturn]] void fail(std::string what, std::uint64_t at_byte, std::string suggestion = {});
  [[noreturn]] void fail_at_end(std::string what, std::uint64_t at_byte);

  static bool begins_number(char byte) {
    return (byte >= '0' && byte <= '9') || byte == '-' || byte == 'N' || byte == 'I';
  }

 private:
  static bool continues_number(char byte) { return byte == '.' || byte == 'e' || byte == 'E'; }

  bool skip_plain_number() {
    const char* at = cursor_;
    if (!skip_usual_number(at) || at == end_) return false;
    cursor_ = at;
    return true;
  }

  char peek_behind_space();

  /// Reads more text. Keeps everything from `keep` (or from raw_start_, if set) in the window, which may
  /// move. Adjusts `keep`, the cursor and raw_start_. Returns false at the end of the text.
  bool refill(const char*& keep);
  /// Calls refill() inside a token that starts at `token`; the end of the text is an error.
  void read_on(const char*& token, const char* in);

  struct StringEnd {
    const char* end;  ///< end of the contents: position of the closing quote
    bool escaped;
  };
  StringEnd scan_string(const char*& token);
  std::string_view unescape(std::string_view text, std::uint64_t at_byte);
  JsonNumber not_finite(const char* token);

  void skip_value(unsigned depth);
  void skip_object(unsigned depth);
  void skip_array(unsigned depth);
  void note_duplicate_names(std::size_t first);

  /// Member name inside a raw value; `begin` is relative to raw_start_.
  struct RawName {
    std::uint64_t hash;
    std::size_t begin;
    std::size_t length;
  };

  support::TextSource& source_;
  std::unique_ptr<char[]> window_;
  std::size_t window_bytes_;
  const char* cursor_;
  const char* end_;  // followed by zero bytes, which no token contains
  const char* raw_start_ = nullptr;
  std::uint64_t window_offset_ = 0;  // offset of window_[0] in the text
  std::string unescaped_;
  std::vector<RawName> raw_names_;  // names in the open objects of a raw value
  std::optional<DuplicateName> duplicate_name_;
};

}  // namespace plimsoll::lbdata
