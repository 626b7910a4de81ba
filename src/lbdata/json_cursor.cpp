#include "lbdata/json_cursor.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include <plimsoll/lbdata/position_hash.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::lbdata {

namespace {

constexpr std::size_t first_window_bytes = std::size_t{64} << 10;  // stays in the cache, and in malloc's heap
constexpr std::size_t padding_bytes = 64;  // so that 8- and 16-byte loads never leave the window

constexpr std::uint64_t repeated(unsigned char byte) { return 0x0101010101010101ULL * byte; }

/// High bit set in (at least the first of) the bytes that end the plain part of a string: quote,
/// backslash, control characters and everything outside ASCII.
std::uint64_t special_bytes(std::uint64_t word) {
  const auto zero_bytes = [](std::uint64_t w) { return (w - repeated(1)) & ~w; };
  return (zero_bytes(word ^ repeated('"')) | zero_bytes(word ^ repeated('\\')) | (word - repeated(0x20)) |
          word) &
         repeated(0x80);
}

std::uint64_t load_word(const char* text) {
  std::uint64_t word;
  std::memcpy(&word, text, sizeof word);
  return word;
}

/// Of a short text that is followed by at least 8 readable bytes.
std::uint64_t hash_of(const char* text, std::size_t length) {
  std::uint64_t hash = length;
  for (; length > 8; text += 8, length -= 8) hash = (hash ^ load_word(text)) * 0x9ddfea08eb382d69ULL;
  const std::uint64_t tail = length == 0 ? 0 : load_word(text) << (64 - 8 * length);
  return mix_bits(hash ^ tail);
}

/// 10^0 ... 10^22, the powers that doubles hold exactly.
constexpr double exact_powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

std::string shown(char byte) {
  if (byte == '\0') return "a zero byte";
  if (byte > ' ' && byte < 127) return fmt::format("'{}'", byte);
  return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(byte));
}

}  // namespace

JsonCursor::JsonCursor(support::TextSource& source)
    : source_(source),
      window_(std::make_unique_for_overwrite<char[]>(first_window_bytes + padding_bytes)),
      window_bytes_(first_window_bytes),
      cursor_(window_.get()),
      end_(cursor_) {
  std::fill_n(window_.get(), padding_bytes, '\0');
}

bool JsonCursor::refill(const char*& keep) {
  const char* const kept = raw_start_ != nullptr ? std::min(raw_start_, keep) : keep;
  const std::size_t kept_bytes = static_cast<std::size_t>(end_ - kept);
  const std::size_t keep_at = static_cast<std::size_t>(keep - kept);
  const std::size_t cursor_at = static_cast<std::size_t>(cursor_ - kept);
  const std::size_t raw_at = raw_start_ != nullptr ? static_cast<std::size_t>(raw_start_ - kept) : 0;
  window_offset_ += static_cast<std::uint64_t>(kept - window_.get());
  if (2 * kept_bytes > window_bytes_) {
    if (kept_bytes > max_value_bytes) {
      fail(fmt::format("a single value is longer than {} MiB", max_value_bytes >> 20), window_offset_);
    }
    auto larger = std::make_unique_for_overwrite<char[]>(2 * window_bytes_ + padding_bytes);
    std::memcpy(larger.get(), kept, kept_bytes);
    window_bytes_ *= 2;
    window_ = std::move(larger);
  } else {
    std::memmove(window_.get(), kept, kept_bytes);
  }
  const std::size_t room = window_bytes_ - kept_bytes;
  const std::size_t received = source_.read(window_.get() + kept_bytes, room);
  char* const end = window_.get() + kept_bytes + received;
  std::fill_n(end, padding_bytes, '\0');
  end_ = end;
  keep = window_.get() + keep_at;
  cursor_ = window_.get() + cursor_at;
  if (raw_start_ != nullptr) raw_start_ = window_.get() + raw_at;
  return received > 0;
}

void JsonCursor::read_on(const char*& token, const char* in) {
  const std::uint64_t text_end = window_offset_ + static_cast<std::uint64_t>(end_ - window_.get());
  if (!refill(token)) {
    fail(fmt::format("the text ends inside {}", in), text_end, "the file is cut off; obtain it again");
  }
}

JsonCursor::StringEnd JsonCursor::scan_string(const char*& token) {
  bool escaped = false;
  bool ascii = true;
  std::size_t scanned = 1;
  for (;;) {
    const char* at = token + scanned;
    std::uint64_t special;
    while ((special = special_bytes(load_word(at))) == 0) {
      at += 8;
      if (at >= end_) break;
    }
    if (special != 0) at += std::countr_zero(special) / 8;
    if (at >= end_) {
      scanned = static_cast<std::size_t>(end_ - token);
      cursor_ = end_;
      read_on(token, "a string");
      continue;
    }
    const auto byte = static_cast<unsigned char>(*at);
    scanned = static_cast<std::size_t>(at - token);
    if (byte == '"') break;
    if (byte == '\\') {
      escaped = true;
      if (at + 1 == end_) {
        cursor_ = end_;
        read_on(token, "a string");
      }
      scanned += 2;
    } else if (byte < 0x20) {
      fail(fmt::format("{} inside a string", shown(*at)), window_offset_ + static_cast<std::uint64_t>(at - window_.get()),
           "write control characters as \\u escapes");
    } else {
      ascii = ascii && byte < 0x80;
      ++scanned;
    }
  }
  if (!ascii && !simdjson::validate_utf8(token + 1, scanned - 1)) {
    fail("a string that is not UTF-8", window_offset_ + static_cast<std::uint64_t>(token - window_.get()));
  }
  return {token + scanned, escaped};
}

std::string_view JsonCursor::string() {
  if (peek() != '"') unexpected("a string");
  const char* token = cursor_;
  const StringEnd string = scan_string(token);
  const std::string_view text(token + 1, static_cast<std::size_t>(string.end - token - 1));
  cursor_ = string.end + 1;
  if (!string.escaped) return text;
  return unescape(text, window_offset_ + static_cast<std::uint64_t>(token - window_.get()));
}

std::string_view JsonCursor::unescape(std::string_view text, std::uint64_t at_byte) {
  const auto hex4 = [&](std::size_t at) -> unsigned {
    unsigned value = 0;
    const char* const begin = text.data() + at;
    if (at + 4 > text.size() || std::from_chars(begin, begin + 4, value, 16).ptr != begin + 4) {
      fail("a \\u escape without four hexadecimal digits", at_byte);
    }
    return value;
  };
  unescaped_.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      unescaped_ += text[i];
      continue;
    }
    static constexpr std::string_view letters = "\"\\/bfnrt";
    static constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    const char letter = text[++i];
    if (const std::size_t known = letters.find(letter); known != std::string_view::npos) {
      unescaped_ += meanings[known];
      continue;
    }
    if (letter != 'u') fail(fmt::format("the escape \\ followed by {}", shown(letter)), at_byte);
    unsigned code = hex4(i + 1);
    i += 4;
    const bool high_surrogate = code >= 0xd800 && code < 0xdc00;
    if (high_surrogate && text.substr(i + 1, 2) == "\\u") {
      const unsigned low = hex4(i + 3);
      if (low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        i += 6;
      }
    }
    if (code >= 0xd800 && code < 0xe000) fail("half of a surrogate pair in a string", at_byte);
    if (code < 0x80) {
      unescaped_ += static_cast<char>(code);
    } else if (code < 0x800) {
      unescaped_ += static_cast<char>(0xc0 | (code >> 6));
      unescaped_ += static_cast<char>(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
      unescaped_ += static_cast<char>(0xe0 | (code >> 12));
      unescaped_ += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
      unescaped_ += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      unescaped_ += static_cast<char>(0xf0 | (code >> 18));
      unescaped_ += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
      unescaped_ += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
      unescaped_ += static_cast<char>(0x80 | (code & 0x3f));
    }
  }
  return unescaped_;
}

JsonNumber JsonCursor::number() {
  const char* token = cursor_;
  for (;;) {
    const char* at = token;
    const bool negative = *at == '-';
    if (negative) ++at;
    if (*at == 'N' || *at == 'I') return not_finite(token);

    const char* const digits = at;
    std::uint64_t mantissa = 0;
    read_digits(at, mantissa);
    const auto integer_digits = at - digits;
    auto significant_digits = integer_digits;
    std::int64_t exponent = 0;
    bool fraction = false;
    bool complete = integer_digits > 0;
    if (complete && *at == '.') {
      fraction = true;
      const char* const first = ++at;
      read_digits(at, mantissa);
      complete = at > first;
      significant_digits += at - first;
      exponent = first - at;
    }
    bool plain = true;  // without an exponent of more digits than any double needs
    if (complete && (*at == 'e' || *at == 'E')) {
      fraction = true;
      ++at;
      const bool below = *at == '-';
      if (below || *at == '+') ++at;
      const char* const first = at;
      std::int64_t power = 0;
      while (is_digit(*at)) {
        if (power < 100000) power = 10 * power + (*at - '0');
        ++at;
      }
      complete = at > first;
      plain = power < 100000;
      exponent += below ? -power : power;
    }
    if (at >= end_) {  // the number may go on behind the window
      const auto length = static_cast<std::size_t>(end_ - token);
      cursor_ = end_;
      if (length > 4096) fail("a number of more than 4096 characters", offset() - length);
      if (refill(token)) continue;
      at = end_;
    }
    cursor_ = at;
    if (!complete) unexpected("a digit");
    if (integer_digits > 1 && *digits == '0') {
      fail("a number with a leading zero", window_offset_ + static_cast<std::uint64_t>(token - window_.get()));
    }

    JsonNumber number;
    number.kind = fraction ? JsonNumber::Kind::fraction : JsonNumber::Kind::integer;
    const bool exact_mantissa = significant_digits <= 19;
    if (!fraction) {
      bool overflow = significant_digits > 20;
      if (significant_digits == 20) {  // up to 18446744073709551615
        overflow = std::from_chars(digits, at, mantissa).ec != std::errc{};
      }
      number.exceeds_64_bits = overflow || (negative && mantissa > (std::uint64_t{1} << 63));
      number.integer = {negative ? 0 - mantissa : mantissa, negative && mantissa != 0};
      if (!number.exceeds_64_bits && exact_mantissa && mantissa <= (std::uint64_t{1} << 53)) {
        number.value = negative ? -static_cast<double>(mantissa) : static_cast<double>(mantissa);
        return number;
      }
    }
    // Clinger's fast path: both operands are exact, so that one operation rounds correctly.
    if (plain && exact_mantissa && mantissa <= (std::uint64_t{1} << 53) && exponent >= -22 && exponent <= 22) {
      const auto magnitude = static_cast<double>(mantissa);
      const double power = exact_powers_of_ten[exponent < 0 ? -exponent : exponent];
      number.value = exponent < 0 ? magnitude / power : magnitude * power;
      if (negative) number.value = -number.value;
      return number;
    }
    const auto parsed = std::from_chars(token, at, number.value);
    if (parsed.ec == std::errc::result_out_of_range) {
      const bool tiny = plain && static_cast<std::int64_t>(significant_digits) + exponent < 0;
      const bool below_all = !plain && exponent < 0;
      if (tiny || below_all || mantissa == 0) {
        number.value = negative ? -0.0 : 0.0;
      } else {
        number.value = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
        number.kind = fraction ? JsonNumber::Kind::not_finite : number.kind;
      }
    }
    return number;
  }
}

JsonNumber JsonCursor::not_finite(const char* token) {
  while (end_ - token < 9) {
    cursor_ = token;
    if (!refill(token)) break;
  }
  cursor_ = token;
  JsonNumber number;
  number.kind = JsonNumber::Kind::not_finite;
  const bool negative = *token == '-';
  const std::string_view text(token + (negative ? 1 : 0), static_cast<std::size_t>(end_ - token) - (negative ? 1 : 0));
  if (text.starts_with("Infinity")) {
    number.value = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    cursor_ += negative ? 9 : 8;
  } else if (text.starts_with("NaN") && !negative) {
    number.value = std::numeric_limits<double>::quiet_NaN();
    cursor_ += 3;
  } else {
    unexpected("a value");
  }
  return number;
}

void JsonCursor::literal(std::string_view text) {
  const char* token = cursor_;
  while (static_cast<std::size_t>(end_ - token) < text.size()) {
    if (!refill(token)) break;
  }
  if (std::string_view(token, static_cast<std::size_t>(end_ - token)).substr(0, text.size()) != text) {
    unexpected("a value");
  }
  cursor_ = token + text.size();
}

std::string_view JsonCursor::raw_value() {
  peek();
  raw_start_ = cursor_;
  raw_names_.clear();
  duplicate_name_.reset();
  skip_value(0);
  const std::string_view text(raw_start_, static_cast<std::size_t>(cursor_ - raw_start_));
  raw_start_ = nullptr;
  return text;
}

void JsonCursor::skip_value(unsigned depth) {
  switch (const char byte = peek()) {
    case '{': return skip_object(depth + 1);
    case '[': return skip_array(depth + 1);
    case '"': {
      const char* token = cursor_;
      const StringEnd string = scan_string(token);
      if (string.escaped) {
        unescape({token + 1, static_cast<std::size_t>(string.end - token - 1)}, offset());
      }
      cursor_ = string.end + 1;
      return;
    }
    case 't': return literal("true");
    case 'f': return literal("false");
    case 'n': return literal("null");
    default:
      if (!begins_number(byte)) unexpected("a value");
      if (!skip_plain_number()) number();
  }
}

void JsonCursor::skip_object(unsigned depth) {
  if (depth > max_depth) fail(fmt::format("values nested more than {} deep", max_depth), offset());
  const std::size_t first_name = raw_names_.size();
  advance();
  if (peek() == '}') return advance();
  do {
    if (peek() != '"') unexpected("a member name");
    const char* token = cursor_;
    const StringEnd name = scan_string(token);
    const auto length = static_cast<std::size_t>(name.end - token - 1);
    std::uint64_t hash;
    if (name.escaped) {
      unescape({token + 1, length}, offset());
      unescaped_.reserve(unescaped_.size() + 8);
      hash = hash_of(unescaped_.data(), unescaped_.size());
    } else {
      hash = hash_of(token + 1, length);
    }
    raw_names_.push_back({hash, static_cast<std::size_t>(token + 1 - raw_start_), length});
    cursor_ = name.end + 1;
    expect(':', "':' after a member name");
    skip_value(depth);
  } while (next_element('}'));
  note_duplicate_names(first_name);
  raw_names_.resize(first_name);
}

void JsonCursor::skip_array(unsigned depth) {
  if (depth > max_depth) fail(fmt::format("values nested more than {} deep", max_depth), offset());
  advance();
  if (peek() == ']') return advance();
  do {
    skip_value(depth);
  } while (next_element(']'));
}

void JsonCursor::note_duplicate_names(std::size_t first) {
  const auto begin = raw_names_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = raw_names_.end();
  const auto compare = [&](const RawName& left, const RawName& right) {
    if (left.hash != right.hash) return;
    const std::uint64_t raw_byte = window_offset_ + static_cast<std::uint64_t>(raw_start_ - window_.get());
    std::string name(unescape({raw_start_ + left.begin, left.length}, raw_byte + left.begin));
    if (name != unescape({raw_start_ + right.begin, right.length}, raw_byte + right.begin)) return;
    duplicate_name_ = {std::move(name), raw_byte + std::max(left.begin, right.begin) - 1};
  };
  if (end - begin <= 16) {
    for (auto left = begin; left != end; ++left) {
      for (auto right = left + 1; right != end; ++right) compare(*left, *right);
    }
  } else {
    std::sort(begin, end, [](const RawName& left, const RawName& right) { return left.hash < right.hash; });
    for (auto right = begin + 1; right != end; ++right) compare(right[-1], *right);
  }
}

void JsonCursor::expect_end() {
  if (peek() != '\0' || cursor_ != end_) fail("text after the end of the document", offset(), "remove it");
}

void JsonCursor::unexpected(const char* expected) {
  const char byte = peek();
  if (cursor_ == end_) {
    fail(fmt::format("the text ends where {} should stand", expected), offset(),
         "the file is cut off; obtain it again");
  }
  fail(fmt::format("{} where {} should stand", shown(byte), expected), offset());
}

void JsonCursor::fail(std::string what, std::uint64_t at_byte, std::string suggestion) {
  throw support::Error(support::ErrorKind::bad_input, {.check = "syntax",
                                                       .what = std::move(what),
                                                       .file = source_.name(),
                                                       .byte = at_byte,
                                                       .suggestion = std::move(suggestion)});
}

}  // namespace plimsoll::lbdata
