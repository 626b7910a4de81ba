#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/json_text.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "lbdata/writing/data_set_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

/// Constant parts of the JSON text of all entities of a family. A piece before an absent member is empty.
struct FamilyTexts {
  std::string before_home;    ///< {"collection_id":7,"home":
  std::string before_id;      ///< ,"id":
  std::string before_index;   ///< ,"index":[
  std::string before_seq_id;  ///< ],"migratable":true,"seq_id":
  std::string tail;           ///< for example ],"migratable":true,"type":"object"}
  std::size_t room = 0;       ///< upper bound for an entity's text without index and tail
};

std::string json_string(std::string_view text) {
  std::string output;
  support::append_json_string(output, text);
  return output;
}

// Builds the pieces in the alphabetical order of the members, as vt writes them.
FamilyTexts make_family(const EntityFamily& family) {
  FamilyTexts texts;
  std::string piece = "{";
  const auto add_key = [&piece](std::string_view key) {
    if (piece != "{") piece += ',';
    piece += '"';
    piece += key;
    piece += "\":";
  };
  const auto cut = [&](std::string& to) {
    texts.room += piece.size() + support::TextBuffer::number_room;
    to = std::exchange(piece, {});
  };

  if (family.has_collection_id) add_key("collection_id"), piece += to_string(family.collection_id);
  if (family.has_home) add_key("home"), cut(texts.before_home);
  if (family.has_id) add_key("id"), cut(texts.before_id);
  if (family.has_index) {
    add_key("index");
    piece += '[';
    cut(texts.before_index);
    piece = "]";
  }
  if (family.has_migratable) add_key("migratable"), piece += family.migratable ? "true" : "false";
  if (family.has_objgroup_id) add_key("objgroup_id"), piece += to_string(family.objgroup_id);
  if (family.has_seq_id) add_key("seq_id"), cut(texts.before_seq_id);
  add_key("type");
  texts.tail = piece + json_string(family.type) + '}';
  return texts;
}

void append_phase_numbers(support::JsonWriter& json, const PhaseNumbers& numbers) {
  json.begin_object().key("list").values(numbers.list).key("range").begin_array();
  for (const std::vector<std::int64_t>& range : numbers.range) json.values(range);
  json.end_array().end_object();
}

// Buffer space that is enough for the constant pieces and numbers between two entities, names or user-defined
// texts.
constexpr std::size_t record_room = 256;

// Cursor through a column of texts and the rows to which they belong.
class TextCursor {
 public:
  explicit TextCursor(const TextColumn& column) : column_(column) {}
  /// Returns the text of a row, empty if it has none; rows must ascend.
  std::string_view next(std::size_t row) {
    if (entry_ == column_.size() || column_.row(entry_) != row) return {};
    return column_.text(entry_++);
  }

 private:
  const TextColumn& column_;
  std::size_t entry_ = 0;
};

void put_number(support::TextBuffer& buffer, WideInteger number) {
  if (number.negative) {
    buffer.put_integer(static_cast<std::int64_t>(number.bits));
  } else {
    buffer.put_integer(number.bits);
  }
}

/// Recurring parts of records as JSON text, built once per table entry.
class RecordTexts {
 public:
  explicit RecordTexts(const RecordTables& tables) : tables_(tables) { update(); }

  /// Processes new table entries, if any.
  void update() {
    while (families_.size() < tables_.entities.family_count()) {
      families_.push_back(
          make_family(tables_.entities.family_at(static_cast<std::uint32_t>(families_.size()))));
    }
    while (resources_.size() < tables_.resources.size()) {
      resources_.push_back(",\"resource\":" +
                           json_string(tables_.resources[static_cast<std::uint8_t>(resources_.size())]));
    }
    while (categories_.size() < tables_.categories.size()) {
      categories_.push_back(
          ",\"type\":" + json_string(tables_.categories[static_cast<std::uint8_t>(categories_.size())]) +
          '}');
    }
  }

  const EntityTable& entities() const { return tables_.entities; }
  const FamilyTexts& family(EntityIndex entity) const {
    return families_[tables_.entities.family_number(entity)];
  }
  const std::string& resource(std::uint8_t number) const { return resources_[number]; }
  const std::string& category(std::uint8_t number) const { return categories_[number]; }

 private:
  RecordTables tables_;
  std::vector<FamilyTexts> families_;
  std::vector<std::string> resources_;   // ,"resource":"cpu"
  std::vector<std::string> categories_;  // ,"type":"SendRecv"}
};

/// Converts records to JSON text, with members in alphabetical order. Part of the text may remain in the
/// buffer until it is flushed.
class RecordEmitter {
 public:
  /// Requires that both arguments outlive the emitter.
  RecordEmitter(const RecordTexts& texts, support::TextBuffer& buffer) : texts_(texts), buffer_(buffer) {}

  void emit(const PhaseRecord& phase) {
    emit_work(phase, phase.lb_iterations ? &*phase.lb_iterations : nullptr);
  }

 private:
  void emit_work(const WorkRecord& record, const std::vector<WorkRecord>* iterations) {
    buffer_.append("{");
    if (record.communications) {
      emit_communications(*record.communications);
      buffer_.append(",");
    }
    buffer_.make_room(record_room);
    buffer_.put("\"id\":");
    buffer_.put_integer(record.id);
    if (iterations != nullptr) {
      buffer_.append(",\"lb_iterations\":[");
      for (std::size_t k = 0; k < iterations->size(); ++k) {
        if (k > 0) buffer_.append(",");
        emit_work((*iterations)[k], nullptr);
      }
      buffer_.append("]");
    }
    emit_tasks(record.tasks);
    if (record.user_defined) {
      buffer_.append(",\"user_defined\":");
      buffer_.append(*record.user_defined);
    }
    buffer_.append("}");
  }

  void emit_tasks(const Tasks& tasks) {
    TextCursor attributes(tasks.attributes);
    TextCursor user_defined(tasks.user_defined);
    auto empty_subphases = tasks.empty_subphases.begin();
    buffer_.append(",\"tasks\":[");
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      buffer_.append(task == 0 ? "{" : ",{");
      if (const std::string_view text = attributes.next(task); !text.empty()) {
        buffer_.append("\"attributes\":");
        buffer_.append(text);
        buffer_.append(",");
      }
      buffer_.append("\"entity\":");
      emit_entity(tasks.entity[task]);
      buffer_.make_room(record_room);
      buffer_.put(",\"node\":");
      buffer_.put_integer(tasks.node[task]);
      buffer_.append(texts_.resource(tasks.resource[task]));
      buffer_.make_room(record_room);
      if (tasks.subphase_end[task] > tasks.subphase_begin(task)) {
        emit_subphases(tasks, task);
      } else if (empty_subphases != tasks.empty_subphases.end() && *empty_subphases == task) {
        buffer_.put(",\"subphases\":[]");
        ++empty_subphases;
      }
      buffer_.make_room(record_room);
      buffer_.put(",\"time\":");
      buffer_.put_double(tasks.time_s[task]);
      if (const std::string_view text = user_defined.next(task); !text.empty()) {
        buffer_.append(",\"user_defined\":");
        buffer_.append(text);
      }
      buffer_.append("}");
    }
    buffer_.append("]");
  }

  void emit_subphases(const Tasks& tasks, std::size_t task) {
    buffer_.put(",\"subphases\":[");
    const std::uint32_t begin = tasks.subphase_begin(task);
    for (std::uint32_t subphase = begin; subphase < tasks.subphase_end[task]; ++subphase) {
      buffer_.make_room(record_room);
      buffer_.put(subphase == begin ? "{\"id\":" : ",{\"id\":");
      buffer_.put_integer(tasks.subphase_id[subphase]);
      buffer_.put(",\"time\":");
      buffer_.put_double(tasks.subphase_time_s[subphase]);
      buffer_.put("}");
    }
    buffer_.append("]");
  }

  void emit_communications(const Communications& communications) {
    buffer_.append("\"communications\":[");
    for (std::size_t edge = 0; edge < communications.size(); ++edge) {
      buffer_.make_room(record_room);
      buffer_.put(edge == 0 ? "{\"bytes\":" : ",{\"bytes\":");
      buffer_.put_double(communications.bytes[edge]);
      buffer_.put(",\"from\":");
      emit_entity(communications.from[edge]);
      buffer_.make_room(record_room);
      buffer_.put(",\"messages\":");
      buffer_.put_integer(communications.messages[edge]);
      buffer_.put(",\"to\":");
      emit_entity(communications.to[edge]);
      buffer_.append(texts_.category(communications.category[edge]));
    }
    buffer_.append("]");
  }

  void emit_entity(EntityIndex entity) {
    const EntityTable& entities = texts_.entities();
    const FamilyTexts& family = texts_.family(entity);
    buffer_.make_room(family.room);
    if (!family.before_home.empty()) {
      buffer_.put(family.before_home);
      buffer_.put_integer(entities.home(entity));
    }
    if (!family.before_id.empty()) {
      buffer_.put(family.before_id);
      put_number(buffer_, entities.number(entity));
    }
    if (!family.before_index.empty()) {
      buffer_.put(family.before_index);
      emit_index(entities.index(entity));
      buffer_.make_room(family.room);
    }
    if (!family.before_seq_id.empty()) {
      buffer_.put(family.before_seq_id);
      put_number(buffer_, entities.seq_id(entity));
    }
    buffer_.append(family.tail);
  }

  void emit_index(const IndexTuple& index) {
    for (std::size_t k = 0; k < index.size(); ++k) {
      buffer_.make_room(support::TextBuffer::number_room + 1);
      if (k > 0) buffer_.put(",");
      buffer_.put_integer(index[k]);
    }
  }

  const RecordTexts& texts_;
  support::TextBuffer& buffer_;
};

// Text of one rank's file, from its opening to its closing bracket.
class RankText {
 public:
  RankText(support::OutputFile file, RankMetadata metadata, const RecordTexts& texts, bool metadata_last)
      : file_(std::move(file)),
        buffer_([this](std::string_view text) { file_.write(text); }),
        emitter_(texts, buffer_),
        metadata_(std::move(metadata)),
        metadata_last_(metadata_last) {
    buffer_.append("{");
    const std::string first = metadata_last_ ? type_member() : metadata_member();
    buffer_.append(first);
    if (!first.empty()) buffer_.append(",");
    buffer_.append("\"phases\":[");
  }

  void add(const PhaseRecord& phase) {
    separate();
    emitter_.emit(phase);
  }
  void add(const PhaseRecord& phase, const RecordTexts& texts) {
    separate();
    RecordEmitter(texts, buffer_).emit(phase);
  }
  void add_json(std::string_view phase) {
    separate();
    buffer_.append(phase);
  }

  void flush() {
    buffer_.drain();
    file_.flush();
  }

  /// Completes the text, and returns its file.
  support::OutputFile& end() {
    buffer_.append("]");
    const std::string last = metadata_last_ ? metadata_member() : type_member();
    if (!last.empty()) buffer_.append(",");
    buffer_.append(last);
    buffer_.append("}");
    buffer_.drain();
    // vt 1.6 decompresses 64 KiB at a time, and loses the last byte if it is alone in this buffer.
    constexpr std::uint64_t vt_buffer_bytes = 65'536;
    if (file_.is_compressed() && file_.text_bytes() % vt_buffer_bytes == 1) file_.write("\n");
    return file_;
  }

  void set_metadata(RankMetadata metadata) { metadata_ = std::move(metadata); }

 private:
  void separate() {
    if (has_phase_) buffer_.append(",");
    has_phase_ = true;
  }

  std::string metadata_member() const {
    return metadata_.present ? "\"metadata\":" + to_json(metadata_) : "";
  }

  std::string type_member() const {
    std::string text;
    if (metadata_.top_level_type) {
      text = "\"type\":";
      support::append_json_string(text, *metadata_.top_level_type);
    }
    return text;
  }

  support::OutputFile file_;
  support::TextBuffer buffer_;
  RecordEmitter emitter_;
  RankMetadata metadata_;
  bool metadata_last_;
  bool has_phase_ = false;
};

}  // namespace

std::string to_json(const RankMetadata& metadata) {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object();
  if (metadata.attributes) json.key("attributes").raw(*metadata.attributes);
  if (const auto& phases = metadata.phases) {
    json.key("phases").begin_object();
    if (phases->count) json.member("count", *phases->count);
    json.key("identical_to_previous");
    append_phase_numbers(json, phases->identical_to_previous);
    json.key("skipped");
    append_phase_numbers(json, phases->skipped);
    json.end_object();
  }
  if (metadata.rank) json.member("rank", *metadata.rank);
  if (metadata.rank_alpha) json.member("rank_alpha", *metadata.rank_alpha);
  if (const auto& node = metadata.shared_node) {
    json.key("shared_node").begin_object();
    json.member("id", node->id).member("num_nodes", node->num_nodes);
    json.member("rank", node->rank).member("size", node->size);
    json.end_object();
  }
  if (metadata.type) json.member("type", *metadata.type);
  json.end_object();
  return text;
}

struct RankWriter::Implementation {
  Implementation(support::OutputFile file, RankMetadata metadata, const RecordTables& tables,
                 bool metadata_last)
      : texts(tables), text(std::move(file), std::move(metadata), texts, metadata_last) {
    text.flush();
  }

  RecordTexts texts;
  RankText text;
};

RankWriter::RankWriter(std::string path, RankMetadata metadata, const RecordTables& tables,
                       const WriteOptions& options)
    : RankWriter(create_rank_file(std::move(path), options), std::move(metadata), tables,
                 options.metadata_last) {}
RankWriter::RankWriter(support::OutputFile file, RankMetadata metadata, const RecordTables& tables,
                       bool metadata_last)
    : implementation_(
          std::make_unique<Implementation>(std::move(file), std::move(metadata), tables, metadata_last)) {}
RankWriter::RankWriter(RankWriter&&) noexcept = default;
RankWriter& RankWriter::operator=(RankWriter&&) noexcept = default;
RankWriter::~RankWriter() = default;

void RankWriter::write(const PhaseRecord& phase) {
  implementation_->texts.update();
  implementation_->text.add(phase);
  implementation_->text.flush();
}
void RankWriter::write(const PhaseRecord& phase, const RecordTables& tables) {
  implementation_->text.add(phase, RecordTexts(tables));
  implementation_->text.flush();
}
void RankWriter::write_json(std::string_view phase) {
  implementation_->text.add_json(phase);
  implementation_->text.flush();
}
void RankWriter::set_metadata(RankMetadata metadata) {
  implementation_->text.set_metadata(std::move(metadata));
}
void RankWriter::close() {
  implementation_->text.end().close();
}
void RankWriter::finish() {
  implementation_->text.end().finish();
}
void RankWriter::end() {
  implementation_->text.end().end();
}

support::OutputFile create_rank_file(std::string path, const WriteOptions& options) {
  return support::OutputFile(std::move(path), output_options(options));
}

std::string to_json(const PhaseRecord& phase, const RecordTables& tables) {
  std::string text;
  emit_json(phase, tables, [&text](std::string_view piece) { text += piece; });
  return text;
}

void emit_json(const PhaseRecord& phase, const RecordTables& tables,
               const std::function<void(std::string_view)>& sink) {
  support::TextBuffer buffer(sink);
  const RecordTexts texts(tables);
  RecordEmitter(texts, buffer).emit(phase);
  buffer.drain();
}

void write(const Dataset& dataset, const std::string& folder, const std::string& base,
           const WriteOptions& options, unsigned threads, support::Progress& progress) {
  const RecordTexts texts{RecordTables(dataset)};
  write_data_set(folder, base, dataset.ranks.size(), options, threads, progress,
                 [&](std::size_t rank, support::OutputFile file) {
                   const RankData& data = dataset.ranks[rank];
                   RankText text(std::move(file), data.metadata, texts, options.metadata_last);
                   for (const PhaseRecord& phase : data.phases) text.add(phase);
                   text.end().finish();
                 });
}

}  // namespace plimsoll::lbdata
