#pragma once

#include <fmt/format.h>

#include "lbdata/document_parser.hpp"

// The templates of DocumentParser, for its own sources.
namespace plimsoll::lbdata {

template <class Record, std::size_t size>
void DocumentParser::object(const Member<Record> (&members)[size], Record& record, const JsonPath& path,
                            unsigned required, unsigned unknown) {
  static_assert(size <= 32, "the set of members seen is a 32-bit mask");
  if (cursor_.peek() != '{') return mismatch(path, "an object");
  const bool older = version_ == SchemaVersion::page_2023;
  required |= older ? required_member | required_until_2023 : required_member;
  unknown |= older ? newer_member : 0U;
  const std::uint64_t object_byte = cursor_.offset();
  cursor_.advance();
  std::uint32_t seen = 0;
  if (cursor_.peek() == '}') {
    cursor_.advance();
  } else {
    std::size_t likely = 0;  // members mostly come in the table's order
    do {
      if (cursor_.peek() != '"') cursor_.unexpected("a member name");
      const std::uint64_t name_byte = cursor_.offset();
      std::size_t found = likely;
      std::size_t tried = 0;
      while (tried < size && !cursor_.take_member(members[found].name)) {
        found = found + 1 < size ? found + 1 : 0;
        ++tried;
      }
      if (tried == size) {
        const std::string name(cursor_.string());
        cursor_.expect(':', "':' after a member name");
        for (found = 0; found < size && members[found].name.name() != name; ++found) {
        }
        if (found == size) {
          unknown_member(JsonPath(path, name), name, name_byte);
          continue;
        }
      }
      const std::string_view name = members[found].name.name();
      if ((members[found].rules & unknown) != 0) {
        unknown_member(JsonPath(path, name), name, name_byte);
        continue;
      }
      const JsonPath member_path(path, name);
      if ((seen & (1U << found)) != 0) {
        add(member_path, name_byte, "duplicate-member", "a member that stands twice", "remove one of them");
        skip(member_path);
        continue;
      }
      seen |= 1U << found;
      cursor_.peek();
      members[found].parse(*this, record, member_path);
      likely = found + 1 < size ? found + 1 : 0;
    } while (cursor_.next_element('}'));
  }
  for (std::size_t i = 0; i < size; ++i) {
    if ((members[i].rules & required) != 0 && (seen & (1U << i)) == 0) {
      add(path, object_byte, "schema", fmt::format("the member \"{}\" is missing", members[i].name.name()));
    }
  }
}

template <class ParseElement>
void DocumentParser::array(const JsonPath& path, ParseElement&& parse_element) {
  if (cursor_.peek() != '[') return mismatch(path, "an array");
  cursor_.advance();
  if (cursor_.peek() == ']') return cursor_.advance();
  std::size_t position = 0;
  do {
    cursor_.peek();
    parse_element(position, JsonPath(path, position));
    ++position;
  } while (cursor_.next_element(']'));
}

inline std::optional<WideInteger> DocumentParser::wide_integer(const JsonPath& path) {
  if (WideInteger integer; cursor_.take_short_integer(integer)) return integer;
  return unusual_wide_integer(path);
}

inline std::optional<std::int64_t> DocumentParser::integer(const JsonPath& path) {
  if (WideInteger integer; cursor_.take_short_integer(integer)) return static_cast<std::int64_t>(integer.bits);
  return unusual_integer(path);
}

inline std::optional<std::int32_t> DocumentParser::small_integer(const JsonPath& path) {
  if (std::int32_t integer; cursor_.take_short_integer(integer)) return integer;
  return unusual_small_integer(path);
}

}  // namespace plimsoll::lbdata
