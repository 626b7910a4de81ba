#include "interpose/counts/row_builder.hpp"

#include <cstring>

#include "interpose/rules/transfer.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::Exchange;
using collectives::IntegerSpan;
using collectives::Row;

namespace {

/// Numbers of counts that MPI reads.
struct Sizes {
  std::size_t send;
  std::size_t recv;
};

Sizes sizes_of(const Arguments& arguments, const Communicator& communicator) {
  const bool neighborhood = arguments.operation.neighborhood;
  const std::size_t to = neighborhood ? communicator.all_destinations : communicator.peers();
  const std::size_t from = neighborhood ? communicator.all_sources : communicator.peers();
  return {arguments.operation.has_one_count(collectives::Direction::send) ? 1 : to,
          arguments.operation.has_one_count(collectives::Direction::recv) ? 1 : from};
}

/// Multiplies counts by the sizes of their types. The type for a peer with count 0 may be invalid.
void multiply(const Side& side, std::size_t size, std::vector<std::int64_t>& bytes) {
  bytes.assign(size, 0);
  MPI_Datatype last_type = MPI_DATATYPE_NULL;
  std::uint64_t last_size = 0;
  for (std::size_t k = 0; k < size; ++k) {
    if (side.counts[k] == 0) continue;
    const MPI_Datatype type = side.types[k];
    if (type != last_type) last_size = type_size(type);
    last_type = type;
    if (__builtin_mul_overflow(side.counts[k], last_size, &bytes[k])) bytes[k] = INT64_MAX;
  }
}

/// Returns a row that contains only the call's type sizes. Counts of Alltoallw are converted to bytes; its
/// displacements are in bytes already.
Row without_numbers(const Arguments& arguments) {
  if (arguments.operation.exchange == Exchange::alltoallw)
    return {.send_type_size = 1, .recv_type_size = 1, .in_place = arguments.in_place};
  const bool sends = arguments.send.types.given();
  const bool receives = arguments.recv.types.given();
  Row row = {.recv_type_size = receives ? type_size(arguments.recv.types[0]) : 0,
             .in_place = arguments.in_place};
  if (sends && receives && arguments.send.types[0] == arguments.recv.types[0])
    row.send_type_size = row.recv_type_size;
  else if (sends)
    row.send_type_size = type_size(arguments.send.types[0]);
  return row;
}

IntegerSpan numbers(const std::vector<std::int64_t>& vector) {
  return IntegerSpan(vector.data(), vector.size());
}

void take(const IntegerSpan& all, const std::vector<std::uint32_t>& positions,
          std::vector<std::int64_t>& taken) {
  taken.clear();
  for (const std::uint32_t position : positions) taken.push_back(all[position]);
}

}  // namespace

bool RowBuilder::complete(const Arguments& arguments, const Communicator& communicator) {
  const Sizes sizes = sizes_of(arguments, communicator);
  if (sizes.recv > 0 && !(arguments.recv.counts.given() && arguments.recv.types.given())) return false;
  return sizes.send == 0 || (arguments.send.counts.given() && arguments.send.types.given());
}

bool RowBuilder::contradicts_itself(const Arguments& arguments, const Communicator& communicator) {
  const Exchange exchange = arguments.operation.exchange;
  if (arguments.operation.neighborhood || exchange == Exchange::allgatherv) return false;
  return arguments.send.bytes_of(communicator.rank) != arguments.recv.bytes_of(communicator.rank);
}

Row RowBuilder::all_counts(const Arguments& arguments, const Communicator& communicator) {
  const Sizes sizes = sizes_of(arguments, communicator);
  Row row = without_numbers(arguments);
  if (arguments.operation.exchange == Exchange::alltoallw) {
    multiply(arguments.recv, sizes.recv, received_bytes_);
    multiply(arguments.send, sizes.send, sent_bytes_);
    row.recv = numbers(received_bytes_);
    row.send = numbers(sent_bytes_);
    return row;
  }
  row.recv = arguments.recv.counts.part(0, sizes.recv);
  const bool sends_own_part = arguments.in_place && arguments.operation.exchange == Exchange::allgatherv;
  row.send = arguments.send.counts.part(sends_own_part ? communicator.rank : 0, sizes.send);
  return row;
}

Row RowBuilder::counts(const Arguments& arguments, const Communicator& communicator) {
  return of_real_neighbors(arguments, communicator, all_counts(arguments, communicator));
}

bool RowBuilder::has_displacements(const Arguments& arguments, const Communicator& communicator) {
  const Exchange exchange = arguments.operation.exchange;
  if (exchange == Exchange::alltoall) return false;
  const Sizes sizes = sizes_of(arguments, communicator);
  if (sizes.recv > 0 && !arguments.recv.displacements.given()) return false;
  return exchange == Exchange::allgatherv || sizes.send == 0 || arguments.send.displacements.given();
}

Row RowBuilder::displacements(const Arguments& arguments, const Communicator& communicator) {
  const Sizes sizes = sizes_of(arguments, communicator);
  Row row = without_numbers(arguments);
  row.recv = arguments.recv.displacements.part(0, sizes.recv);
  if (arguments.operation.exchange == Exchange::allgatherv)
    row.send = arguments.recv.displacements.part(0, 0);
  else
    row.send = arguments.send.displacements.part(0, sizes.send);
  return of_real_neighbors(arguments, communicator, row);
}

/// Keeps only the counts of neighbours that are ranks, because MPI sends no data to MPI_PROC_NULL.
Row RowBuilder::of_real_neighbors(const Arguments& arguments, const Communicator& communicator, Row row) {
  if (!arguments.operation.neighborhood || !communicator.at_an_edge()) return row;
  const Exchange exchange = arguments.operation.exchange;
  if (exchange == Exchange::alltoall) return row;
  take(row.recv, communicator.sources, received_from_real_);
  row.recv = numbers(received_from_real_);
  if (exchange == Exchange::allgatherv) {
    sent_to_real_.clear();
    if (row.send.size() > 0) sent_to_real_.push_back(row.send[0]);
  } else {
    take(row.send, communicator.destinations, sent_to_real_);
  }
  row.send = numbers(sent_to_real_);
  return row;
}

namespace {

IntegerSpan copy(const IntegerSpan& from, std::vector<std::int64_t>& words) {
  words.resize((from.bytes() + 7) / 8);
  if (from.bytes() > 0) std::memcpy(words.data(), from.data(), from.bytes());
  return from.wide() ? IntegerSpan(words.data(), from.size())
                     : IntegerSpan(reinterpret_cast<const std::int32_t*>(words.data()), from.size());
}

}  // namespace

OwnedRow::OwnedRow(const Row& row) : row_(row) {
  row_.send = copy(row.send, send_);
  row_.recv = copy(row.recv, recv_);
}

}  // namespace plimsoll::interpose
