#include <gtest/gtest.h>
#include <simdjson.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <limits>
#include <string>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/text_source.hpp>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "lbdata/json/json_position.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::TemporaryFolder;

// Tests that a written data set reads back bit for bit, and that writing it again gives the same files.
class RoundTrip : public ::testing::TestWithParam<std::string> {};

TEST_P(RoundTrip, PreservesPlainAndCompressedData) {
  const Dataset original = read(find_rank_files({GetParam()})).dataset;
  for (const bool compress : {false, true}) {
    const TemporaryFolder folder;
    write(original, folder / "first", "data", {.compress = compress});
    const auto files = find_rank_files({folder / "first"});
    const Dataset again = read(files).dataset;
    EXPECT_TRUE(again == original);
    EXPECT_TRUE(validate(files).valid());
    write(again, folder / "second", "data", {.compress = compress});
    for (const RankFile& file : files) {
      const std::string name = file.path.substr(file.path.rfind('/'));
      EXPECT_TRUE(plimsoll::testing::file_content(file.path) == folder.read("second" + name)) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, RoundTrip,
                         ::testing::ValuesIn(plimsoll::testing::own_and_real(
                             {"lb/blocks", "lb/generated", "lb/phases"},
                             {"data/lb/ccm_example", "data/lb/synthetic-blocks/synthetic-dataset-blocks",
                              "data/lb/synthetic-blocks/synthetic-dataset-blocks-alpha0",
                              "data/lb/user-defined-memory-toy-problem/toy_mem",
                              "data/lb/user-defined-memory-toy-problem/toy_mem_README",
                              "data/lb/user-defined-memory-toy-problem/toy_mem_optimal",
                              "data/lb/challenging_toy_fewer_tasks", "data/lb/challenging_toy_hundreds_tasks",
                              "data/lb/nolb-8color-16nodes-11firstphases",
                              "data/lb/lb_data_file_example.json"})));

TEST(ValueRoundTrip, PreservesValuesMissingFromRealFiles) {
  const std::string text =
      R"({"metadata":{"attributes":{"a": 1},"phases":{"count":3,"identical_to_previous":{"list":[2],"range":[]},)"
      R"("skipped":{"list":[],"range":[[5,6]]}},"rank":0,"rank_alpha":0.1,"shared_node":{"id":1,"num_nodes":4,"rank":3,)"
      R"("size":2},"type":"LBDatafile"},"phases":[{"communications":[{"bytes":1e+300,"from":{"id":5,"type":"shared_id"},)"
      R"("messages":-3,"to":{"id":1,"type":"node"},"type":"Mine"}],"id":1,"lb_iterations":[{"communications":[],"id":7,)"
      R"("tasks":[],"user_defined":{}}],"tasks":[{"attributes":{},"entity":{"collection_id":18446744073709551615,"home":-1,)"
      R"("id":-5,"index":[9007199254740993,-1],"migratable":true,"objgroup_id":0,"seq_id":0,"type":"object"},"node":2,)"
      R"("resource":"c\u0070u \"x\"","subphases":[],"time":-0.0,"user_defined":{"b":[1.50,2]}},{"entity":{"home":0,"id":1,)"
      R"("index":[],"migratable":false,"type":"mine"},"node":0,"resource":"gpu","subphases":[{"id":3,"time":4.9e-324}],)"
      R"("time":1.7976931348623157e+308}],"user_defined":{"z":null}}],"type":"LBDatafile"})";
  const Dataset original = read_text(text, "text").dataset;
  const TemporaryFolder folder;
  write(original, folder.path(), "data", {.compress = false});
  const std::string written = folder.read("data.0.json");
  EXPECT_TRUE(read_text(written, "written").dataset == original) << written;
}

}  // namespace

namespace {

using plimsoll::testing::TemporaryFolder;

constexpr std::uint8_t send_recv = 0;

// Tables with entities in vt's format.
struct Tables {
  EntityTable entities;
  NameTable resources{{"cpu"}};
  NameTable categories = Dataset::known_categories();

  EntityIndex element(std::uint64_t id, std::int32_t home, std::vector<std::int64_t> index) {
    return entities.intern({.id = WideInteger{id},
                            .collection_id = WideInteger{7},
                            .home = home,
                            .migratable = true,
                            .index = std::span<const std::int64_t>(index)});
  }
  EntityIndex handler(std::int32_t rank) {
    return entities.intern(
        {.id = WideInteger{static_cast<std::uint64_t>(1 + 4 * rank)}, .home = rank, .migratable = false});
  }
  EntityIndex group(std::uint64_t id, std::uint64_t proxy) {
    return entities.intern(
        {.id = WideInteger{id}, .objgroup_id = WideInteger{proxy}, .home = 0, .migratable = false});
  }
  RecordTables record_tables() const { return {entities, resources, categories}; }
};

void add_task(Tasks& tasks, EntityIndex entity, double time_s, std::vector<double> subphases = {}) {
  tasks.entity.push_back(entity);
  tasks.time_s.push_back(time_s);
  tasks.node.push_back(0);
  tasks.resource.push_back(0);
  for (std::size_t k = 0; k < subphases.size(); ++k) {
    tasks.subphase_id.push_back(static_cast<std::int32_t>(k));
    tasks.subphase_time_s.push_back(subphases[k]);
  }
  tasks.subphase_end.push_back(static_cast<std::uint32_t>(tasks.subphase_id.size()));
}

void add_edge(Communications& edges, EntityIndex from, EntityIndex to, double bytes, std::int64_t messages) {
  edges.from.push_back(from);
  edges.to.push_back(to);
  edges.bytes.push_back(bytes);
  edges.messages.push_back(messages);
  edges.category.push_back(send_recv);
}

RankMetadata vt_metadata() {
  RankMetadata metadata;
  metadata.present = true;
  metadata.type = "LBDatafile";
  metadata.rank = 0;
  metadata.shared_node = {.id = 0, .size = 1, .rank = 0, .num_nodes = 1};
  metadata.phases.emplace();
  return metadata;
}

std::string text_of_file(const std::string& path) {
  support::TextSource source(path, data_file_format);
  std::string text;
  std::string buffer(1 << 16, '\0');
  while (const std::size_t got = source.read(buffer.data(), buffer.size())) text.append(buffer, 0, got);
  return text;
}

// Checks JSON with an independent parser.
void expect_json(const std::string& text) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  EXPECT_EQ(parser.parse(simdjson::padded_string(text)).get(document), simdjson::SUCCESS) << text;
}

// Example from vt's documentation, without white space.
constexpr const char* documented_metadata =
    R"("metadata":{"phases":{"identical_to_previous":{"list":[],"range":[]},"skipped":{"list":[],"range":[]}},)"
    R"("rank":0,"shared_node":{"id":0,"num_nodes":1,"rank":0,"size":1},"type":"LBDatafile"})";
constexpr const char* documented_phase =
    R"({"communications":[{"bytes":160.0,"from":{"collection_id":7,"home":0,"id":262147,"index":[0],)"
    R"("migratable":true,"type":"object"},"messages":1,"to":{"collection_id":7,"home":0,"id":262147,"index":[0],)"
    R"("migratable":true,"type":"object"},"type":"SendRecv"}],"id":0,"tasks":[{"entity":{"collection_id":7,)"
    R"("home":0,"id":262147,"index":[0],"migratable":true,"type":"object"},"node":0,"resource":"cpu",)"
    R"("subphases":[{"id":0,"time":0.00031375000025946065}],"time":0.00031375000025946065},{"entity":{"home":0,)"
    R"("id":1,"migratable":false,"type":"object"},"node":0,"resource":"cpu","subphases":[{"id":0,)"
    R"("time":1.1669999366858974e-06}],"time":1.1669999366858974e-06},{"entity":{"home":0,"id":3145740,)"
    R"("migratable":false,"objgroup_id":786435,"type":"object"},"node":0,"resource":"cpu","time":0.0}]})";

PhaseRecord make_documented_phase(Tables& tables) {
  PhaseRecord phase;
  const EntityIndex element = tables.element(262147, 0, {0});
  add_edge(phase.communications.emplace(), element, element, 160.0, 1);
  add_task(phase.tasks, element, 0.00031375000025946065, {0.00031375000025946065});
  add_task(phase.tasks, tables.handler(0), 1.1669999366858974e-06, {1.1669999366858974e-06});
  add_task(phase.tasks, tables.group(3145740, 786435), 0.0);
  return phase;
}

TEST(Writer, WritesDocumentedVtExampleByteForByte) {
  Tables tables;
  const PhaseRecord phase = make_documented_phase(tables);
  EXPECT_EQ(to_json(phase, tables.record_tables()), documented_phase);
  EXPECT_EQ("\"metadata\":" + to_json(vt_metadata()), documented_metadata);

  const TemporaryFolder folder;
  for (const bool compress : {false, true}) {
    const std::string path = folder / (compress ? "data.0.json.br" : "data.0.json");
    RankWriter writer(path, vt_metadata(), tables.record_tables(), {.compress = compress});
    writer.write(phase);
    writer.close();
    const std::string text = text_of_file(path);
    EXPECT_EQ(text, std::string("{") + documented_metadata + ",\"phases\":[" + documented_phase + "]}");
    EXPECT_EQ(support::TextSource(path, data_file_format).compressed(), compress);
    expect_json(text);
  }
}

TEST(Writer, WritesAllMembersInAlphabeticalOrder) {
  Tables tables;
  const std::vector<std::int64_t> index = {-1, 5000000000};
  const EntityIndex full =
      tables.entities.intern({.type = "a\"b",
                              .id = WideInteger{std::numeric_limits<std::uint64_t>::max()},
                              .seq_id = WideInteger{static_cast<std::uint64_t>(-5), true},
                              .collection_id = WideInteger{7},
                              .objgroup_id = WideInteger{3},
                              .home = -2,
                              .migratable = true,
                              .index = std::span<const std::int64_t>(index)});
  const EntityIndex node = tables.entities.intern({.type = "node", .id = WideInteger{2}});
  const EntityIndex sequential =
      tables.entities.intern({.seq_id = WideInteger{4}, .home = 1, .migratable = false});
  const EntityIndex unindexed =
      tables.entities.intern({.id = WideInteger{6}, .index = std::span<const std::int64_t>()});

  PhaseRecord phase;
  phase.id = 12;
  phase.user_defined = "{ \"z\": 1 }";
  add_task(phase.tasks, full, 1.0);
  add_task(phase.tasks, sequential, 1e6, {0.5, 2.0});
  add_task(phase.tasks, unindexed, std::numeric_limits<double>::quiet_NaN());
  phase.tasks.node[1] = -1;
  phase.tasks.empty_subphases = {2};
  phase.tasks.attributes.add(1, "{\"a\":1}");
  phase.tasks.user_defined.add(0, "{\"u\":[]}");
  phase.tasks.user_defined.add(1, "{}");
  add_edge(phase.communications.emplace(), node, sequential, 0.25, 3);
  add_edge(*phase.communications, sequential, node, 1e20, -1);
  phase.communications->category[1] = 9;
  phase.lb_iterations.emplace(2);
  (*phase.lb_iterations)[1].id = 1;
  (*phase.lb_iterations)[1].communications.emplace();
  add_task((*phase.lb_iterations)[1].tasks, node, 0.5);

  const std::string text = to_json(phase, tables.record_tables());
  EXPECT_EQ(
      text,
      R"({"communications":[)"
      R"({"bytes":0.25,"from":{"id":2,"type":"node"},"messages":3,"to":{"home":1,"migratable":false,"seq_id":4,)"
      R"("type":"object"},"type":"SendRecv"},)"
      R"({"bytes":1e+20,"from":{"home":1,"migratable":false,"seq_id":4,"type":"object"},"messages":-1,)"
      R"("to":{"id":2,"type":"node"},"type":"ReadOnlyShared"}],"id":12,"lb_iterations":[)"
      R"({"id":0,"tasks":[]},{"communications":[],"id":1,"tasks":[{"entity":{"id":2,"type":"node"},"node":0,)"
      R"("resource":"cpu","time":0.5}]}],"tasks":[)"
      R"({"entity":{"collection_id":7,"home":-2,"id":18446744073709551615,"index":[-1,5000000000],)"
      R"("migratable":true,"objgroup_id":3,"seq_id":-5,"type":"a\"b"},"node":0,"resource":"cpu","time":1.0,)"
      R"("user_defined":{"u":[]}},)"
      R"({"attributes":{"a":1},"entity":{"home":1,"migratable":false,"seq_id":4,"type":"object"},"node":-1,)"
      R"("resource":"cpu","subphases":[{"id":0,"time":0.5},{"id":1,"time":2.0}],"time":1000000.0,)"
      R"("user_defined":{}},)"
      R"({"entity":{"id":6,"index":[],"type":"object"},"node":0,"resource":"cpu","subphases":[],"time":null}],)"
      R"("user_defined":{ "z": 1 }})");
  expect_json(text);
}

TEST(Writer, WritesAllMembersOfMetadata) {
  RankMetadata metadata;
  EXPECT_EQ(to_json(metadata), "{}");
  metadata.attributes = "{ \"a\" : 1 }";
  metadata.rank = 3;
  metadata.rank_alpha = 1;
  metadata.shared_node = {.id = 1, .size = 2, .rank = 3, .num_nodes = 4};
  metadata.phases = PhaseMetadata{.count = 10,
                                  .skipped = {.list = {2}, .range = {{3, 4}}},
                                  .identical_to_previous = {.list = {1, 5}, .range = {{8, 9}, {}}}};
  metadata.type = "LBDatafile";
  EXPECT_EQ(to_json(metadata),
            R"({"attributes":{ "a" : 1 },"phases":{"count":10,"identical_to_previous":{"list":[1,5],)"
            R"("range":[[8,9],[]]},"skipped":{"list":[2],"range":[[3,4]]}},"rank":3,"rank_alpha":1.0,)"
            R"("shared_node":{"id":1,"num_nodes":4,"rank":3,"size":2},"type":"LBDatafile"})");
}

TEST(Writer, WritesTextsLongerThanBuffer) {
  Tables tables;
  const std::string long_text = "{\"a\":\"" + std::string(700000, 'x') + "\"}";
  const std::string long_type(300000, 't');
  tables.resources = NameTable({std::string(300000, 'r')});
  const EntityIndex entity = tables.entities.intern({.type = long_type, .id = WideInteger{1}});
  PhaseRecord phase;
  for (std::uint32_t task = 0; task < 3; ++task) {
    add_task(phase.tasks, entity, 0.5);
    phase.tasks.user_defined.add(task, long_text);
  }
  const std::string task = "{\"entity\":{\"id\":1,\"type\":\"" + long_type +
                           "\"},\"node\":0,\"resource\":\"" + tables.resources[0] +
                           "\",\"time\":0.5,\"user_defined\":" + long_text + "}";
  EXPECT_EQ(to_json(phase, tables.record_tables()),
            "{\"id\":0,\"tasks\":[" + task + "," + task + "," + task + "]}");
}

TEST(Writer, WritesTextAcrossBufferBoundaries) {
  Tables tables;
  PhaseRecord phase;
  std::string expected = "{\"id\":0,\"tasks\":[";
  for (std::uint64_t k = 0; k < 30000; ++k) {
    add_task(phase.tasks, tables.element(k << 18 | 3, 0, {static_cast<std::int64_t>(k), 1}), 0.5,
             {0.25, 0.25});
    expected += k == 0 ? "" : ",";
    expected += "{\"entity\":{\"collection_id\":7,\"home\":0,\"id\":" + std::to_string(k << 18 | 3) +
                ",\"index\":[" + std::to_string(k) +
                ",1],\"migratable\":true,\"type\":\"object\"},\"node\":0,\"resource\":\"cpu\"," +
                "\"subphases\":[{\"id\":0,\"time\":0.25},{\"id\":1,\"time\":0.25}],\"time\":0.5}";
  }
  EXPECT_EQ(to_json(phase, tables.record_tables()), expected + "]}");
}

TEST(RankWriter, FlushesEachPhaseAndSupportsGrowingTables) {
  const TemporaryFolder folder;
  Tables tables;
  RankWriter writer(folder / "data.0.json.br", vt_metadata(), tables.record_tables());
  PhaseRecord phase = make_documented_phase(tables);
  writer.write(phase);
  std::string buffer(100000, '\0');
  support::TextSource source(folder / "data.0.json.br.partial", data_file_format);
  const std::string so_far(buffer.data(), source.read(buffer.data(), buffer.size()));
  EXPECT_TRUE(so_far.ends_with(documented_phase));

  phase = PhaseRecord();
  phase.id = 1;
  add_task(phase.tasks, tables.entities.intern({.type = "new", .id = WideInteger{9}}), 2.0);
  phase.tasks.resource[0] = tables.resources.intern("gpu");
  writer.write(phase);
  writer.close();
  const std::string text = text_of_file(folder / "data.0.json.br");
  EXPECT_EQ(
      text,
      so_far +
          R"(,{"id":1,"tasks":[{"entity":{"id":9,"type":"new"},"node":0,"resource":"gpu","time":2.0}]}]})");
}

TEST(RankWriter, AcceptsPhasesAsText) {
  const TemporaryFolder folder;
  Tables tables;
  std::vector<PhaseRecord> phases = {make_documented_phase(tables), PhaseRecord{}, PhaseRecord{}};
  phases[1].id = 1;
  phases[2].id = 2;
  phases[2].user_defined = "{\"a\":\"" + std::string(700000, 'x') + "\"}";  // longer than the buffer
  for (const bool compress : {false, true}) {
    RankWriter records(folder / "records", vt_metadata(), tables.record_tables(),
                       {.compress = compress, .overwrite = true});
    RankWriter texts(folder / "texts", vt_metadata(), tables.record_tables(),
                     {.compress = compress, .overwrite = true});
    for (const PhaseRecord& phase : phases) {
      records.write(phase);
      texts.write_json(to_json(phase, tables.record_tables()));
      EXPECT_EQ(std::filesystem::file_size(folder / "texts.partial"),
                std::filesystem::file_size(folder / "records.partial"));  // both have flushed the phase
    }
    records.close();
    texts.close();
    EXPECT_EQ(text_of_file(folder / "texts"), text_of_file(folder / "records"));
    EXPECT_TRUE(folder.read("texts") == folder.read("records")) << "compress " << compress;
  }
}

TEST(RankWriter, AvoidsCompressedFilesWhoseLastByteVtLoses) {
  const TemporaryFolder folder;
  const Tables tables;
  const std::string begin = R"({"phases":[)";
  for (const std::size_t size : {65'535U, 65'536U, 65'537U, 65'538U, 131'073U})
    for (const bool compress : {false, true}) {
      RankWriter writer(folder / "x", {}, tables.record_tables(), {.compress = compress, .overwrite = true});
      writer.write_json(std::string(size - begin.size() - 2, ' '));
      writer.close();
      const std::string text = text_of_file(folder / "x");
      EXPECT_EQ(text.size(), size + (compress && size % 65'536 == 1 ? 1 : 0));
      EXPECT_EQ(text.substr(size - 2), text.size() == size ? "]}" : "]}\n");
    }
}

TEST(RankWriter, PlacesMetadataFirstOrLast) {
  const TemporaryFolder folder;
  const Tables tables;
  const auto text_with = [&](RankMetadata metadata, bool last) {
    const WriteOptions options = {.compress = false, .overwrite = true, .metadata_last = last};
    RankWriter writer(folder / "x", std::move(metadata), tables.record_tables(), options);
    if (last) {
      RankMetadata known_at_the_end;
      known_at_the_end.present = true;
      known_at_the_end.rank = 4;
      writer.set_metadata(known_at_the_end);
    }
    writer.close();
    return folder.read("x");
  };
  RankMetadata metadata;
  EXPECT_EQ(text_with(metadata, false), R"({"phases":[]})");
  metadata.top_level_type = "LBDatafile";
  EXPECT_EQ(text_with(metadata, false), R"({"phases":[],"type":"LBDatafile"})");
  metadata.present = true;
  EXPECT_EQ(text_with(metadata, false), R"({"metadata":{},"phases":[],"type":"LBDatafile"})");
  EXPECT_EQ(text_with(metadata, true), R"({"type":"LBDatafile","phases":[],"metadata":{"rank":4}})");
}

Dataset small_dataset(std::size_t ranks) {
  Tables tables;
  Dataset dataset;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    dataset.ranks.emplace_back();
    dataset.ranks.back().metadata = vt_metadata();
    dataset.ranks.back().metadata.rank = static_cast<std::int64_t>(rank);
    dataset.ranks.back().phases.push_back(make_documented_phase(tables));
  }
  dataset.entities = std::move(tables.entities);
  dataset.resources = tables.resources;
  return dataset;
}

TEST(WriteDataset, WritesSameFilesWithAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const Dataset dataset = small_dataset(9);
  write(dataset, folder / "one/deep", "data", {}, 1);
  write(dataset, folder / "four", "data", {}, 4);
  for (int rank = 0; rank < 9; ++rank) {
    const std::string name = "/data." + std::to_string(rank) + ".json.br";
    EXPECT_EQ(folder.read("one/deep" + name), folder.read("four" + name));
    EXPECT_THAT(text_of_file(folder / ("four" + name)),
                ::testing::HasSubstr("\"rank\":" + std::to_string(rank)));
  }
}

TEST(WriteDataset, ReproducesFilesOfGeneratorAndVtByteForByte) {
  for (const std::string& original :
       plimsoll::testing::own_and_real({"lb/generated"}, {"data/lb/nolb-8color-16nodes-11firstphases"})) {
    SCOPED_TRACE(original);
    const TemporaryFolder folder;
    const std::vector<RankFile> files = find_rank_files({original});
    write(read(files).dataset, folder.path(), "data");
    for (const RankFile& file : files) {
      const std::string text = text_of_file(rank_file_path(folder.path(), "data", file.rank, true));
      EXPECT_TRUE(text == text_of_file(file.path)) << "rank " << file.rank;
    }
  }
}

TEST(WriteDataset, NeverMixesTwoDataSets) {
  const TemporaryFolder folder;
  write(small_dataset(4), folder.path(), "data", {.compress = false});
  EXPECT_ERROR(write(small_dataset(2), folder.path(), "data"), usage, "already contains a data set \"data\"");
  EXPECT_FALSE(folder.has("data.0.json.br"));
  write(small_dataset(1), folder.path(), "other", {.compress = false});

  write(small_dataset(2), folder.path(), "data", {.overwrite = true});
  EXPECT_TRUE(folder.has("data.0.json.br"));
  EXPECT_TRUE(folder.has("data.1.json.br"));
  EXPECT_FALSE(folder.has("data.0.json"));
  EXPECT_FALSE(folder.has("data.3.json"));
  EXPECT_TRUE(folder.has("other.0.json"));
}

TEST(WriteDataset, RejectsInvalidArguments) {
  const TemporaryFolder folder;
  folder.write("file", "");
  EXPECT_ERROR(write(small_dataset(1), folder / "file", "data"), system, "cannot");
  EXPECT_ERROR(write(small_dataset(1), folder.path(), "a/b"), usage, "invalid base \"a/b\" for file names");
  EXPECT_ERROR(write(small_dataset(1), folder.path(), ""), usage, "invalid base \"\" for file names");
  EXPECT_ERROR(write(small_dataset(1), folder.path(), "data", {.quality = 99}), usage, "brotli quality: 99");
}

/// Limits the size of files during its lifetime, to simulate a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST(WriteDataset, KeepsOldDataSetWhenDiskIsFull) {
  const TemporaryFolder folder;
  Dataset old_set;
  old_set.ranks.resize(3);
  write(old_set, folder.path(), "data", {.compress = false});
  const std::string old_text = folder.read("data.0.json");

  Dataset new_set = old_set;
  for (RankData& rank : new_set.ranks) rank.metadata.top_level_type = "LBDatafile";
  new_set.ranks[2].phases.resize(1);
  new_set.ranks[2].phases[0].user_defined = "{\"k\":\"" + std::string(100000, 'x') + "\"}";
  {
    const FileSizeLimit limit(50000);
    EXPECT_ERROR(write(new_set, folder.path(), "data", {.compress = false, .overwrite = true}), system,
                 "data.2.json");
  }
  for (const char* name : {"data.0.json", "data.1.json", "data.2.json"}) {
    EXPECT_EQ(folder.read(name), old_text);
    EXPECT_FALSE(folder.has(std::string(name) + ".partial"));
  }
  write(new_set, folder.path(), "data", {.compress = false, .overwrite = true});
  EXPECT_NE(folder.read("data.0.json"), old_text);
}

}  // namespace
}  // namespace plimsoll::lbdata
