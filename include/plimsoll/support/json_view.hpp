#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <plimsoll/support/error.hpp>

namespace plimsoll::support {

/// A value of a JSON document that JsonParser holds, and where it is there. Two ways to read one: text(),
/// number() and others throw an Error that names file and place if the value is of another type; get() says
/// nothing and gives nothing, for a caller with a message of its own, which error() puts in place.
///
/// A view is good until its parser reads the next document or ends. Names of members that are given to find()
/// and at() must outlive the views that these return.
class JsonView {
 public:
  /// RFC 6901, "" for the whole document. Control characters in names are '?', names end after 100 bytes.
  std::string pointer() const;
  /// Error (bad_input) with the file and pointer() of this value.
  Error error(std::string what, std::string suggestion = {}) const;

  bool is_object() const;
  bool is_array() const;
  bool is_null() const;

  /// The value if it is one of the type and fits it, else nothing. Types: bool, double (whole numbers too),
  /// std::int64_t, std::uint64_t, std::string_view (as long as the view).
  template <class Value>
  std::optional<Value> get() const;

  /// These throw Error (bad_input) for another type: "is no text".
  std::string_view text() const;
  double number() const;
  /// Throws also for what is not from `min` to `max`.
  std::int64_t whole_number(std::int64_t min, std::int64_t max) const;

  /// The member of an object, the first of several; nothing if there is none, or this is no object.
  std::optional<JsonView> find(std::string_view name) const;
  /// Throws Error (bad_input) if this is no object or has no such member.
  JsonView at(std::string_view name) const;

  /// Calls `visit` for each member of an object in the order of the text, repeated names too. Throws Error
  /// (bad_input) if this is no object.
  void for_each_member(const std::function<void(std::string_view name, const JsonView& value)>& visit) const;
  /// Calls `visit` for each value of an array. Throws Error (bad_input) if this is none.
  void for_each_element(const std::function<void(const JsonView& value)>& visit) const;

 private:
  friend class JsonParser;

  /// Where simdjson has the value; as its own type in json_view.cpp alone, since its header is a large one.
  struct Handle {
    const void* document;
    std::size_t position;
  };
  JsonView(Handle handle, const std::string& file) : handle_(handle), file_(&file) {}
  JsonView child(Handle handle) const;

  Handle handle_;
  const std::string* file_;
  // Where it is: the member of this name, or else the element of this index, of the value at `parent_`;
  // nowhere in the root. Only pointer() joins them, so that reading costs few texts.
  std::string parent_;
  std::optional<std::string_view> name_;
  std::optional<std::size_t> index_;
};

/// Reads whole JSON documents with simdjson, one after another, into memory of its own.
class JsonParser {
 public:
  /// `file` is for messages.
  explicit JsonParser(std::string file);
  JsonParser(const JsonParser&) = delete;
  JsonParser& operator=(const JsonParser&) = delete;
  ~JsonParser();

  /// The value of the document. Throws Error (bad_input) if the text is not JSON.
  JsonView parse(std::string_view text);

 private:
  struct Implementation;
  std::string file_;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace plimsoll::support
