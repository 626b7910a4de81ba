#pragma once

#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>
#include <string_view>

namespace plimsoll::testing {

/// One JSON object as printed by the command. JSON pointers select its members. Accessing a missing member
/// throws an exception, which fails the test.
class Json {
 public:
  explicit Json(const std::string& text) : text_(text), root_(parser_.parse(text_).value()) {}

  double number(std::string_view pointer) const { return root_.at_pointer(pointer).get_double().value(); }
  std::int64_t integer(std::string_view pointer) const {
    return root_.at_pointer(pointer).get_int64().value();
  }
  std::string text(std::string_view pointer) const {
    return std::string(root_.at_pointer(pointer).get_string().value());
  }
  bool is_text(std::string_view pointer) const { return root_.at_pointer(pointer).is_string(); }
  bool is_null(std::string_view pointer) const { return root_.at_pointer(pointer).is_null(); }
  bool truth(std::string_view pointer) const { return root_.at_pointer(pointer).get_bool().value(); }
  std::size_t size(std::string_view pointer) const {
    return root_.at_pointer(pointer).get_array().value().size();
  }
  bool has(std::string_view pointer) const { return root_.at_pointer(pointer).error() == simdjson::SUCCESS; }

 private:
  simdjson::padded_string text_;
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

}  // namespace plimsoll::testing
