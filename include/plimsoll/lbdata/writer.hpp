#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Tables that the indices of records refer to. They may grow between records, but must outlive the owner of
/// this struct.
struct RecordTables {
  RecordTables(const EntityTable& entity_table, const NameTable& resource_names,
               const NameTable& category_names)
      : entities(entity_table), resources(resource_names), categories(category_names) {}
  explicit RecordTables(const Dataset& dataset)
      : RecordTables(dataset.entities, dataset.resources, dataset.categories) {}

  const EntityTable& entities;
  const NameTable& resources;
  const NameTable& categories;
};

/// Options for writing LB data files.
struct WriteOptions {
  bool compress = true;    ///< whether to compress with brotli
  int quality = 4;         ///< brotli quality, 0 (fast) to 11 (small); vt uses 8
  int window = 20;         ///< brotli window, log2 of bytes
  bool overwrite = false;  ///< whether existing files may be replaced
  /// Whether `metadata` follows `phases`, so that it can contain data known only at the end.
  bool metadata_last = false;
};

/// Writer of the LB data file of one rank, phase by phase, in vt's format: compact JSON with the members of
/// every object in byte-wise alphabetical order. Absent members are omitted, `metadata` precedes `phases`,
/// and users' JSON is unchanged. The file grows as `PATH.partial` and gets its name when closed.
///
///     RankWriter writer("data.0.json.br", metadata, RecordTables(dataset), {});
///     for (const PhaseRecord& phase : phases) writer.write(phase);
///     writer.close();
class RankWriter {
 public:
  /// Creates the file. Throws Error (usage) if the file exists and may not be overwritten, or if brotli does
  /// not support the quality or window. Throws Error (system) if the file cannot be created.
  RankWriter(std::string path, RankMetadata metadata, const RecordTables& tables,
             const WriteOptions& options = {});
  /// Writes into an open file, such as a file of a support::OutputSet.
  RankWriter(support::OutputFile file, RankMetadata metadata, const RecordTables& tables, bool metadata_last);
  RankWriter(RankWriter&&) noexcept;
  RankWriter& operator=(RankWriter&&) noexcept;
  ~RankWriter();

  /// Appends one phase and flushes the file, so that the phase can be recovered if the program is killed.
  /// Throws Error (system) if writing fails.
  void write(const PhaseRecord& phase);
  /// Appends one phase that is already JSON text, as returned by to_json(). Flushes like write().
  void write_json(std::string_view phase);
  /// Appends one phase with tables other than the writer's, and flushes the file. Extra cost: O(families).
  void write(const PhaseRecord& phase, const RecordTables& tables);
  /// Replaces the metadata. Has an effect only with `metadata_last`; otherwise, the metadata are already
  /// written.
  void set_metadata(RankMetadata metadata);
  /// Completes the file and gives it its name. Throws Error like support::OutputFile::close().
  void close();

  /// Completes the file like support::OutputFile::finish() or end().
  void finish();
  void end();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Creates the file that a RankWriter with these options would create, so that the caller can start writing
/// later. Throws Error like RankWriter.
support::OutputFile create_rank_file(std::string path, const WriteOptions& options);

/// Writes all ranks as `DIR/BASE.<rank>.json[.br]`, with up to `threads` threads (0: one per processor).
/// Creates a missing directory. The bytes do not depend on the number of threads.
///
/// The files get their names, rank by rank, after all of them are written and on the disk
/// (support::OutputSet::publish()). If writing fails, an existing data set stays complete, even if
/// overwriting is allowed.
///
/// Throws Error (usage), before anything is written, if the directory contains files of that base or their
/// `.partial` files and overwriting is not allowed. Throws Error (system) if writing fails. With overwriting,
/// write() finally removes other files of that base, for example of higher ranks, because they would be read
/// as part of the new data set.
void write(const Dataset& dataset, const std::string& folder, const std::string& base,
           const WriteOptions& options = {}, unsigned threads = 0,
           support::Progress& progress = support::Progress::none());

/// Passes one phase, formatted as in a file, to a sink in pieces of up to 256 KiB.
void emit_json(const PhaseRecord& phase, const RecordTables& tables,
               const std::function<void(std::string_view)>& sink);
/// Formats the phase as in a file.
std::string to_json(const PhaseRecord& phase, const RecordTables& tables);
/// Formats the value of `metadata`; an empty object if no member is set.
std::string to_json(const RankMetadata& metadata);

}  // namespace plimsoll::lbdata
