#include <algorithm>

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

// From the chapter on input and output of the same standard; those named "..._all" and "..._ordered" as well.
constexpr std::string_view file_collectives =
    "open close set_size preallocate set_view set_atomicity sync seek_shared";

constexpr std::string_view completions =
    "Wait Waitall Waitany Waitsome Test Testall Testany Testsome Request_get_status Parrived "
    "Probe Iprobe Mprobe Improbe Buffer_detach "
    "Win_fence Win_start Win_complete Win_post Win_wait Win_test Win_lock Win_lock_all Win_unlock "
    "Win_unlock_all Win_sync Win_flush Win_flush_all Win_flush_local Win_flush_local_all";

bool has_word(std::string_view list, std::string_view word) {
  return std::ranges::any_of(support::split(list, ' '), [&](std::string_view each) { return each == word; });
}

/// Returns whether a function on files, named without "File_", may wait for the other ranks that use the
/// file.
bool is_file_collective(std::string_view name) {
  const bool starts = name.starts_with('i') || name.ends_with("_begin");
  return has_word(file_collectives, name) ||
         (!starts && (name.find("_all") != name.npos || name.find("_ordered") != name.npos));
}

}  // namespace

MpiPurpose purpose_of(std::string_view function) {
  const std::string_view name = plain_name(function);
  if (name.starts_with("File_")) return MpiPurpose::file;
  if (has_word(completions, name)) return MpiPurpose::wait;
  if (has_word(transfers, name)) return MpiPurpose::transfer;
  const bool starts = name.ends_with("_init") || name.starts_with("Comm_idup") ||
                      (name.starts_with('I') && !name.starts_with("Intercomm"));
  return starts ? MpiPurpose::collective_start : MpiPurpose::collective;
}

bool may_wait(std::string_view function) {
  const std::string_view name = plain_name(function);
  switch (purpose_of(function)) {
    case MpiPurpose::wait:
    case MpiPurpose::collective: return true;
    case MpiPurpose::transfer: return has_word(blocking_transfers, name);
    case MpiPurpose::collective_start: return false;
    case MpiPurpose::file: return is_file_collective(name.substr(std::string_view("File_").size()));
  }
  return false;
}

const char* to_string(MpiPurpose purpose) {
  using enum MpiPurpose;
  constexpr support::Named<MpiPurpose> names[] = {{"transfer", transfer},
                                                  {"wait", wait},
                                                  {"collective", collective},
                                                  {"collective start", collective_start},
                                                  {"file", file}};
  return support::name_of(names, purpose);
}

}  // namespace plimsoll::collectives
