#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/json_text.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

// Limits of the decimal point's position. Numbers beyond them are written with an exponent, as in
// nlohmann::json.
constexpr int max_point = 15;
constexpr int min_point = -3;

void append_escaped(std::string& output, std::uint32_t code_point) {
  static constexpr char hexadecimal[] = "0123456789abcdef";
  switch (code_point) {
    case '"': output += "\\\""; return;
    case '\\': output += "\\\\"; return;
    case '\b': output += "\\b"; return;
    case '\f': output += "\\f"; return;
    case '\n': output += "\\n"; return;
    case '\r': output += "\\r"; return;
    case '\t': output += "\\t"; return;
    default:
      output += "\\u";
      for (const int shift : {12, 8, 4, 0}) output += hexadecimal[(code_point >> shift) & 15];
  }
}

}  // namespace

char* write_double(char* output, double value) {
  PLIMSOLL_EXPECT(std::isfinite(value));
  // Writes the scientific form first ("-d.ddde-05"): it yields the shortest digits and their exponent.
  char scientific[max_double_chars];
  char* const end =
      std::to_chars(scientific, scientific + sizeof scientific, value, std::chars_format::scientific).ptr;
  const char* digit = scientific;
  if (*digit == '-') *output++ = *digit++;

  char* mark = end - 1;
  while (*mark != 'e') --mark;
  int exponent = 0;
  for (const char* position = mark + 2; position < end; ++position)
    exponent = 10 * exponent + (*position - '0');
  if (mark[1] == '-') exponent = -exponent;
  const int point = exponent + 1;  // the value is 0.DIGITS times ten to this power

  if (point < min_point || point > max_point) {
    const auto size = static_cast<std::size_t>(end - digit);
    std::memcpy(output, digit, size);
    return output + size;
  }
  char digits[max_double_chars];
  int count = 1;
  digits[0] = digit[0];
  if (digit[1] == '.') {
    count += static_cast<int>(mark - (digit + 2));
    std::memcpy(digits + 1, digit + 2, static_cast<std::size_t>(count - 1));
  }
  if (point <= 0) {
    *output++ = '0';
    *output++ = '.';
    output = std::fill_n(output, -point, '0');
    return std::copy_n(digits, count, output);
  }
  if (count <= point) {
    output = std::copy_n(digits, count, output);
    output = std::fill_n(output, point - count, '0');
    *output++ = '.';
    *output++ = '0';
    return output;
  }
  output = std::copy_n(digits, point, output);
  *output++ = '.';
  return std::copy_n(digits + point, count - point, output);
}

void append_double(std::string& output, double value) {
  if (!std::isfinite(value)) {
    output += "null";
    return;
  }
  char text[max_double_chars];
  output.append(text, write_double(text, value));
}

void append_json_string(std::string& output, std::string_view text) {
  output += '"';
  while (!text.empty()) {
    const auto character = static_cast<unsigned char>(text.front());
    std::size_t size = 1;
    if (character >= 0x80) {
      size = utf8_size(text);
      if (size == 0) {
        output += "\xEF\xBF\xBD";
        size = 1;
      } else if (const std::uint32_t point = utf8_code_point(text, size); !is_printable(point)) {
        append_escaped(output, point);
      } else {
        output += text.substr(0, size);
      }
    } else if (character < 0x20 || character == 0x7F || character == '"' || character == '\\') {
      append_escaped(output, character);
    } else {
      output += text.front();
    }
    text.remove_prefix(size);
  }
  output += '"';
}

void append_pointer_name(std::string& pointer, std::string_view name) {
  constexpr std::size_t max_name_bytes = 100;
  pointer += '/';
  for (const char letter : printable(utf8_prefix(name, max_name_bytes))) {
    if (letter == '~')
      pointer += "~0";
    else if (letter == '/')
      pointer += "~1";
    else
      pointer += letter;
  }
}

void JsonWriter::separate() {
  constexpr std::size_t part_bytes = std::size_t{1} << 16;
  if (sink_ && output_.size() >= part_bytes) {
    sink_(output_);
    output_.clear();
  }
  if (comma_due_) output_ += ',';
  comma_due_ = true;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  output_ += bracket;
  comma_due_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  output_ += bracket;
  comma_due_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(output_, name);
  output_ += ':';
  comma_due_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(output_, text);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  separate();
  append_double(output_, number);
  return *this;
}

JsonWriter& JsonWriter::signed_value(std::int64_t number) {
  const fmt::format_int text(number);
  return raw({text.data(), text.size()});
}

JsonWriter& JsonWriter::unsigned_value(std::uint64_t number) {
  const fmt::format_int text(number);
  return raw({text.data(), text.size()});
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  output_ += json;
  return *this;
}

}  // namespace plimsoll::support
