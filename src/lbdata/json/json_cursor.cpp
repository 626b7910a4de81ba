#include "lbdata/json/json_cursor.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include <plimsoll/support/json_text.hpp>

#include "lbdata/json/json_position.hpp"
#include "lbdata/json/string_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

std::string JsonPath::pointer() const {
  if (parent_ == nullptr) return {};
  std::string text = parent_->pointer();
  if (is_element_) return text + '/' + std::to_string(element_);
  support::append_pointer_name(text, member_);
  return text;
}

void add_line_numbers(const OpenSource& open, std::vector<Diagnostic*> findings) {
  std::erase_if(findings, [](const Diagnostic* finding) { return !finding->byte || finding->line; });
  if (findings.empty()) return;
  std::ranges::sort(findings, {}, [](const Diagnostic* finding) { return *finding->byte; });
  support::TextSource source = open();
  std::vector<char> block(std::size_t{64} << 10);
  std::uint64_t offset = 0;
  std::uint64_t line = 1;
  auto next = findings.begin();
  while (next != findings.end()) {
    std::size_t received = 0;
    try {
      received = source.read(block.data(), block.size());
    } catch (const Error&) {
      break;  // the finding for this error is at the end of the readable text
    }
    if (received == 0) break;
    const char* counted = block.data();
    for (; next != findings.end() && *(*next)->byte < offset + received; ++next) {
      const char* const at = block.data() + (*(*next)->byte - offset);
      line += static_cast<std::uint64_t>(std::count(counted, at, '\n'));
      counted = at;
      (*next)->line = line;
    }
    line += static_cast<std::uint64_t>(
        std::count(counted, static_cast<const char*>(block.data()) + received, '\n'));
    offset += received;
  }
  for (; next != findings.end(); ++next) (*next)->line = line;
}

namespace {

constexpr std::size_t first_window_bytes = std::size_t{64} << 10;  // fits in the cache and in malloc's heap
constexpr std::size_t padding_bytes = 64;  // keeps 8- and 16-byte loads within the window

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

char JsonCursor::peek_behind_space() {
  for (;;) {
    const auto byte = static_cast<unsigned char>(*cursor_);
    if (byte > ' ') return static_cast<char>(byte);
    if (byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t') {
      ++cursor_;
    } else if (cursor_ != end_ || !refill(cursor_)) {
      return '\0';
    }
  }
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
    fail_at_end(fmt::format("the text ends inside {}", in), text_end);
  }
}

JsonCursor::StringEnd JsonCursor::scan_string(const char*& token) {
  bool escaped = false;
  bool ascii = true;
  std::size_t scanned = 1;
  for (;;) {
    const char* at = token + scanned;
    std::uint64_t special;
    while ((special = special_bytes(read_word(at))) == 0) {
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
      fail(fmt::format("{} inside a string", shown(*at)),
           window_offset_ + static_cast<std::uint64_t>(at - window_.get()),
           "use \\u escapes for control characters");
    } else {
      ascii = ascii && byte < 0x80;
      ++scanned;
    }
  }
  if (!ascii && !simdjson::validate_utf8(token + 1, scanned - 1)) {
    fail("string is not valid UTF-8", window_offset_ + static_cast<std::uint64_t>(token - window_.get()));
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
      fail("invalid \\u escape: expected four hexadecimal digits", at_byte);
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
    if (letter != 'u') fail(fmt::format("invalid escape: \\ followed by {}", shown(letter)), at_byte);
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
    if (code >= 0xd800 && code < 0xe000) fail("unpaired surrogate in a string", at_byte);
    static constexpr unsigned leads[] = {0, 0xc0, 0xe0, 0xf0};
    const int continuations = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    unescaped_ += static_cast<char>(leads[continuations] | (code >> (6 * continuations)));
    for (int k = continuations; k-- > 0;) unescaped_ += static_cast<char>(0x80 | ((code >> (6 * k)) & 0x3f));
  }
  return unescaped_;
}

void JsonCursor::literal(std::string_view text) {
  const char* token = cursor_;
  while (static_cast<std::size_t>(end_ - token) < text.size()) {
    if (!refill(token)) break;
  }
  const auto there = std::string_view(token, static_cast<std::size_t>(end_ - token)).substr(0, text.size());
  if (there != text) {
    if (text.starts_with(there)) cursor_ = end_;
    unexpected("a value");
  }
  cursor_ = token + text.size();
}

void JsonCursor::expect_end() {
  if (peek() != '\0' || cursor_ != end_) fail("text after the end of the document", offset(), "remove it");
}

void JsonCursor::unexpected(const char* expected) {
  const char byte = peek();
  if (cursor_ == end_) {
    fail_at_end(fmt::format("the text ends before {}", expected), offset());
  }
  fail(fmt::format("expected {1}, found {0}", shown(byte), expected), offset());
}

void JsonCursor::fail_at_end(std::string what, std::uint64_t at_byte) {
  throw support::TruncatedError({.check = "syntax",
                                 .what = std::move(what),
                                 .file = source_.name(),
                                 .byte = at_byte,
                                 .suggestion = "copy it again"});
}

void JsonCursor::fail(std::string what, std::uint64_t at_byte, std::string suggestion) {
  throw support::Error(support::ErrorKind::bad_input, {.check = "syntax",
                                                       .what = std::move(what),
                                                       .file = source_.name(),
                                                       .byte = at_byte,
                                                       .suggestion = std::move(suggestion)});
}

}  // namespace plimsoll::lbdata
