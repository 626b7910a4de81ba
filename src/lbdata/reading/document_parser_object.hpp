#pragma once

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include <plimsoll/support/internal/text.hpp>

#include "lbdata/reading/document_parser.hpp"

// Templates of DocumentParser, for its source files.
namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Returns the mask of the members that have one of the rules: bit i represents member i.
template <const auto& members>
constexpr std::uint32_t members_with(unsigned rules) {
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < std::size(members); ++i) {
    if ((members[i].rules & rules) != 0) mask |= 1U << i;
  }
  return mask;
}

template <const auto& members, std::size_t i, class Record>
void DocumentParser::compact_member(Record& record, const JsonPath& path, std::uint32_t& seen, bool& first) {
  if ((seen & (1U << i)) != 0 || !cursor_.take_compact_member(members[i].name, first)) return;
  first = false;
  seen |= 1U << i;
  cursor_.peek();
  members[i].parse(*this, record, JsonPath(path, members[i].name.name()));
}

template <const auto& members, class Record>
void DocumentParser::object(Record& record, const JsonPath& path, unsigned required, unsigned unknown) {
  constexpr std::size_t size = std::size(members);
  static_assert(size <= 32, "a set of members must fit into a 32-bit mask");
  if (cursor_.peek() != '{') return mismatch(path, "an object");
  const bool older = version_ == SchemaVersion::page_2023;
  required |= older ? required_member | required_until_2023 : required_member;
  unknown |= older ? newer_member : 0U;
  const std::uint32_t not_here = unknown == 0 ? 0 : members_with<members>(unknown);
  const std::uint64_t object_byte = cursor_.offset();
  cursor_.advance();
  std::uint32_t seen = not_here;
  bool first = true;

  // Use an unrolled fast path without look-ups: nearly all files are compact and have their members in the
  // table's order.
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (compact_member<members, i>(record, path, seen, first), ...);
  }
  (std::make_index_sequence<size>{});

  // Read all other members, in any order.
  const bool empty = first && cursor_.peek() == '}';
  if (empty) cursor_.advance();
  for (bool another = !empty && (first || cursor_.next_element('}')); another;
       another = cursor_.next_element('}')) {
    if (cursor_.peek() != '"') cursor_.unexpected("a member name");
    const std::uint64_t name_byte = cursor_.offset();
    const std::string_view text = cursor_.string();
    std::size_t found = 0;
    while (found < size && members[found].name.name() != text) ++found;
    const std::string other_name(found == size ? text : std::string_view());
    const std::string_view name = found == size ? std::string_view(other_name) : members[found].name.name();
    cursor_.expect(':', "':' after a member name");
    cursor_.peek();
    const JsonPath member_path(path, name);
    if (found == size || (not_here & (1U << found)) != 0) {
      add(member_path, name_byte, "schema", fmt::format("unknown member {}", support::in_quotes(name)),
          "remove it, or move it to user_defined or attributes");
      skip(member_path);
    } else if ((seen & (1U << found)) != 0) {
      add(member_path, name_byte, "duplicate-member", "duplicate member", "remove one of them");
      skip(member_path);
    } else {
      seen |= 1U << found;
      members[found].parse(*this, record, member_path);
    }
  }
  const std::uint32_t missing = members_with<members>(required) & ~seen;
  for (std::size_t i = 0; missing != 0 && i < size; ++i) {
    if ((missing & (1U << i)) == 0) continue;
    add(path, object_byte, "schema", fmt::format("missing member \"{}\"", members[i].name.name()));
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
  if (WideInteger integer; cursor_.take_short_integer(integer))
    return static_cast<std::int64_t>(integer.bits);
  return unusual_integer(path);
}

inline std::optional<std::int32_t> DocumentParser::small_integer(const JsonPath& path) {
  if (std::int32_t integer; cursor_.take_short_integer(integer)) return integer;
  return unusual_small_integer(path);
}

}  // namespace plimsoll::lbdata
