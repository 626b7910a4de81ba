#include "objects/checkpoint/checkpoint_reader.hpp"

#include <cstdint>
#include <utility>

#include <plimsoll/mpi/error_agreement.hpp>

#include "objects/checkpoint/record_file.hpp"

namespace plimsoll::inline v0_1::objects {

CheckpointReader::CheckpointReader(const mpi::Communicator& communicator, std::string folder)
    : communicator_(communicator), folder_(std::move(folder)) {
  std::string text;
  mpi::agreed(communicator_, [&] {
    if (communicator_.rank() == 0) text = read_manifest(folder_);
  });
  text = communicator_.broadcast(text);
  mpi::agreed(communicator_, [&] { manifest_ = parse_manifest(text, folder_); });
}

void CheckpointReader::read(const ConsumeRecord& consume) const {
  const std::uint64_t files = manifest_.files.size();
  const auto ranks = static_cast<std::uint64_t>(communicator_.size());
  const auto first_of = [&](int rank) { return files * static_cast<std::uint64_t>(rank) / ranks; };
  mpi::agreed(communicator_, [&] {
    for (std::uint64_t k = first_of(communicator_.rank()); k < first_of(communicator_.rank() + 1); ++k)
      read_record_file(folder_, manifest_.checkpoint, static_cast<std::uint32_t>(k), manifest_.files[k],
                       consume);
  });
}

}  // namespace plimsoll::objects
