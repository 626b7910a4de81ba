#pragma once

#include <optional>
#include <string>

#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/text_source.hpp>

#include "lbdata/json/json_cursor.hpp"
#include "lbdata/json/json_path.hpp"
#include "lbdata/reading/document.hpp"
#include "lbdata/reading/entity_cache.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Exception of DocumentParser::parse_data_file() for a document whose type is LBStatsfile.
struct IsStatisticsFile {};

/// Parser of one document by the documented schemas, in one pass. It handles closed dictionaries and members
/// in any order, and distinguishes integers from fractions. Records go to a RecordSink, and errors to a
/// FindingSink. Throws Error for invalid syntax, because the text after it is not reliable.
///
/// A dictionary of the schema is a table of its members (name, rules, and the function that reads the value).
/// object() implements the common rules of all closed dictionaries.
class DocumentParser {
 public:
  DocumentParser(support::TextSource& source, SchemaVersion version, FindingSink& findings,
                 RecordSink& records);

  /// Parses a document that should be an LBDatafile.
  void parse_data_file();
  /// Parses a document that should be an LBStatsfile; delivers its phases.
  void parse_statistics_file();

 private:
  /// Rules of the schema for a member, as bits.
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
    std::uint64_t metadata_type_byte = 0;
    RankMetadata metadata;

    /// Returns the type specified in the document; `metadata` takes precedence.
    const std::optional<std::string>& specified_type() const { return metadata.type ? metadata.type : type; }
  };

  /// Reads an object with the members of a dictionary. `required` and `unknown` are rules that make a member
  /// required or unknown in this place, in addition to the rules of the schema version.
  template <const auto& members, class Record>
  void object(Record& record, const JsonPath& path, unsigned required = 0, unsigned unknown = 0);
  /// Reads member `i` if it comes next in compact text.
  template <const auto& members, std::size_t i, class Record>
  void compact_member(Record& record, const JsonPath& path, std::uint32_t& seen, bool& first);
  template <class ParseElement>
  void array(const JsonPath& path, ParseElement&& parse_element);

  // Dictionaries of an LBDatafile.
  void metadata(Top& top, const JsonPath& path);
  void shared_node(RankMetadata& metadata, const JsonPath& path);
  void phase_metadata(RankMetadata& metadata, const JsonPath& path);
  void phase_numbers(PhaseNumbers& numbers, const JsonPath& path);
  void phases(Top& top, const JsonPath& path);
  void phase(RecordPlace place, const JsonPath& path);
  void phase_members(PhaseHeader& header, const JsonPath& path, unsigned unknown);
  /// Parses an array of records, and delivers the readable ones.
  template <class Parse, class Deliver>
  void records(const JsonPath& path, Parse&& parse, Deliver&& deliver);
  void tasks(const JsonPath& path);
  void communications(const JsonPath& path);
  void lb_iterations(PhaseHeader& header, const JsonPath& path);
  void task(const JsonPath& path);
  void subphases(const JsonPath& path);
  void communication(const JsonPath& path);
  const EntityRecord* endpoint(EntityCache& cache, const JsonPath& path);
  void entity(EntityRecord& entity, const JsonPath& path, unsigned required);
  void entity_type(EntityRecord& entity, const JsonPath& path);
  void entity_index(EntityRecord& entity, const JsonPath& path);

  // Dictionaries of an LBStatsfile.
  void statistics_metadata(Top& top, const JsonPath& path);
  void statistics_phase(const JsonPath& path);
  void statistics_block(RecordedStatisticsByName& block, const JsonPath& path);
  void statistics_quantities(RecordedStatistics& statistics, const JsonPath& path);

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
  bool dictionary(const JsonPath& path, std::string& text);
  std::optional<std::string> document_type(const JsonPath& path);
  void require_type(const Top& top, const char* type);

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
  FindingSink& findings_;
  RecordSink& records_;
  std::size_t unreadable_ = 0;  // number of findings so far that caused loss of data
  EntityRecord task_entity_;
  EntityCache from_entities_;  // one cache per end, so that both ends of a record never share a slot
  EntityCache to_entities_;
  TaskRecord task_;
  CommunicationRecord edge_;
  bool plain_resource_ = true;
  bool plain_type_ = true;
};

}  // namespace plimsoll::lbdata
