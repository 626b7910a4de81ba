#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// The tables that the indices of records refer to. They may grow between records, but must outlive who
/// holds this.
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

/// How LB data files are written.
struct WriteOptions {
  bool compress = true;        ///< as brotli
  int quality = 4;             ///< of brotli, 0 (fast) to 11 (small); vt takes 8
  int window = 20;             ///< of brotli, log2 of bytes
  bool overwrite = false;      ///< whether existing files may be replaced
  bool metadata_last = false;  ///< `metadata` after `phases`: what is only known at the end
};

/// Writes the LB data file of one rank phase by phase, in the form vt writes: compact JSON with the members
/// of every object in byte-wise alphabetical order, absent members left out, `metadata` before `phases`,
/// users' JSON as it was. The file grows under `PATH.partial` and gets its name when closed.
///
///     RankWriter writer("data.0.json.br", metadata, RecordTables(dataset), {});
///     for (const PhaseRecord& phase : phases) writer.write(phase);
///     writer.close();
class RankWriter {
 public:
  /// Throws Error: usage if the file exists and may not be overwritten or brotli has no such quality or
  /// window, system if it cannot be made.
  RankWriter(std::string path, RankMetadata metadata, const RecordTables& tables,
             const WriteOptions& options = {});
  /// Writes into a file that is open, such as one of a support::OutputSet.
  RankWriter(support::OutputFile file, RankMetadata metadata, const RecordTables& tables, bool metadata_last);
  RankWriter(RankWriter&&) noexcept;
  RankWriter& operator=(RankWriter&&) noexcept;
  ~RankWriter();

  /// Appends a phase and flushes: if the program is killed, the phase can be recovered.
  /// Throws Error (system) if writing fails.
  void write(const PhaseRecord& phase);
  /// Appends a phase that is JSON text already, as to_json() gives it; flushes like write().
  void write_json(std::string_view phase);
  /// Appends a phase of other tables than those the writer was made with; flushes likewise. O(families) more.
  void write(const PhaseRecord& phase, const RecordTables& tables);
  /// Replaces the metadata that a file with `metadata_last` will end with.
  void set_metadata(RankMetadata metadata);
  /// Ends the file and gives it its name. Throws Error as support::OutputFile::close().
  void close();

  /// Ends the file as support::OutputFile::finish() or end() do.
  void finish();
  void end();

  /// JSON text written so far, and bytes of the file.
  std::uint64_t text_bytes() const;
  std::uint64_t file_bytes() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// The file that a RankWriter of these options writes, for one that begins later. Throws Error as RankWriter.
support::OutputFile create_rank_file(std::string path, const WriteOptions& options);

/// Writes all ranks as `FOLDER/BASE.<rank>.json[.br]`, on up to `threads` threads (0: one per processor). The
/// folder is made if it is not there. The same bytes for every number of threads.
///
/// All or nothing: the files get their names, rank by rank, when the last of them is written and on the disk
/// (support::OutputSet::publish()). An existing data set stays whole if this fails, even where it is
/// overwritten.
///
/// Throws Error: usage, before anything is written, if the folder has files of that base or their `.partial`
/// and overwriting is not allowed; system if writing fails. If it is allowed, files of that base that do not
/// belong to the new data set (of higher ranks, say) are removed at the end, since they would be taken for
/// part of it.
void write(const Dataset& dataset, const std::string& folder, const std::string& base,
           const WriteOptions& options = {}, unsigned threads = 0,
           support::Progress& progress = support::Progress::none());

/// Gives a phase as it stands in a file to a sink, in pieces of up to 256 KiB.
void emit_json(const PhaseRecord& phase, const RecordTables& tables,
               const std::function<void(std::string_view)>& sink);
/// Appends a phase as it stands in a file.
void append_json(std::string& text, const PhaseRecord& phase, const RecordTables& tables);
/// A phase as it stands in a file.
std::string to_json(const PhaseRecord& phase, const RecordTables& tables);
/// The value of `metadata`; an empty object if it says nothing.
std::string to_json(const RankMetadata& metadata);

}  // namespace plimsoll::lbdata
