#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// A value of a JSON document that a JsonParser owns, and its place in the document. It can be read in two
/// ways. The functions text(), number() and whole_number() throw an Error with file and place if the value
/// has another type. The function get() returns nothing in this case, for callers that write their own
/// message with error().
///
/// A view is valid until its parser reads the next document or is destroyed. The names passed to find() and
/// at() must outlive the views that these return.
class JsonView {
 public:
  /// Returns the JSON pointer (RFC 6901), "" for the whole document; names are in the format of
  /// append_pointer_name().
  std::string pointer() const;
  /// Creates an Error (bad_input) with the file and pointer() of this value.
  Error error(std::string what, std::string suggestion = {}) const;

  bool is_object() const;
  bool is_array() const;
  bool is_null() const;

  /// Returns the value if it has the type `Value` and fits into it, otherwise nothing. Types: bool, double
  /// (also for integers), std::int64_t, std::uint64_t, std::string_view (valid as long as the view).
  template <class Value>
  std::optional<Value> get() const;

  /// Returns the value as compact JSON text.
  std::string json() const;

  /// Returns the value as a string or number. If it has another type, throws Error (bad_input) with a message
  /// such as "expected a string".
  std::string_view text() const;
  double number() const;
  /// Returns an integer. Also throws for an integer outside `min` to `max`.
  std::int64_t whole_number(std::int64_t min, std::int64_t max) const;

  /// Returns the member of an object, or the first if the name is repeated. Returns nothing if the member is
  /// missing or this is not an object.
  std::optional<JsonView> find(std::string_view name) const;
  /// Returns the member of an object like find(). Throws Error (bad_input) if this is not an object or the
  /// member is missing.
  JsonView at(std::string_view name) const;

  /// Calls `visit` for each member of an object in the order of the text, including repeated names. Throws
  /// Error (bad_input) if this is not an object.
  void for_each_member(const std::function<void(std::string_view name, const JsonView& value)>& visit) const;
  /// Calls `visit` for each value of an array. Throws Error (bad_input) if this is not an array.
  void for_each_element(const std::function<void(const JsonView& value)>& visit) const;

 private:
  friend class JsonParser;

  /// Represents simdjson's element. Only json_view.cpp uses its type, because simdjson's header is large.
  struct Handle {
    const void* document;
    std::size_t position;
  };
  JsonView(Handle handle, const std::string& file) : handle_(handle), file_(&file) {}
  JsonView child(Handle handle) const;

  Handle handle_;
  const std::string* file_;
  // Name or index of this value in the value at `parent_`; the root has neither. Only pointer() joins them,
  // to avoid building strings while reading.
  std::string parent_;
  std::optional<std::string_view> name_;
  std::optional<std::size_t> index_;
};

/// Parses whole JSON documents with simdjson, one after another, and owns the memory of the current one.
class JsonParser {
 public:
  /// Creates a parser; `file` is the name used in messages.
  explicit JsonParser(std::string file);
  JsonParser(const JsonParser&) = delete;
  JsonParser& operator=(const JsonParser&) = delete;
  ~JsonParser();

  /// Parses a document and returns its value. Throws Error (bad_input) if the text is not JSON.
  JsonView parse(std::string_view text);

 private:
  struct Implementation;
  std::string file_;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace plimsoll::support
