#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/support/text_source.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// A JSON number as it stands in the text: schemas tell 1 from 1.0.
struct JsonNumber {
  enum class Kind { integer, fraction, not_finite };
  Kind kind = Kind::integer;
  WideInteger integer;           ///< value if kind is integer and it fits
  bool exceeds_64_bits = false;  ///< an integer that does not fit; `value` approximates it
  double value = 0;
};

/// A member name that a parser looks for, prepared so that two 8-byte comparisons recognise it.
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

  /// Whether `text` (16 readable bytes, or as many as the name is long and one) begins with the name and a
  /// quote.
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

/// Reads JSON text front to back through a window that slides over its source, strictly by RFC 8259
/// (and NaN, Infinity, -Infinity, which Python writes, as numbers that are not finite). Memory: the window,
/// 64 KiB, or twice the longest single string or raw value.
///
/// Broken syntax throws Error (bad_input; TruncatedError where the text ends too early) with file and byte;
/// which values may stand where is the caller's business.
class JsonCursor {
 public:
  static constexpr unsigned max_depth = 256;
  static constexpr std::size_t max_value_bytes = std::size_t{256} << 20;

  explicit JsonCursor(support::TextSource& source);

  /// The next byte that is not white space, without consuming it; 0 at the end of the text.
  [[gnu::always_inline]] char peek() {
    const auto byte = static_cast<unsigned char>(*cursor_);
    return byte > ' ' ? static_cast<char>(byte) : peek_behind_space();
  }

  /// Consumes the byte that peek() returned.
  void advance() { ++cursor_; }

  /// The text from here, where an object begins, to the first closing brace, if that is within `most`
  /// bytes and in the window, else an empty text. It holds until the next call.
  std::string_view object_ahead(std::size_t most) const {
    const std::size_t reach = std::min(most, static_cast<std::size_t>(end_ - cursor_));
    const void* const brace = std::memchr(cursor_, '}', reach);
    if (brace == nullptr) return {};
    return {cursor_, static_cast<std::size_t>(static_cast<const char*>(brace) - cursor_) + 1};
  }
  /// Consumes what object_ahead() returned.
  void skip_object_ahead(std::string_view object) { cursor_ += object.size(); }

  /// Consumes `byte`, which must be the next; `context` says what is being read.
  void expect(char byte, const char* context) {
    if (peek() != byte) unexpected(context);
    advance();
  }

  /// After a value inside an object or array: true if another follows, false if `close` ended it.
  bool next_element(char close) {
    const char byte = peek();
    if (byte != ',' && byte != close) unexpected(close == '}' ? "',' or '}'" : "',' or ']'");
    advance();
    return byte == ',';
  }

  /// Offset into the text of the next byte (call peek() first for that of the next token).
  std::uint64_t offset() const {
    return window_offset_ + static_cast<std::uint64_t>(cursor_ - window_.get());
  }

  /// If a member of this name comes next in compact text (no white space, a comma before it unless it is
  /// the first), consumes it up to its colon. A name that is escaped or cut by the window is missed;
  /// string() always reads it.
  [[gnu::always_inline]] bool take_compact_member(const MemberName& name, bool first) {  // folds the name
    const char* const quote = cursor_ + (first ? 0 : 1);
    const char* const colon = quote + name.name().size() + 2;
    if ((!first && *cursor_ != ',') || *quote != '"' || !name.begins(quote + 1) || *colon != ':')
      return false;
    cursor_ = colon + 1;
    return true;
  }

  /// If exactly this string (without anything that is escaped) comes next, consumes it: the quick way for the
  /// few texts that files repeat.
  bool take_string(std::string_view text) {
    if (static_cast<std::size_t>(end_ - cursor_) < text.size() + 2 || cursor_[0] != '"' ||
        cursor_[text.size() + 1] != '"' || std::memcmp(cursor_ + 1, text.data(), text.size()) != 0) {
      return false;
    }
    cursor_ += text.size() + 2;
    return true;
  }

  /// Reads a string, unescaped. The view holds until the next call.
  std::string_view string();

  /// Reads a number: peek() returned a digit, '-', 'N' or 'I'.
  JsonNumber number();

  /// If a plain integer of at most 18 digits comes next, reads it: the quick way for the numbers that files
  /// are full of. Otherwise consumes nothing, and number() is to be used.
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

  /// If an array of one short integer comes next in compact text, reads it.
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

  /// As take_short_integer(), for one that fits into 32 bits.
  bool take_short_integer(std::int32_t& integer) {
    const char* const before = cursor_;
    WideInteger wide;
    if (!take_short_integer(wide)) return false;
    integer = static_cast<std::int32_t>(wide.bits);
    if (static_cast<std::int64_t>(wide.bits) == integer) return true;
    cursor_ = before;
    return false;
  }

  /// Reads true, false or null: peek() returned its first letter.
  void literal(std::string_view text);

  /// Reads any value, checking its syntax, and returns its text, which holds until the next call.
  std::string_view raw_value();

  /// A member name that an object inside the last raw_value() had twice, and where it stood again.
  struct DuplicateName {
    std::string name;
    std::uint64_t byte = 0;
  };
  const std::optional<DuplicateName>& duplicate_name() const { return duplicate_name_; }

  /// After the outermost value: nothing but white space may follow.
  void expect_end();

  [[noreturn]] void unexpected(const char* expected);
  [[noreturn]] void fail(std::string what, std::uint64_t at_byte, std::string suggestion = {});
  [[noreturn]] void fail_at_end(std::string what, std::uint64_t at_byte);

  /// Whether a number starts with this byte.
  static bool begins_number(char byte) {
    return (byte >= '0' && byte <= '9') || byte == '-' || byte == 'N' || byte == 'I';
  }

  static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

 private:
  /// Appends the decimal digits at `at` to `value` (which wraps beyond 19 of them) and passes over them.
  /// Eight at a time: their values are combined pairwise, then to fours, then to one.
  static void read_digits(const char*& at, std::uint64_t& value) {
    for (;;) {
      std::uint64_t word;
      std::memcpy(&word, at, sizeof word);
      const std::uint64_t digits = word - 0x3030303030303030ULL;
      const bool all_digits = (((word + 0x4646464646464646ULL) | digits) & 0x8080808080808080ULL) == 0;
      if (!all_digits) break;
      std::uint64_t pairs = digits * 10 + (digits >> 8);
      pairs = ((pairs & 0x000000ff000000ffULL) * 0x000f424000000064ULL +
               ((pairs >> 16) & 0x000000ff000000ffULL) * 0x0000271000000001ULL) >>
              32;
      value = 100000000 * value + pairs;
      at += 8;
    }
    while (is_digit(*at)) value = 10 * value + static_cast<std::uint64_t>(*at++ - '0');
  }

  static bool continues_number(char byte) { return byte == '.' || byte == 'e' || byte == 'E'; }

  /// Passes over a number without an exponent, if that can be seen quickly.
  bool skip_plain_number() {
    const char* at = cursor_ + (*cursor_ == '-' ? 1 : 0);
    const char* const digits = at;
    while (is_digit(*at)) ++at;
    if (at == digits || (*digits == '0' && at - digits > 1)) return false;
    if (*at == '.') {
      const char* const fraction = ++at;
      while (is_digit(*at)) ++at;
      if (at == fraction) return false;
    }
    if (at == end_ || continues_number(*at)) return false;
    cursor_ = at;
    return true;
  }

  char peek_behind_space();

  /// Reads on. Everything from `keep` (or from raw_start_, if that is set) stays in the window, which may
  /// move: `keep`, the cursor and raw_start_ are moved along. False at the end of the text.
  bool refill(const char*& keep);
  /// refill() in the middle of a token that begins at `token`; ending there is an error.
  void read_on(const char*& token, const char* in);

  struct StringEnd {
    const char* end;  ///< of the contents, where the closing quote stands
    bool escaped;
  };
  StringEnd scan_string(const char*& token);
  std::string_view unescape(std::string_view text, std::uint64_t at_byte);
  JsonNumber not_finite(const char* token);

  void skip_value(unsigned depth);
  void skip_object(unsigned depth);
  void skip_array(unsigned depth);
  void note_duplicate_names(std::size_t first);

  /// A member name inside a raw value, relative to raw_start_.
  struct RawName {
    std::uint64_t hash;
    std::size_t begin;
    std::size_t length;
  };

  support::TextSource& source_;
  std::unique_ptr<char[]> window_;
  std::size_t window_bytes_;
  const char* cursor_;
  const char* end_;  // zero bytes stand there, which no token contains
  const char* raw_start_ = nullptr;
  std::uint64_t window_offset_ = 0;  // of window_[0] in the text
  std::string unescaped_;
  std::vector<RawName> raw_names_;  // of the open objects of a raw value
  std::optional<DuplicateName> duplicate_name_;
};

}  // namespace plimsoll::lbdata
