#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "lbdata/writing/data_set_folder.hpp"
#include "lbdata/writing/record_emitter.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

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

namespace fs = std::filesystem;

void check_base(const std::string& base) {
  if (!base.empty() && base.find('/') == std::string::npos) return;
  throw support::usage_error(
      fmt::format("invalid base {} for file names: expected a name without \"/\"", support::in_quotes(base)),
      "specify the directory separately, and use a base such as \"data\"");
}

/// Returns files that killed programs left for this base. They do not belong to the data set being written.
std::vector<std::string> remains_of(const std::string& folder, const std::string& base) {
  std::vector<std::string> remains;
  support::for_each_entry(folder, [&](const fs::directory_entry& entry) {
    const fs::path& path = entry.path();
    const bool is_remains =
        path.extension() == ".partial" || path.extension() == ".pending" || path.extension() == ".unfinished";
    if (is_remains && set_name(path.string()) == base) remains.push_back(path.string());
  });
  std::ranges::sort(remains);
  return remains;
}

}  // namespace

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

void write_data_set(const std::string& folder, const std::string& base, std::size_t ranks,
                    const WriteOptions& options, unsigned threads, support::Progress& progress,
                    const std::function<void(std::size_t, support::OutputFile)>& write_rank) {
  check_base(base);
  support::OutputSet files(folder, options.overwrite, base);
  const std::vector<RankFile> old_files = files_of_base(folder, base);
  if (!old_files.empty() && !options.overwrite) {
    throw support::usage_error(fmt::format("already contains a data set {}", support::in_quotes(base)),
                               folder, "use another directory or base, or allow overwriting");
  }

  const auto name_of = [&](std::size_t rank) {
    const fs::path path = rank_file_path(folder, base, static_cast<std::int64_t>(rank), options.compress);
    return path.filename().string();
  };
  for (std::size_t rank = 0; rank < ranks; ++rank) files.check(name_of(rank), output_options(options));
  const auto supersede = [&](const std::string& path) {
    if (const auto file = support::identity(path)) files.supersede(path, *file);
  };
  for (const std::string& path : remains_of(folder, base)) {
    supersede(path);
    const fs::path name = fs::path(path).filename();
    if (name.extension() == ".partial") files.check(name.stem().string(), output_options(options));
  }

  progress.begin("writing", ranks, "files");
  support::parallel_for(ranks, threads, [&](std::size_t rank) {
    write_rank(rank, files.create(name_of(rank), output_options(options)));
    progress.advance(1);
  });
  const std::set<std::string> written(files.paths().begin(), files.paths().end());
  for (const RankFile& file : old_files)
    if (!written.contains(file.path)) supersede(file.path);
  files.publish();
  progress.end();
}

}  // namespace plimsoll::lbdata
