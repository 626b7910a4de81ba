// Compares the fast path for records of known shapes with the general parser: both must deliver the same
// records and findings, with the same positions, for valid and for invalid documents.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <plimsoll/support/error.hpp>

#include "lbdata/reading/document_parser.hpp"
#include "lbdata/reading/entity_numbering.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

/// Everything that a parser delivers, as text.
class Transcript : public RecordSink {
 public:
  std::string text;

  void begin_phase(RecordPlace place) override { add("phase {} {}", place.position, place.byte); }
  void begin_iteration(RecordPlace place) override { add("iteration {} {}", place.position, place.byte); }
  void id(std::int64_t id) override { add("id {}", id); }
  void task(const TaskRecord& task, RecordPlace place) override {
    add("task {} {} node {}@{} time {}@{} {}", place.position, place.byte, task.node, task.node_byte,
        task.time_s, task.time_byte, task.resource);
    add_entity(*task.entity);
    if (task.has_subphases) add("subphases");
    for (std::size_t k = 0; k < task.subphase_id.size(); ++k)
      add("{} {}", task.subphase_id[k], task.subphase_time_s[k]);
    if (task.has_user_defined) add("user_defined {}", task.user_defined);
    if (task.has_attributes) add("attributes {}", task.attributes);
  }
  void communication(const CommunicationRecord& edge, RecordPlace place) override {
    add("edge {} {} bytes {}@{} messages {}@{} {}@{}", place.position, place.byte, edge.bytes,
        edge.bytes_byte, edge.messages, edge.messages_byte, edge.type, edge.type_byte);
    add_entity(*edge.from);
    add_entity(*edge.to);
  }
  void task_entity(EntityIndex entity) override { add("task of {}", entity); }
  void edge_ends(EntityIndex from, EntityIndex to) override { add("edge {} to {}", from, to); }
  void end_iteration(PhaseHeader&& header) override { add("end of iteration {}", header.id); }
  void end_phase(PhaseHeader&& header, bool complete) override { add("end of {} {}", header.id, complete); }

  void add_entity(const EntityRecord& entity) {
    const auto number = [](const std::optional<WideInteger>& value) {
      return value ? to_string(*value) : "-";
    };
    const Entity& value = entity.value;
    add("entity {} {} id {} seq {} collection {} group {} home {} migratable {}", entity.byte, value.type,
        number(value.id), number(value.seq_id), number(value.collection_id), number(value.objgroup_id),
        value.home.value_or(-99), value.migratable ? static_cast<int>(*value.migratable) : -1);
    if (!value.index) return;
    add("index");
    for (const std::int64_t coordinate : *value.index) add("{}", coordinate);
  }

  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
    text += '\n';
  }
};

std::string transcript(const std::string& document, ReadingPath path, SchemaVersion version) {
  Transcript transcript;
  EntityTable entities;
  EntityNumbering numbering(entities, transcript);
  const auto add = [&](const char* kind, const Diagnostic& finding) {
    transcript.add("{} {} {} {} {}", kind, finding.check, finding.what, finding.byte.value_or(0),
                   finding.pointer.value_or("-"));
  };
  support::TextSource source(document, "file", data_file_format);
  try {
    DocumentParser(
        source, version,
        [&](Diagnostic&& finding, bool readable) { add(readable ? "readable" : "unreadable", finding); },
        numbering, path)
        .parse_data_file();
  } catch (const Error& error) {
    add("error", error.diagnostic());
  } catch (const IsStatisticsFile&) {
    transcript.add("statistics");
  }
  return transcript.text;
}

void expect_same(const std::string& document, SchemaVersion version = SchemaVersion::current) {
  ASSERT_EQ(transcript(document, ReadingPath::fast, version),
            transcript(document, ReadingPath::general, version))
      << document.substr(0, 4000);
}

/// Random document: a program's habits (order of members, spaces, members present) with some deviations.
class RandomDocument {
 public:
  RandomDocument(unsigned seed, double deviations) : random_(seed), deviations_(deviations) {
    style_ = below(4);
    order_ = random_();
    optional_ = random_();
  }

  std::string text(std::size_t n_records, std::size_t n_phases = 1) {
    std::vector<std::string> phases;
    for (std::size_t id = 0; id < n_phases; ++id) phases.push_back(phase(id, n_records));
    return object({{"type", "\"LBDatafile\""}, {"phases", array(phases)}});
  }

 private:
  using Members = std::vector<std::pair<std::string, std::string>>;

  std::string phase(std::size_t id, std::size_t n_records) {
    std::vector<std::string> tasks;
    std::vector<std::string> edges;
    for (std::size_t k = 0; k < n_records; ++k) {
      tasks.push_back(task());
      edges.push_back(edge());
    }
    return object({{"id", std::to_string(id)}, {"tasks", array(tasks)}, {"communications", array(edges)}});
  }

  std::size_t below(std::size_t end) { return random_() % end; }
  bool deviates() { return std::uniform_real_distribution<double>(0, 1)(random_) < deviations_; }
  bool is_usual(unsigned bit) { return ((optional_ >> bit) & 1) != 0; }

  std::string space() {
    static const char* const spaces[] = {"", " ", "\n    ", "\t\r\n"};
    return spaces[deviates() ? below(4) : style_];
  }
  std::string object(Members members) {
    std::mt19937 order(static_cast<unsigned>(deviates() ? random_() : order_));
    std::ranges::shuffle(members, order);
    std::string text = "{";
    for (std::size_t k = 0; k < members.size(); ++k)
      text += (k == 0 ? "" : ",") + space() + '"' + members[k].first + "\":" + space() + members[k].second;
    return text + space() + "}";
  }
  std::string array(const std::vector<std::string>& elements) {
    std::string text = "[";
    for (std::size_t k = 0; k < elements.size(); ++k) text += (k == 0 ? "" : ",") + space() + elements[k];
    return text + space() + "]";
  }
  template <std::size_t size>
  std::string one_of(const char* const (&texts)[size]) {
    return texts[below(size)];
  }
  std::string integer() {
    if (!deviates()) return std::to_string(random_() >> below(60));
    return one_of({"-1", "-0", "0", "00", "01", "7.0", "1e3", "2147483647", "2147483648",
                   "999999999999999999", "1000000000000000000", "18446744073709551615",
                   "18446744073709551616", "\"1\"", "null", "x"});
  }
  std::string small() { return deviates() ? integer() : std::to_string(below(100000)); }
  std::string fraction() {
    if (!deviates()) return fmt::format("{:e}", std::uniform_real_distribution<double>(0, 1e6)(random_));
    if (below(2) == 0)
      return fmt::format("{:.{}f}", 1e-3 * static_cast<double>(below(1000000)), 1 + below(22));
    return one_of({"0.0",
                   "-0.0",
                   "0.5",
                   "-1.5",
                   "5",
                   "1.",
                   ".5",
                   "01.5",
                   "1e5",
                   "1E-7",
                   "1e+05",
                   "1e",
                   "1e400",
                   "1e-400",
                   "1e0005",
                   "0.00012345678901234567",
                   "12345678901234567890.5",
                   "0.12345678901234567891",
                   "4.9e-324",
                   "NaN",
                   "Infinity",
                   "-Infinity",
                   "null",
                   "true",
                   "0.0000000000000000000000001",
                   "9007199254740993.0"});
  }
  enum Place : std::uint8_t { of_task, from_end, to_end };

  /// Returns a new entity, the previous one in the same place, or an earlier one.
  std::string entity(Place place) {
    std::string& last = last_[place];
    if (last.empty() || below(4) != 0) last = other_entity(place == of_task);
    return last;
  }
  std::string other_entity(bool is_task) {
    std::vector<std::string>& earlier = entities_[is_task ? 0 : 1];
    if (!earlier.empty() && below(2) == 0) return earlier[below(earlier.size())];
    return earlier.emplace_back(new_entity(is_task));
  }
  std::string new_entity(bool is_task) {
    Members members = {
        {"type", deviates() ? one_of({"\"node\"", "\"shared_id\"", "\"\\u006fbject\"", "\"\xc3\xb6\""})
                            : "\"object\""}};
    if (deviates() != is_usual(0))
      members.emplace_back("id", integer());
    else
      members.emplace_back("seq_id", integer());
    if (is_task || deviates() != is_usual(1)) {
      members.emplace_back("home", small());
      members.emplace_back("migratable", deviates() ? one_of({"false", "null", "tru"}) : "true");
    }
    if (!is_usual(0) || deviates() != is_usual(2))
      members.emplace_back("collection_id", deviates() ? integer() : "7");
    if (deviates() != is_usual(3)) {
      std::vector<std::string> index;
      for (std::size_t k = below(2) + (deviates() ? below(4) : 1); k > 0; --k) index.push_back(small());
      members.emplace_back("index", array(index));
    }
    if (deviates())
      members.emplace_back(one_of({"id", "home", "objgroup_id", "unknown", "i\\u0064"}), integer());
    return object(members);
  }
  std::string user_data() {
    if (deviates())
      return one_of({"{}", "[]", "1", "{\"a\":1,\"a\":2}", "{\"a\":{\"b\":[1,-2.5,1e7]}}",
                     "{\"a\":\"\\\"}\"}", "{\"a\":\"\xc3\xb6\"}", "{\"a\":\"\xff\"}", "{\"a\":01}",
                     "{\"a\":1.}", "{\"a\":[}"});
    return object({{"shared_id", integer()},
                   {"bytes", fraction()},
                   {"name", fmt::format("\"{}\"", below(1000))},
                   {"list", array({integer(), "true", fraction()})}});
  }
  std::string task() {
    Members members = {{"entity", entity(of_task)},
                       {"node", small()},
                       {"resource", deviates() ? one_of({"\"gpu\"", "\"a\\\"b\"", "1"}) : "\"cpu\""},
                       {"time", fraction()}};
    if (deviates() != is_usual(4)) {
      std::vector<std::string> subphases;
      for (std::size_t k = deviates() ? below(4) : 2; k > 0; --k)
        subphases.push_back(object({{"id", small()}, {"time", fraction()}}));
      members.emplace_back("subphases", array(subphases));
    }
    if (deviates() != is_usual(5)) members.emplace_back("user_defined", user_data());
    if (deviates() != is_usual(6)) members.emplace_back("attributes", user_data());
    if (deviates()) members.erase(members.begin() + static_cast<std::ptrdiff_t>(below(members.size())));
    return object(members);
  }
  std::string edge() {
    Members members = {{"bytes", fraction()},
                       {"from", entity(from_end)},
                       {"messages", integer()},
                       {"to", entity(to_end)},
                       {"type", deviates() ? one_of({"\"Broadcast\"", "\"?\"", "\"Send\\u0052ecv\"", "7"})
                                           : "\"SendRecv\""}};
    if (deviates()) members.emplace_back(one_of({"bytes", "unknown", "to"}), fraction());
    return object(members);
  }

  std::mt19937_64 random_;
  double deviations_;
  std::size_t style_;
  std::uint64_t order_;
  std::uint64_t optional_;
  std::vector<std::string> entities_[2];  // of tasks, and of ends of edges
  std::string last_[3];                   // of each place
};

TEST(RecognisedRecords, EqualRecordsOfGeneralParser) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const double deviations = seed % 4 == 0 ? 0 : 0.001 * (seed % 40);
    const auto version = seed % 5 == 1 ? SchemaVersion::page_2023 : SchemaVersion::current;
    expect_same(RandomDocument(seed, deviations).text(12), version);
  }
}

TEST(RecognisedRecords, EqualRecordsOfGeneralParserInRepeatedPhases) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const double deviations = seed % 3 == 0 ? 0 : 0.001 * (seed % 20);
    expect_same(RandomDocument(seed, deviations).text(20, 5));
  }
}

/// Repeats more entities per phase than the parser keeps.
TEST(RecognisedRecords, EqualRecordsOfGeneralParserWithManyEntities) {
  std::string document = R"({"type":"LBDatafile","phases":[)";
  for (int phase = 0; phase < 4; ++phase) {
    document += fmt::format(R"({}{{"id":{},"tasks":[)", phase == 0 ? "" : ",", phase);
    for (int k = 0; k < 5000; ++k)
      document += fmt::format(
          R"({}{{"entity":{{"home":0,"id":{},"migratable":true,"type":"object"}},"node":0,"resource":"cpu","time":1.5}})",
          k == 0 ? "" : ",", phase < 2 ? k : 4999 - k);
    document += "]}";
  }
  expect_same(document + "]}");
}

TEST(RecognisedRecords, EqualRecordsOfGeneralParserAcrossWindows) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const std::string document = RandomDocument(seed, 0).text(600);
    ASSERT_GT(document.size(), std::size_t{128} << 10);
    expect_same(document);
  }
}

TEST(RecognisedRecords, EqualErrorsOfGeneralParserAtEveryByte) {
  constexpr std::string_view values = "{}[]:,\"\\019+-.eEtn \n\x01\x80\xff";
  std::mt19937 random(1);
  for (unsigned seed = 0; seed < 2; ++seed) {
    const std::string document = RandomDocument(seed, 0).text(3);
    for (std::size_t at = 0; at < document.size(); ++at) {
      expect_same(document.substr(0, at));
      std::string changed = document;
      changed[at] = values[random() % values.size()];
      expect_same(changed);
      if (HasFailure()) return;
    }
  }
}

/// Counts the records that the general parser has read, by their findings about integer times.
TEST(RecognisedRecords, ReportEveryIntegerTime) {
  std::vector<Diagnostic> findings;
  std::string document = R"({"type":"LBDatafile","phases":[{"id":0,"tasks":[)";
  for (int k = 0; k < 20; ++k)
    document += fmt::format(
        R"({}{{"entity":{{"home":0,"id":{},"migratable":true,"type":"object"}},"node":0,"resource":"cpu","time":{}}})",
        k == 0 ? "" : ",", k, k % 2 == 0 ? "1.0" : "1");
  document += "]}]}";
  support::TextSource source(document, "file", data_file_format);
  Transcript transcript;
  DocumentParser(
      source, SchemaVersion::current,
      [&](Diagnostic&& finding, bool) { findings.push_back(std::move(finding)); }, transcript)
      .parse_data_file();
  EXPECT_EQ(findings.size(), 10U);
}

}  // namespace
}  // namespace plimsoll::lbdata
