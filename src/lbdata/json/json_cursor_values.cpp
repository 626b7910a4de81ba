#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include <plimsoll/support/hash.hpp>

#include "lbdata/json/json_cursor.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

/// Returns the hash of a short text that is followed by at least 8 readable bytes. It reads whole words and
/// is inlined: for names of up to 24 bytes it takes less time than support::hash_bytes().
std::uint64_t hash_of(const char* text, std::size_t length) {
  std::uint64_t hash = length;
  for (; length > 8; text += 8, length -= 8) hash = (hash ^ read_word(text)) * 0x9ddfea08eb382d69ULL;
  const std::uint64_t tail = length == 0 ? 0 : read_word(text) << (64 - 8 * length);
  return support::mix_bits(hash ^ tail);
}

}  // namespace

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
    auto significant_digits = *digits == '0' ? 0 : integer_digits;
    std::int64_t exponent = 0;
    bool fraction = false;
    bool complete = integer_digits > 0;
    if (complete && *at == '.') {
      fraction = true;
      const char* const first = ++at;
      read_digits(at, mantissa);
      complete = at > first;
      const char* nonzero = first;  // leading zeros are not significant
      while (significant_digits == 0 && *nonzero == '0') ++nonzero;
      significant_digits += at - nonzero;
      exponent = first - at;
    }
    bool plain = true;  // false if the exponent has more digits than any double needs
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
    if (at >= end_) {  // the number may continue beyond the window
      const auto length = static_cast<std::size_t>(end_ - token);
      cursor_ = end_;
      if (length > 4096) fail("number longer than 4096 characters", offset() - length);
      if (refill(token)) continue;
      at = end_;
    }
    cursor_ = at;
    if (!complete) unexpected("a digit");
    if (integer_digits > 1 && *digits == '0') {
      fail("number with a leading zero", window_offset_ + static_cast<std::uint64_t>(token - window_.get()));
    }

    JsonNumber number;
    number.kind = fraction ? JsonNumber::Kind::fraction : JsonNumber::Kind::integer;
    const bool exact_mantissa = significant_digits <= 19;
    if (!fraction) {
      bool overflow = significant_digits > 20;
      if (significant_digits == 20) {  // values above 18446744073709551615 overflow
        overflow = std::from_chars(digits, at, mantissa).ec != std::errc{};
      }
      number.exceeds_64_bits = overflow || (negative && mantissa > (std::uint64_t{1} << 63));
      number.integer = {negative ? 0 - mantissa : mantissa, negative && mantissa != 0};
      if (!number.exceeds_64_bits && exact_mantissa && mantissa <= (std::uint64_t{1} << 53)) {
        number.value = negative ? -static_cast<double>(mantissa) : static_cast<double>(mantissa);
        return number;
      }
    }
    if (plain && exact_mantissa) {
      if (const auto magnitude = decimal_value(mantissa, exponent)) {
        number.value = negative ? -*magnitude : *magnitude;
        return number;
      }
    }
    const auto parsed = std::from_chars(token, at, number.value);
    if (parsed.ec == std::errc::result_out_of_range) {
      const bool tiny = plain && static_cast<std::int64_t>(significant_digits) + exponent < 0;
      const bool below_all = !plain && exponent < 0;
      if (tiny || below_all || mantissa == 0) {
        number.value = negative ? -0.0 : 0.0;
      } else {
        number.value =
            negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
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
  const std::string_view text(token + (negative ? 1 : 0),
                              static_cast<std::size_t>(end_ - token) - (negative ? 1 : 0));
  if (text.starts_with("Infinity")) {
    number.value =
        negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    cursor_ += negative ? 9 : 8;
  } else if (text.starts_with("NaN") && !negative) {
    number.value = std::numeric_limits<double>::quiet_NaN();
    cursor_ += 3;
  } else {
    unexpected("a value");
  }
  return number;
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
  if (depth > max_depth) fail(fmt::format("values nested more than {} levels deep", max_depth), offset());
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
  if (depth > max_depth) fail(fmt::format("values nested more than {} levels deep", max_depth), offset());
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

}  // namespace plimsoll::lbdata
