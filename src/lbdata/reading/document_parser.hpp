#pragma once

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <utility>

#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "lbdata/json/json_cursor.hpp"
#include "lbdata/json/json_position.hpp"
#include "lbdata/reading/document.hpp"
#include "lbdata/reading/kept_entities.hpp"
#include "lbdata/reading/text_shape.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Exception of DocumentParser::parse_data_file() for a document whose type is LBStatsfile.
struct IsStatisticsFile {};

/// Ways to read records: with a fast path for records that have the shape of an earlier one, or, so that
/// tests can compare both, without it.
enum class ReadingPath { fast, general };

/// Parser of one document by the documented schemas, in one pass. It handles closed dictionaries and members
/// in any order, and distinguishes integers from fractions. Records go to a RecordSink, and errors to a
/// FindingSink. Throws Error for invalid syntax, because the text after it is not reliable.
///
/// A dictionary of the schema is a table of its members (name, rules, and the function that reads the value).
/// object() implements the common rules of all closed dictionaries.
class DocumentParser {
 public:
  DocumentParser(support::TextSource& source, SchemaVersion version, FindingSink findings,
                 RecordSink& records, ReadingPath path = ReadingPath::fast);

  void parse_data_file();
  /// Parses a document that should be an LBStatsfile; delivers its phases.
  void parse_statistics_file();

 private:
  enum Rule : unsigned {
    optional_member = 0,
    required_member = 1,
    newer_member = 2,  ///< missing in the schema of 2023
    required_until_2023 = 4,
    required_of_task = 8,  ///< required in the entity of a task, optional in endpoints
    phase_member = 16,     ///< allowed in phases, but not in their lb_iterations
  };
  template <class Record>
  struct Member {
    MemberName name;
    unsigned rules;
    void (*parse)(DocumentParser&, Record&, const JsonPath&);
  };

  struct Top {
    std::optional<std::string> type;
    std::uint64_t type_byte = 0;
    RankMetadata metadata;

    /// Returns the type specified in the document; `metadata` takes precedence.
    const std::optional<std::string>& specified_type() const { return metadata.type ? metadata.type : type; }
  };

  /// Texts by which the parser recognises entities in one place of the schema.
  struct EntityTexts {
    RecordShapes<EntityRecord> shapes;
    KeptEntities kept;
    EntityRecord* last = nullptr;  ///< entity of the previous record, if it was recognised
    std::size_t last_length = 0;   ///< length of its text
  };

  /// Reads an object with the members of a dictionary. `required` and `unknown` are rules that make a member
  /// required or unknown in this place, in addition to the rules of the schema version.
  template <const auto& members, class Record>
  void object(Record& record, const JsonPath& path, unsigned required = 0, unsigned unknown = 0);
  template <const auto& members, std::size_t i, class Record>
  void compact_member(Record& record, const JsonPath& path, std::uint32_t& seen, bool& first);
  template <class ParseElement>
  void array(const JsonPath& path, ParseElement&& parse_element);

  void metadata(RankMetadata& metadata, const JsonPath& path);
  void shared_node(RankMetadata& metadata, const JsonPath& path);
  void phase_metadata(RankMetadata& metadata, const JsonPath& path);
  void phase_numbers(PhaseNumbers& numbers, const JsonPath& path);
  void phases(Top& top, const JsonPath& path);
  void phase(RecordPlace place, const JsonPath& path);
  void phase_members(PhaseHeader& header, const JsonPath& path, unsigned unknown);
  /// Parses an array of records, and delivers the readable ones. `recognise` returns the next record if it
  /// has the shape of an earlier one, else null. `parse` returns the record that it has parsed.
  template <class Recognise, class Parse, class Deliver>
  void records(const JsonPath& path, Recognise&& recognise, Parse&& parse, Deliver&& deliver);
  void tasks(const JsonPath& path);
  void communications(const JsonPath& path);
  void lb_iterations(PhaseHeader& header, const JsonPath& path);
  void task(const JsonPath& path);
  void subphases(const JsonPath& path);
  void communication(const JsonPath& path);
  /// Reads an entity into `entity`, or into the record of its shape; returns the record.
  const EntityRecord* entity(EntityTexts& texts, EntityRecord& entity, const JsonPath& path,
                             unsigned required);
  void entity(EntityRecord& entity, const JsonPath& path, unsigned required);
  void entity_type(EntityRecord& entity, const JsonPath& path);
  void entity_index(EntityRecord& entity, const JsonPath& path);

  void statistics_metadata(RankMetadata& metadata, const JsonPath& path);
  void statistics_phase(const JsonPath& path);
  void not_balanced(NotBalanced& reason, const JsonPath& path);
  void statistics_block(RecordedStatisticsByName& block, const JsonPath& path);
  void statistics_quantities(RecordedStatistics& statistics, const JsonPath& path);

  /// Learns the shape of a record that was read without findings.
  template <class Record>
  void learn(RecordShapes<Record>& shapes, const Record& record, std::uint64_t begin, RecordKind kind);

  // Functions that recognise the shape of an earlier record. They return false or null for another shape.
  const TaskRecord* recognise_task();
  const CommunicationRecord* recognise_edge();
  const EntityRecord* recognise_entity(EntityTexts& texts, const char*& at);

  // Functions that read values. They return the value, or nothing after adding a finding.
  std::optional<WideInteger> wide_integer(const JsonPath& path);
  std::optional<std::int64_t> integer(const JsonPath& path);
  std::optional<std::int32_t> small_integer(const JsonPath& path);
  std::optional<WideInteger> unusual_wide_integer(const JsonPath& path);
  std::optional<std::int64_t> unusual_integer(const JsonPath& path);
  std::optional<std::int32_t> unusual_small_integer(const JsonPath& path);
  std::optional<double> fraction(const JsonPath& path);
  std::optional<bool> boolean(const JsonPath& path);
  std::optional<std::string_view> text(const JsonPath& path);
  std::optional<std::string> dictionary(const JsonPath& path);
  /// Reads a string that usually equals `text`, the string of the previous record. `plain`: whether that
  /// string contains no escapes.
  void repeated_text(std::string& text, bool& plain, const JsonPath& path);
  bool take_dictionary(const JsonPath& path, std::string& text);
  std::optional<std::string> document_type(const JsonPath& path);
  void require_type(const Top& top, const char* type);

  /// Reads a value into a member of a record, which is 0 or empty after a finding.
  template <auto member, auto read, class Record>
  static void set(DocumentParser& parser, Record& record, const JsonPath& path) {
    auto& value = record.*member;
    if constexpr (requires { value.reset(); })
      value = (parser.*read)(path);
    else
      value = (parser.*read)(path).value_or(std::remove_reference_t<decltype(value)>{});
  }
  /// Does the same, and stores the offset of the value in another member.
  template <auto member, auto byte, auto read, class Record>
  static void set_with_byte(DocumentParser& parser, Record& record, const JsonPath& path) {
    record.*byte = parser.cursor_.offset();
    set<member, read>(parser, record, path);
  }

  // Functions that add findings.
  void mismatch(const JsonPath& path, const char* expected);
  void add(const JsonPath& path, std::uint64_t byte, const char* check, std::string what,
           std::string suggestion = {});
  void add_readable(const JsonPath& path, std::uint64_t byte, Severity severity, const char* check,
                    std::string what, std::string suggestion = {});
  void report_duplicate_name(const JsonPath& path);
  void skip(const JsonPath& path);

  JsonCursor cursor_;
  std::string file_;
  SchemaVersion version_;
  FindingSink findings_;
  RecordSink& records_;
  ReadingPath reading_path_;
  std::size_t reported_ = 0;    // number of findings so far
  std::size_t unreadable_ = 0;  // number of findings so far that caused loss of data
  EntityRecord task_entity_;
  EntityRecord from_entity_;
  EntityRecord to_entity_;
  TaskRecord task_;
  CommunicationRecord edge_;
  EntityTexts task_entity_texts_;
  EntityTexts from_texts_;  // for each end, because both records are used at the same time
  EntityTexts to_texts_;
  RecordShapes<TaskRecord> task_shapes_;
  RecordShapes<CommunicationRecord> edge_shapes_;
  bool repeats_entities_ = false;  // after the first phase or iteration
  bool plain_resource_ = true;
  bool plain_type_ = true;
};

// Templates of DocumentParser, for its source files.
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
