#include "objects/checkpoint/checkpoint_reader.hpp"

#include <fmt/format.h>

#include <utility>

#include <plimsoll/mpi/communicator.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

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
          checkpoint_format::records_path(folder_, manifest_.checkpoint, number), places_[current_].byte);
    file_.reset();  // the record of a later collection will be read again
  }
  current_ = 0;
  return std::nullopt;
}

}  // namespace plimsoll::objects
