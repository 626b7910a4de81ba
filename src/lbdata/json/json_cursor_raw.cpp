#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/support/hash.hpp>

#include "lbdata/json/json_cursor.hpp"
#include "lbdata/json/read_word.hpp"

// Functions of JsonCursor that skip values with user-defined content.
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
