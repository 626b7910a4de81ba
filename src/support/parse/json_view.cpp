#include <fmt/format.h>
#include <simdjson.h>

#include <bit>
#include <type_traits>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/json_text.hpp>
#include <plimsoll/support/json_view.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

using simdjson::dom::element;

template <class Handle>
element element_of(const Handle& handle) {
  static_assert(sizeof(Handle) == sizeof(element) && std::is_trivially_copyable_v<element>);
  return std::bit_cast<element>(handle);
}

}  // namespace

std::string JsonView::pointer() const {
  if (index_) return fmt::format("{}/{}", parent_, *index_);
  std::string pointer = parent_;
  if (name_) append_pointer_name(pointer, *name_);
  return pointer;
}

Error JsonView::error(std::string what, std::string suggestion) const {
  Diagnostic diagnostic{.what = std::move(what), .file = *file_, .suggestion = std::move(suggestion)};
  if (std::string where = pointer(); !where.empty()) diagnostic.pointer = std::move(where);
  return {ErrorKind::bad_input, std::move(diagnostic)};
}

bool JsonView::is_object() const {
  return element_of(handle_).is_object();
}

bool JsonView::is_array() const {
  return element_of(handle_).is_array();
}

bool JsonView::is_null() const {
  return element_of(handle_).is_null();
}

template <class Value>
std::optional<Value> JsonView::get() const {
  Value value{};
  if (element_of(handle_).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

template std::optional<bool> JsonView::get() const;
template std::optional<double> JsonView::get() const;
template std::optional<std::int64_t> JsonView::get() const;
template std::optional<std::uint64_t> JsonView::get() const;
template std::optional<std::string_view> JsonView::get() const;

std::string JsonView::json() const {
  return simdjson::minify(element_of(handle_));
}

std::string_view JsonView::text() const {
  const auto text = get<std::string_view>();
  if (!text) throw error("expected a string");
  return *text;
}

double JsonView::number() const {
  const auto number = get<double>();
  if (!number) throw error("expected a number");
  return *number;
}

std::int64_t JsonView::whole_number(std::int64_t min, std::int64_t max) const {
  const auto invalid = [&](auto number) {
    return error(fmt::format("invalid value {}: expected {} to {}", number, min, max));
  };
  if (const auto large = get<std::uint64_t>(); large && !std::in_range<std::int64_t>(*large))
    throw invalid(*large);
  const auto number = get<std::int64_t>();
  if (!number) throw error("expected an integer");
  if (*number < min || *number > max) throw invalid(*number);
  return *number;
}

std::optional<JsonView> JsonView::find(std::string_view name) const {
  simdjson::dom::object members;
  element found;
  if (element_of(handle_).get(members) != simdjson::SUCCESS ||
      members.at_key(name).get(found) != simdjson::SUCCESS)
    return std::nullopt;
  JsonView member = child(std::bit_cast<Handle>(found));
  member.name_ = name;
  return member;
}

JsonView JsonView::at(std::string_view name) const {
  if (!is_object()) throw error("expected an object");
  std::optional<JsonView> member = find(name);
  if (!member) throw error(fmt::format("missing member {}", in_quotes(name)));
  return *std::move(member);
}

void JsonView::for_each_member(
    const std::function<void(std::string_view name, const JsonView& value)>& visit) const {
  simdjson::dom::object members;
  if (element_of(handle_).get(members) != simdjson::SUCCESS) throw error("expected an object");
  JsonView member = child(handle_);
  for (const auto& [name, value] : members) {
    member.handle_ = std::bit_cast<Handle>(value);
    member.name_ = name;
    visit(name, member);
  }
}

void JsonView::for_each_element(const std::function<void(const JsonView& value)>& visit) const {
  simdjson::dom::array values;
  if (element_of(handle_).get(values) != simdjson::SUCCESS) throw error("expected an array");
  JsonView entry = child(handle_);
  std::size_t index = 0;
  for (const element value : values) {
    entry.handle_ = std::bit_cast<Handle>(value);
    entry.index_ = index++;
    visit(entry);
  }
}

JsonView JsonView::child(Handle handle) const {
  JsonView child(handle, *file_);
  child.parent_ = pointer();
  return child;
}

struct JsonParser::Implementation {
  simdjson::dom::parser parser;
};

JsonParser::JsonParser(std::string file)
    : file_(std::move(file)), implementation_(std::make_unique<Implementation>()) {}

JsonParser::~JsonParser() = default;

JsonView JsonParser::parse(std::string_view text) {
  element root;
  const auto problem = implementation_->parser.parse(text.data(), text.size()).get(root);
  if (problem != simdjson::SUCCESS)
    throw bad_input(fmt::format("invalid JSON: {}", simdjson::error_message(problem)), file_);
  return {std::bit_cast<JsonView::Handle>(root), file_};
}

}  // namespace plimsoll::support
