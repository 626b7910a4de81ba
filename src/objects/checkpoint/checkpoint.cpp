#include "objects/checkpoint/checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/output_file.hpp>

#include "objects/checkpoint/checkpoint_format.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

using checkpoint_format::FileSummary;

namespace {

/// Locks the directory, and makes room for a new checkpoint.
support::FolderLock prepare_folder(const std::string& folder) {
  support::make_folder(folder);
  support::FolderLock lock(folder,
                           {.name = "checkpoint", .may_have_threads = mpi::Environment::allows_threads()});
  if (lock.is_certain()) remove_unlisted_files(folder);
  return lock;
}

/// Returns an ID that no other checkpoint has, so that new files never replace files of an old checkpoint.
std::uint64_t random_id() {
  std::random_device device;
  return std::uniform_int_distribution<std::uint64_t>()(device);
}

std::vector<FileSummary> gather_summaries(const mpi::Communicator& communicator, const FileSummary& mine) {
  std::vector<FileSummary> files;
  mpi::gather(communicator, std::as_bytes(std::span(&mine, 1)), 0,
              [&](int, std::span<const std::byte> bytes) {
                std::memcpy(&files.emplace_back(), bytes.data(), sizeof(FileSummary));
              });
  return files;
}

/// Identifies the layout of the description and of the elements' states, which may change without the files
/// around them.
constexpr std::uint32_t layout = 2;
constexpr std::int64_t max_phase = std::int64_t{1} << 62;  // so that later phases do not overflow

Error unknown_layout(const std::string& folder) {
  return support::bad_input(
      "the checkpoint was written by another version of Plimsoll, or not by ObjectSystem", folder,
      "use the version of Plimsoll that wrote the checkpoint");
}

/// Limits what a rank receives in one step if all others send to it.
constexpr std::size_t bytes_per_step = std::size_t{16} << 20;

}  // namespace

CheckpointWriter::CheckpointWriter(const mpi::Communicator& communicator, std::string folder,
                                   std::span<const std::byte> description)
    : communicator_(communicator),
      folder_(std::move(folder)),
      description_(description.begin(), description.end()) {
  mpi::agreed(communicator_, [&] {
    if (communicator_.rank() != 0) return;
    lock_ = prepare_folder(folder_);
    checkpoint_ = random_id();
  });
  mpi::broadcast(communicator_, std::as_writable_bytes(std::span(&checkpoint_, 1)), 0);
  const auto number = static_cast<std::uint32_t>(communicator_.rank());
  mpi::agreed(communicator_, [&] { file_.emplace(folder_, checkpoint_, number); });
}

CheckpointWriter::~CheckpointWriter() {
  if (!may_be_listed_) ::unlink(file_->path().c_str());
}

void CheckpointWriter::add(const CheckpointRecord& record) noexcept {
  if (failure_) return;
  try {
    file_->add(record);
  } catch (...) {
    failure_ = support::current_error();
  }
}

void CheckpointWriter::finish() {
  FileSummary mine{};
  mpi::agreed(communicator_, [&] {
    if (failure_) throw Error(*failure_);
    mine = file_->close();
  });
  publish(mine);
}

void CheckpointWriter::publish(const FileSummary& mine) {
  std::optional<support::OutputFile> manifest;
  mpi::agreed(communicator_, [&] {
    std::vector<FileSummary> files = gather_summaries(communicator_, mine);
    if (communicator_.rank() != 0) return;
    manifest.emplace(checkpoint_format::manifest_path(folder_),
                     support::OutputOptions{.overwrite = true, .keep_unfinished = false});
    manifest->write(to_text({checkpoint_, std::move(files), std::move(description_)}));
    manifest->end();
    lock_->check();
  });
  may_be_listed_ = true;
  mpi::agreed(communicator_, [&] {
    if (manifest) manifest->close();
  });
  if (manifest) remove_unlisted_files(folder_);
  lock_.reset();
}

CheckpointReader::CheckpointReader(const mpi::Communicator& communicator, std::string folder)
    : folder_(std::move(folder)) {
  std::string text;
  mpi::agreed(communicator, [&] {
    if (communicator.rank() == 0) text = read_manifest(folder_);
  });
  text = communicator.broadcast(text);
  mpi::agreed(communicator, [&] { manifest_ = parse_manifest(text, folder_); });
  const std::uint64_t files = manifest_.files.size();
  const auto ranks = static_cast<std::uint64_t>(communicator.size());
  const auto first_of = [&](int rank) { return files * static_cast<std::uint64_t>(rank) / ranks; };
  first_ = static_cast<std::uint32_t>(first_of(communicator.rank()));
  places_.resize(first_of(communicator.rank() + 1) - first_);
}

std::optional<CheckpointRecord> CheckpointReader::next(std::uint32_t collection) {
  for (; current_ < places_.size(); ++current_) {
    const auto number = first_ + static_cast<std::uint32_t>(current_);
    if (!file_)
      file_.emplace(folder_, manifest_.checkpoint, number, manifest_.files[number], places_[current_]);
    places_[current_] = file_->place();
    const std::optional<CheckpointRecord> record = file_->next();
    if (record && record->collection == collection) return record;
    if (record && record->collection < collection)
      throw checkpoint_format::damaged(
          fmt::format("record of collection {} comes too late: expected {}", record->collection, collection),
          checkpoint_format::records_path(folder_, manifest_.checkpoint, number), places_[current_].bytes);
    file_.reset();  // the record of a later collection will be read again
  }
  current_ = 0;
  return std::nullopt;
}

std::vector<std::byte> to_bytes(const CheckpointDescription& description) {
  mpi::Packer packer;
  packer(layout, description.phase, description.collections);
  return packer.take();
}

CheckpointDescription parse_description(std::span<const std::byte> bytes, const std::string& folder) try {
  mpi::Unpacker unpacker(bytes);
  if (unpacker.value<std::uint32_t>() != layout) throw unknown_layout(folder);
  CheckpointDescription description;
  unpacker(description.phase, description.collections);
  if (description.phase < 0 || description.phase > max_phase || !unpacker.at_end())
    throw unknown_layout(folder);
  return description;
} catch (const Error&) {
  throw unknown_layout(folder);
}

std::string to_text(const SavedCollection& collection) {
  return fmt::format("\"{}\" ({}, {})", collection.name, support::demangled(collection.type),
                     fmt::join(collection.sizes, " x "));
}

Restart::Restart(const mpi::Communicator& ranks, const std::string& folder)
    : ranks_(ranks), folder_(folder), reader_(ranks, folder) {
  mpi::agreed(ranks, [&] { description_ = parse_description(reader_.description(), folder); });
}

void Restart::expect(const SavedCollection& collection) const {
  if (has_failed_)
    throw support::usage_error(fmt::format("the checkpoint in {} could not be restored", folder_),
                               "use a new LoadRecorder and a new ObjectSystem after an error");
  const SavedCollection& next = description_.collections[n_read_];
  if (collection.matches(next)) return;
  throw support::usage_error(
      fmt::format("the checkpoint in {} has the collection {}, but the program creates {}", folder_,
                  to_text(next), to_text(collection)),
      "create the collections of the checkpoint in the same order, with the same names, types "
      "and bounds");
}

void Restart::expect_complete() const {
  if (is_complete()) return;
  std::vector<std::string> missing;
  for (std::size_t k = n_read_; k < description_.collections.size(); ++k)
    missing.push_back(to_text(description_.collections[k]));
  throw support::usage_error(
      fmt::format("the checkpoint in {} has collections that the program has not created: {}", folder_,
                  fmt::join(missing, ", ")),
      "create all collections of the checkpoint before messages are delivered");
}

void Restart::read_next(
    const std::function<int(std::uint64_t number)>& rank_of,
    const std::function<void(std::uint64_t number, std::span<const std::byte> bytes)>& consume) {
  has_failed_ = true;
  bool has_more = true;
  const auto write = [&](mpi::Messages& messages) {
    if (has_more) has_more = read_some(rank_of, messages);
  };
  do {
    mpi::exchange_messages(ranks_, write, [&](int, mpi::Unpacker& message) {
      const auto number = message.value<std::uint64_t>();
      consume(number, message.array<std::byte>());
    });
  } while (ranks_.any(has_more));
  has_failed_ = false;
  ++n_read_;
}

/// Reads elements until they are worth sending. Returns whether it has read any.
bool Restart::read_some(const std::function<int(std::uint64_t number)>& rank_of, mpi::Messages& messages) {
  const std::size_t enough = bytes_per_step / static_cast<std::size_t>(ranks_.size());
  for (std::size_t bytes = 0; bytes < enough;) {
    const std::optional<CheckpointRecord> record = reader_.next(static_cast<std::uint32_t>(n_read_));
    if (!record) break;
    mpi::Packer& message = messages[rank_of(record->number)];
    message.value(record->number);
    message.array(record->bytes);
    bytes += sizeof record->number + record->bytes.size();
  }
  return !messages.empty();
}

}  // namespace plimsoll::objects
