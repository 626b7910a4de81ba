#include <fmt/format.h>

#include <plimsoll/support/json_text.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

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
