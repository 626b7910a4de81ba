#include <algorithm>
#include <string_view>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/support/parse.hpp>

#include "collectives/mpi_calls/plain_name.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

// Words are names without "MPI_" and "_c", from the chapters on point-to-point, partitioned and one-sided
// communication of the MPI 4.0 standard.
constexpr std::string_view transfers =
    "Send Bsend Ssend Rsend Recv Mrecv Sendrecv Sendrecv_replace "
    "Isend Ibsend Issend Irsend Irecv Imrecv Isendrecv Isendrecv_replace "
    "Send_init Bsend_init Ssend_init Rsend_init Recv_init Psend_init Precv_init "
    "Start Startall Pready Pready_range Pready_list "
    "Put Get Accumulate Get_accumulate Fetch_and_op Compare_and_swap "
    "Rput Rget Raccumulate Rget_accumulate";

constexpr std::string_view blocking_transfers = "Send Ssend Rsend Recv Mrecv Sendrecv Sendrecv_replace";

constexpr std::string_view waits =
    "Wait Waitall Waitany Waitsome Test Testall Testany Testsome Request_get_status Parrived "
    "Probe Iprobe Mprobe Improbe Buffer_detach "
    "Win_fence Win_start Win_complete Win_post Win_wait Win_test Win_lock Win_lock_all Win_unlock "
    "Win_unlock_all Win_sync Win_flush Win_flush_all Win_flush_local Win_flush_local_all";

constexpr support::Named<MpiPurpose> purposes[] = {{"transfer", MpiPurpose::transfer},
                                                   {"wait", MpiPurpose::wait},
                                                   {"collective", MpiPurpose::collective},
                                                   {"collective start", MpiPurpose::collective_start},
                                                   {"file", MpiPurpose::file}};

bool has_word(std::string_view list, std::string_view word) {
  return std::ranges::any_of(support::split(list, ' '), [&](std::string_view each) { return each == word; });
}

}  // namespace

MpiPurpose purpose_of(std::string_view function) {
  const std::string_view name = plain_name(function);
  if (name.starts_with("File_")) return MpiPurpose::file;
  if (has_word(waits, name)) return MpiPurpose::wait;
  if (has_word(transfers, name)) return MpiPurpose::transfer;
  const bool starts = name.ends_with("_init") || name == "Comm_idup" ||
                      (name.starts_with('I') && !name.starts_with("Intercomm"));
  return starts ? MpiPurpose::collective_start : MpiPurpose::collective;
}

bool may_wait(std::string_view function) {
  const std::string_view name = plain_name(function);
  return has_word(waits, name) || has_word(blocking_transfers, name);
}

const char* to_string(MpiPurpose purpose) {
  return support::name_of(purposes, purpose);
}

}  // namespace plimsoll::collectives
