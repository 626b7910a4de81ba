#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "interpose/handles/communicators.hpp"
#include "interpose/rules/transfer.hpp"

/// Rules for the data that MPI calls transfer (docs/reference/mpi-calls-file.md). `add` of a rule receives
/// the arguments of a successful call, and adds the data that this rank sends and receives. Rules ignore
/// further arguments, so that a rule also describes the nonblocking and persistent forms of its function.
/// Counts may have any integer type; handles in arrays may be those of Fortran.
namespace plimsoll::PLIMSOLL_ABI::interpose::rules {

template <class Members>
Transfer::Message message(const Members* members, int peer, std::uint64_t bytes) {
  if (!members || peer < 0 || static_cast<std::uint32_t>(peer) >= members->peers()) return {};
  return {members->world_ranks[static_cast<std::size_t>(peer)], bytes};
}

inline void add_sent(Transfer& transfer, const Envelope& sent) {
  if (sent.peer == MPI_PROC_NULL) return;
  transfer.sent_bytes += sent.bytes;
  transfer.to = message(find_communicator(sent.comm), sent.peer, sent.bytes);
}

/// Functions that transfer no data, or do not know how much has arrived when they return.
struct Nothing {
  static void add(auto&&...) {}
};

// Point-to-point communication. `sent` and `awaited` return the envelopes of messages.

struct Sends {};
struct Receives {};

/// Functions with messages that other ranks do not see as a call: the critical path is unknown.
struct Unfollowed {};

/// Returns the envelope of a message to a peer. MPI sends short messages at once.
inline Envelope envelope_to(MPI_Comm comm, int dest, int tag, MPI_Count count, MPI_Datatype type) {
  constexpr std::uint64_t max_short_bytes = 1024;
  const std::uint64_t bytes = dest == MPI_PROC_NULL ? 0 : message_bytes(count, type);
  return {.comm = comm, .peer = dest, .tag = tag, .may_stall = bytes > max_short_bytes, .bytes = bytes};
}

struct Send : Sends {
  static Envelope sent(const void*, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                       auto&&...) {
    return envelope_to(comm, dest, tag, count, type);
  }
  static void add(Transfer& transfer, const auto&... arguments) { add_sent(transfer, sent(arguments...)); }
};

struct SynchronousSend : Send {
  static Envelope sent(const auto&... arguments) {
    Envelope message = Send::sent(arguments...);
    message.may_stall = true;
    return message;
  }
};

struct PartitionedSend : Unfollowed {
  static void add(Transfer& transfer, const void* from, int partitions, MPI_Count count,
                  const auto&... arguments) {
    add_sent(transfer, Send::sent(from, partitions * count, arguments...));
  }
};

template <class... Arguments>
const auto& last(const Arguments&... arguments) {
  return std::get<sizeof...(Arguments) - 1>(std::tie(arguments...));
}

/// Rule for functions whose last argument is the status of received data. It must not be MPI_STATUS_IGNORE.
struct ReadsStatus {};

struct Receive : ReadsStatus {
  static void add(Transfer& transfer, const auto&... arguments) {
    transfer.received_bytes += message_bytes(*last(arguments...));
  }
};

struct ReceiveMessage : Receive, Receives {
  static Envelope awaited(const void*, MPI_Count, MPI_Datatype, int source, int tag, MPI_Comm comm,
                          auto&&...) {
    return {comm, source, tag};
  }
};
struct StartReceive : Nothing, Receives {
  static Envelope awaited(const auto&... arguments) { return ReceiveMessage::awaited(arguments...); }
};

// Messages that probes found. `message` returns the handle of MPI_Mprobe.

struct Probe : Nothing, ReadsStatus {
  static Envelope awaited(int source, int tag, MPI_Comm comm, auto&&...) { return {comm, source, tag}; }
};
struct MatchedProbe : Probe {
  static bool found(auto&&...) { return true; }
  static MPI_Message message(const auto&... arguments) {
    return std::get<sizeof...(arguments) - 2>(std::tie(arguments...))[0];
  }
};
struct MatchedTest : MatchedProbe {
  static bool found(int, int, MPI_Comm, const int* flag, auto&&...) { return *flag != 0; }
};
struct ReceivesMatched {
  static MPI_Message message(const void*, MPI_Count, MPI_Datatype, const auto& message, auto&&...) {
    return message[0];
  }
};
struct MatchedReceive : Receive, ReceivesMatched {};
struct StartMatchedReceive : Nothing, ReceivesMatched {};

struct StartSendrecv : Sends, Receives {
  static Envelope sent(const void*, MPI_Count count, MPI_Datatype type, int dest, int tag, void*, MPI_Count,
                       MPI_Datatype, int, int, MPI_Comm comm, auto&&...) {
    return envelope_to(comm, dest, tag, count, type);
  }
  static Envelope awaited(const void*, MPI_Count, MPI_Datatype, int, int, void*, MPI_Count, MPI_Datatype,
                          int source, int tag, MPI_Comm comm, auto&&...) {
    return {comm, source, tag};
  }
  static void add(Transfer& transfer, const auto&... arguments) { add_sent(transfer, sent(arguments...)); }
};

struct StartSendrecvReplace : Sends, Receives {
  static Envelope sent(const void*, MPI_Count count, MPI_Datatype type, int dest, int tag, int, int,
                       MPI_Comm comm, auto&&...) {
    return envelope_to(comm, dest, tag, count, type);
  }
  static Envelope awaited(const void*, MPI_Count, MPI_Datatype, int, int, int source, int tag, MPI_Comm comm,
                          auto&&...) {
    return {comm, source, tag};
  }
  static void add(Transfer& transfer, const auto&... arguments) { add_sent(transfer, sent(arguments...)); }
};

template <class Start>
struct BlockingSendrecv : Start, ReadsStatus {
  static void add(Transfer& transfer, const auto&... arguments) {
    Start::add(transfer, arguments...);
    Receive::add(transfer, arguments...);
  }
};
using Sendrecv = BlockingSendrecv<StartSendrecv>;
using SendrecvReplace = BlockingSendrecv<StartSendrecvReplace>;

// One-sided communication

inline void write_to(Transfer& transfer, MPI_Win window, int target, std::uint64_t size) {
  if (target == MPI_PROC_NULL) return;
  transfer.sent_bytes += size;
  transfer.to = message(find_window(window), target, size);
}

inline void read_from(Transfer& transfer, MPI_Win window, int target, std::uint64_t size) {
  if (target == MPI_PROC_NULL) return;
  transfer.received_bytes += size;
  transfer.from = message(find_window(window), target, size);
}

struct Put : Unfollowed {
  static void add(Transfer& transfer, const void*, MPI_Count count, MPI_Datatype type, int target, MPI_Aint,
                  MPI_Count, MPI_Datatype, MPI_Win window, auto&&...) {
    write_to(transfer, window, target, message_bytes(count, type));
  }
};

struct Accumulate : Unfollowed {
  static void add(Transfer& transfer, const void*, MPI_Count count, MPI_Datatype type, int target, MPI_Aint,
                  MPI_Count, MPI_Datatype, MPI_Op, MPI_Win window, auto&&...) {
    write_to(transfer, window, target, message_bytes(count, type));
  }
};

struct Get : Unfollowed {
  static void add(Transfer& transfer, void*, MPI_Count count, MPI_Datatype type, int target, MPI_Aint,
                  MPI_Count, MPI_Datatype, MPI_Win window, auto&&...) {
    read_from(transfer, window, target, message_bytes(count, type));
  }
};

struct GetAccumulate : Unfollowed {
  static void add(Transfer& transfer, const void*, MPI_Count count, MPI_Datatype type, void*,
                  MPI_Count result_count, MPI_Datatype result_type, int target, MPI_Aint, MPI_Count,
                  MPI_Datatype, MPI_Op op, MPI_Win window, auto&&...) {
    if (op != MPI_NO_OP) write_to(transfer, window, target, message_bytes(count, type));
    read_from(transfer, window, target, message_bytes(result_count, result_type));
  }
};

struct FetchAndOp : Unfollowed {
  static void add(Transfer& transfer, const void*, void*, MPI_Datatype type, int target, MPI_Aint, MPI_Op op,
                  MPI_Win window, auto&&...) {
    if (op != MPI_NO_OP) write_to(transfer, window, target, message_bytes(1, type));
    read_from(transfer, window, target, message_bytes(1, type));
  }
};

struct CompareAndSwap : Unfollowed {
  static void add(Transfer& transfer, const void*, const void*, void*, MPI_Datatype type, int target,
                  MPI_Aint, MPI_Win window, auto&&...) {
    write_to(transfer, window, target, message_bytes(1, type));
    read_from(transfer, window, target, message_bytes(1, type));
  }
};

// Input and output: reading functions follow Receive. The first argument is the file.

struct Write {
  static void add(Transfer& transfer, const auto&, const void*, MPI_Count count, MPI_Datatype type,
                  auto&&...) {
    transfer.sent_bytes += message_bytes(count, type);
  }
};

struct WriteAt {
  static void add(Transfer& transfer, const auto&, MPI_Offset, const void*, MPI_Count count,
                  MPI_Datatype type, auto&&...) {
    transfer.sent_bytes += message_bytes(count, type);
  }
};

}  // namespace plimsoll::interpose::rules
