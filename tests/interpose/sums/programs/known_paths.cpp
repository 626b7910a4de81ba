// usage: known_paths CASE [COMMUNICATORS], on 4 ranks, or on 2. Computes by sleeping, so that the critical
// path is known on any machine; with the environment variable SPIN, by using the processor for as long.
#include <mpi.h>
#include <time.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int steps = 10;
int rank = 0;
int ranks = 0;
int many = 500;  ///< number of communicators, in the second argument
std::string program_path;

std::int64_t processor_time_ns() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

void compute(int milliseconds) {
  static const bool spins = std::getenv("SPIN") != nullptr;
  const std::int64_t end_ns = processor_time_ns() + milliseconds * std::int64_t{1'000'000};
  if (!spins) std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  while (spins && processor_time_ns() < end_ns) {
  }
}

/// Load balance 0.625: nobody waits for messages.
void ramp() {
  for (int step = 0; step < steps; ++step) {
    compute(10 * (rank + 1));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// Equal work, one rank after the other: serialisation 0.25.
void pipeline() {
  for (int step = 0; step < steps; ++step) {
    int value = 0;
    if (rank > 0) MPI_Recv(&value, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute(20);
    if (rank < ranks - 1) MPI_Send(&value, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// Equal work in sum, but another rank works in each step, 20 instead of 5 ms: serialisation 175 ms / 400 ms.
void rhythm() {
  for (int step = 0; step < 20; ++step) {
    compute(step % ranks == rank ? 20 : 5);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// Load balance 0.75 on 2 ranks: each has a second thread with half of its work.
void hybrid() {
  for (int step = 0; step < steps; ++step) {
    std::thread second([] { compute(5 * (rank + 1)); });
    compute(10 * (rank + 1));
    second.join();
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// Large messages to and fro, and no work beside: transfer near 0.
void transfer() {
  std::vector<char> data(std::size_t{64} << 20);
  const int count = static_cast<int>(data.size());
  const int peer = 1 - rank;
  if (rank > 1) return;
  for (int step = 0; step < steps; ++step) {
    if (rank == 0) MPI_Send(data.data(), count, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
    MPI_Recv(data.data(), count, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(data.data(), count, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
  }
}

/// The same as the pipeline with nonblocking and persistent messages, and receives from any rank.
void nonblocking_pipeline() {
  int value = 0;
  MPI_Request send = MPI_REQUEST_NULL;
  if (rank < ranks - 1) MPI_Send_init(&value, 1, MPI_INT, rank + 1, 7, MPI_COMM_WORLD, &send);
  for (int step = 0; step < steps; ++step) {
    if (rank > 0) {
      MPI_Request receive = MPI_REQUEST_NULL;
      MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &receive);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
    compute(20);
    if (rank < ranks - 1) {
      MPI_Start(&send);
      MPI_Waitall(1, &send, MPI_STATUSES_IGNORE);
    }
    MPI_Request barrier = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  }
  if (send != MPI_REQUEST_NULL) MPI_Request_free(&send);
}

/// Rank 1 waits 15 ms per step for rank 0.
void late_sender() {
  for (int step = 0; step < steps; ++step) {
    int value = 0;
    compute(rank == 0 ? 20 : 5);
    if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/// Rank 0 waits 15 ms per step for rank 1.
void late_receiver() {
  for (int step = 0; step < steps; ++step) {
    int value = 0;
    compute(rank == 1 ? 20 : 5);
    if (rank == 0) MPI_Ssend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

MPI_Comm new_communicator(int step) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  switch (step % 3) {
    case 0: MPI_Comm_dup(MPI_COMM_WORLD, &comm); break;
    case 1: MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm); break;
    case 2: MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request); break;
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return comm;
}

/// The same as the pipeline with two messages on new communicators, which are freed before the messages are
/// sent, and are received in the other order.
void freed_communicators() {
  for (int step = 0; step < steps; ++step) {
    std::array<int, 2> values = {};
    std::array<MPI_Request, 2> receives = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    std::array<MPI_Request, 2> sends = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    for (int k = 0; k < 2; ++k) {
      MPI_Comm comm = new_communicator(step);
      if (rank > 0) MPI_Recv_init(&values[k], 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, &receives[k]);
      if (rank < ranks - 1) MPI_Send_init(&values[1 - k], 1, MPI_INT, rank + 1, 0, comm, &sends[1 - k]);
      MPI_Comm_free(&comm);
    }
    if (rank > 0) {
      MPI_Startall(2, receives.data());
      MPI_Waitall(2, receives.data(), MPI_STATUSES_IGNORE);
    }
    compute(20);
    if (rank < ranks - 1) {
      MPI_Startall(2, sends.data());
      MPI_Waitall(2, sends.data(), MPI_STATUSES_IGNORE);
    }
    for (auto* requests : {&receives, &sends})
      for (MPI_Request& request : *requests)
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// Many communicators, one after the other and all at once, with messages and collectives.
void many_communicators() {
  std::vector<MPI_Comm> kept;
  for (int step = 0; step < many; ++step) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, (rank + step) % 2, rank, &comm);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    int from = 0;
    MPI_Bcast(&sum, 1, MPI_INT, 0, comm);
    MPI_Comm_rank(comm, &from);
    MPI_Sendrecv(&sum, 1, MPI_INT, 1 - from, step, &from, 1, MPI_INT, 1 - from, step, comm,
                 MPI_STATUS_IGNORE);
    if (kept.size() < 150)
      kept.push_back(comm);
    else
      MPI_Comm_free(&comm);
  }
  for (MPI_Comm& comm : kept) MPI_Comm_disconnect(&comm);
  ramp();
}

/// Rank 1 waits 15 ms per step for rank 0 in probes.
void matched_probe() {
  for (int step = 0; step < steps; ++step) {
    int value = 0;
    compute(rank == 0 ? 20 : 5);
    if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank != 1) continue;
    MPI_Message message = MPI_MESSAGE_NULL;
    if (step % 2 == 0) {
      MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
      continue;
    }
    for (int found = 0; !found;) MPI_Improbe(0, 0, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/// Rank 1 waits 15 ms per step for rank 0 in probes, while a receive of another message is in progress.
void probe() {
  int value = 0;
  MPI_Request last = MPI_REQUEST_NULL;
  if (rank == 1) MPI_Irecv(&value, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, &last);
  for (int step = 0; step < steps; ++step) {
    compute(rank == 0 ? 20 : 5);
    if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, step, MPI_COMM_WORLD);
    if (rank != 1) continue;
    int received = 0;
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, step % 2 == 0 ? step : MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Recv(&received, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 99, MPI_COMM_WORLD);
  MPI_Wait(&last, MPI_STATUS_IGNORE);
}

/// A probe for the second of two equal messages, the first of which a receive in progress gets.
void probe_behind_receive() {
  std::array<int, 2> values = {};
  if (rank == 0)
    for (const int value : values) MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank != 1) return;
  MPI_Request first = MPI_REQUEST_NULL;
  MPI_Irecv(&values[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &first);
  MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(&values[1], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&first, MPI_STATUS_IGNORE);
}

/// Load balance 0.4375 on 4 ranks: all others wait 300 ms for rank 1, in MPI_Finalize.
void late_to_finalize() {
  MPI_Barrier(MPI_COMM_WORLD);
  compute(rank == 1 ? 400 : 100);
}

/// Rank 0 waits 15 ms per step for rank 1, which finds its message at once.
void late_matched_receive() {
  for (int step = 0; step < steps; ++step) {
    int value = 0;
    compute(5);
    if (rank == 0) MPI_Ssend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank != 1) continue;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    compute(15);
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  }
}

/// A receive whose end the program does not want to know.
void freed_receive() {
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % ranks, 3, MPI_COMM_WORLD, &request);
  MPI_Send(&value, 1, MPI_INT, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD);
  MPI_Request_free(&request);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Messages to other runs of this program.
void spawned_ranks() {
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  MPI_Comm spawned = parent;
  std::string program = program_path;
  std::string name = "spawned_ranks";
  std::array<char*, 2> arguments = {name.data(), nullptr};
  if (parent == MPI_COMM_NULL)
    MPI_Comm_spawn(program.data(), arguments.data(), 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &spawned,
                   MPI_ERRCODES_IGNORE);
  MPI_Comm together = MPI_COMM_NULL;
  MPI_Intercomm_merge(spawned, parent != MPI_COMM_NULL, &together);
  MPI_Barrier(together);
  MPI_Comm_free(&together);
  MPI_Comm_disconnect(&spawned);
}

/// A cancelled receive has no message.
void cancelled_receive() {
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % ranks, 3, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  compute(20);
}

/// Useful time during a pause does not count.
void paused_ramp() {
  MPI_Pcontrol(0);
  compute(300);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1);
  ramp();
}

/// Calls that MPI rejects on one rank: other ranks do not take part in them.
void rejected_calls() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int value = 0;
  int sum = 0;
  if (rank == 0) {
    MPI_Allreduce(&value, &sum, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Send(&value, 1, MPI_INT, ranks + 1, 0, MPI_COMM_WORLD);
  }
  for (int step = 0; step < steps; ++step) MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  late_sender();
}

}  // namespace

int main(int argc, char** argv) {
  program_path = argv[0];
  if (argc > 2) many = std::atoi(argv[2]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::array<std::pair<const char*, void (*)()>, 20> cases = {
      {{"ramp", ramp},
       {"paused_ramp", paused_ramp},
       {"rejected_calls", rejected_calls},
       {"pipeline", pipeline},
       {"nonblocking_pipeline", nonblocking_pipeline},
       {"rhythm", rhythm},
       {"hybrid", hybrid},
       {"transfer", transfer},
       {"late_sender", late_sender},
       {"late_receiver", late_receiver},
       {"freed_communicators", freed_communicators},
       {"many_communicators", many_communicators},
       {"matched_probe", matched_probe},
       {"late_matched_receive", late_matched_receive},
       {"probe", probe},
       {"probe_behind_receive", probe_behind_receive},
       {"late_to_finalize", late_to_finalize},
       {"freed_receive", freed_receive},
       {"spawned_ranks", spawned_ranks},
       {"cancelled_receive", cancelled_receive}}};
  for (const auto& [name, run] : cases)
    if (argc > 1 && name == std::string(argv[1])) run();
  MPI_Finalize();
}
