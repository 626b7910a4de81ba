#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Writer of compact JSON that appends to the caller's string. It writes commas and escapes. The caller opens
/// and closes objects and arrays in order, and writes a key before each member of an object.
///
///     JsonWriter json(text);
///     json.begin_object().member("rank", 3).key("list").begin_array().value(0.5).end_array().end_object();
class JsonWriter {
 public:
  /// Receives the finished part of a long text.
  using Sink = std::function<void(std::string_view)>;

  /// With a sink, passes the text to it in parts, except for the last part, and clears the text then.
  explicit JsonWriter(std::string& output, Sink sink = {}) : output_(output), sink_(std::move(sink)) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth) { return raw(truth ? "true" : "false"); }
  /// Writes the shortest form that reads back as the same number, always with a fraction or an exponent.
  /// Writes null if the number is not finite.
  JsonWriter& value(double number);
  template <std::signed_integral Integer>
  JsonWriter& value(Integer number) {
    return signed_value(number);
  }
  template <std::unsigned_integral Integer>
  JsonWriter& value(Integer number) {
    return unsigned_value(number);
  }
  /// Writes a list of values.
  template <std::ranges::input_range Values>
  JsonWriter& values(const Values& list) {
    begin_array();
    for (const auto& each : list) value(each);
    return end_array();
  }
  JsonWriter& null() { return raw("null"); }
  /// Writes a value, or null if it is empty.
  template <class Value>
  JsonWriter& value(const std::optional<Value>& content) {
    return content ? value(*content) : null();
  }
  /// Writes JSON text unchanged, as one value.
  JsonWriter& raw(std::string_view json);

  /// Writes a key and its value.
  template <class Value>
  JsonWriter& member(std::string_view name, const Value& content) {
    return key(name).value(content);
  }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& signed_value(std::int64_t number);
  JsonWriter& unsigned_value(std::uint64_t number);
  void separate();

  std::string& output_;
  Sink sink_;
  bool comma_due_ = false;
};

}  // namespace plimsoll::support
