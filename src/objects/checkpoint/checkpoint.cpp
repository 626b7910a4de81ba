#include "objects/checkpoint/checkpoint.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
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

}  // namespace plimsoll::objects
