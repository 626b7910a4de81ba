// usage: known_paths CASE, on 4 ranks, or on 2. Computes by sleeping, so that the critical path is known.
#include <mpi.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int steps = 10;
int rank = 0;
int ranks = 0;

void compute(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
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

/// A message that is received without a note: MPI_Mrecv does not know its communicator.
void matched_probe() {
  int value = 0;
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank != 1) return;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
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
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::array<std::pair<const char*, void (*)()>, 11> cases = {
      {{"ramp", ramp},
       {"paused_ramp", paused_ramp},
       {"rejected_calls", rejected_calls},
       {"pipeline", pipeline},
       {"nonblocking_pipeline", nonblocking_pipeline},
       {"rhythm", rhythm},
       {"transfer", transfer},
       {"late_sender", late_sender},
       {"late_receiver", late_receiver},
       {"matched_probe", matched_probe},
       {"cancelled_receive", cancelled_receive}}};
  for (const auto& [name, run] : cases)
    if (argc > 1 && name == std::string(argv[1])) run();
  MPI_Finalize();
}
