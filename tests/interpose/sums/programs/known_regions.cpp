// usage: known_regions regions FILE | known_regions windows | names | paths | threads
// - regions: marks regions in all ways, and measures the times in them itself. Rank 0 writes lines "REGION,
//   RANK WALL_S MPI_S" to a file.
// - windows: computes on all ranks, and then on rank 3 only.
// - paths: marks regions with a known critical path, on an even number of ranks.
// - threads: calls MPI in another thread, while the first one is in a region.
// - names: ends a phase of a recorder, and marks regions with other names on each rank, two of which are
// invalid UTF-8.
#include <mpi.h>
#include <plimsoll.h>

#include <chrono>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

int world_rank = 0;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void compute(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

/// Times in a region.
struct Times {
  double wall_s = 0;
  double mpi_s = 0;
};
std::map<std::string, Times> measured;

/// Adds times of this rank to a region, and of the barriers in it.
class Measured {
 public:
  explicit Measured(const std::string& region) : times_(measured[region]) {}
  void compute_and_meet(int milliseconds) {
    const double begin_s = now_s();
    compute(milliseconds);
    const double arrival_s = now_s();
    MPI_Barrier(MPI_COMM_WORLD);
    times_.wall_s += now_s() - begin_s;
    times_.mpi_s += now_s() - arrival_s;
  }

 private:
  Times& times_;
};

void sum_in_region(void* in, void* sum, int* count, MPI_Datatype*) {
  plimsoll_region_begin("in MPI");
  for (int k = 0; k < *count; ++k) static_cast<int*>(sum)[k] += static_cast<int*>(in)[k];
  plimsoll_region_end("in MPI");
}

void mark_where_marks_do_not_count() {
  std::thread([] { plimsoll_region_begin("of a thread"); }).join();
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(&sum_in_region, 1, &op);
  int one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
}

void mark_regions() {
  mark_where_marks_do_not_count();
  plimsoll_region_begin("ramp");
  for (int step = 0; step < 5; ++step) Measured("ramp").compute_and_meet(10 * (world_rank + 1));
  plimsoll_region_end("ramp");
  for (int step = 0; step < 2; ++step) {
    plimsoll_region_begin("balanced");
    Measured("balanced").compute_and_meet(20);
    plimsoll_region_begin("inner");
    Measured("inner").compute_and_meet(30);
    plimsoll_region_end("inner");
    Measured("balanced").compute_and_meet(10);
    plimsoll_region_end("balanced");
  }
  MPI_Pcontrol(2);
  Measured("level 2").compute_and_meet(20);
  MPI_Pcontrol(0);
  compute(40);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(3);
  Measured("level 3").compute_and_meet(20);
  MPI_Pcontrol(1);
  compute(20);
  if (world_rank == 1) plimsoll_region_begin("only rank 1");
  Measured("only rank 1").compute_and_meet(10);
  if (world_rank == 1) plimsoll_region_end("only rank 1");
  if (world_rank == 2) plimsoll_region_end("never begun");
}

void end_a_phase() {
  plimsoll_recorder* recorder = nullptr;
  plimsoll_set_default("lb_statistics", "false");
  plimsoll_set_default("lb_quiet", "true");
  plimsoll_start(&recorder, MPI_COMM_WORLD, nullptr, nullptr);
  plimsoll_next_phase(recorder, nullptr);
  plimsoll_finish(&recorder);
}

void mark_names_of_rank() {
  for (int k = 0; k < 20; ++k) {
    const std::string invalid_utf8 = {static_cast<char>(0xf0 + k)};
    const std::string name = std::to_string(world_rank) + "." + (k < 2 ? invalid_utf8 : std::to_string(k));
    plimsoll_region_begin(name.c_str());
    compute(1);
    plimsoll_region_end(name.c_str());
  }
}

/// Equal work, one rank after the other, in a region that contains the work if it has a name.
void work_in_turn(const char* region) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int step = 0; step < 4; ++step) {
    int value = 0;
    if (world_rank > 0) MPI_Recv(&value, 1, MPI_INT, world_rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (region != nullptr) plimsoll_region_begin(region);
    compute(20);
    if (region != nullptr) plimsoll_region_end(region);
    if (world_rank < ranks - 1) MPI_Send(&value, 1, MPI_INT, world_rank + 1, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// Equal work, and messages that take longer.
void exchange_large_messages(int steps) {
  constexpr int bytes = 16 << 20;
  std::vector<char> sent(bytes);
  std::vector<char> received(bytes);
  const int peer = world_rank ^ 1;
  MPI_Barrier(MPI_COMM_WORLD);
  plimsoll_region_begin("transfer");
  for (int step = 0; step < steps; ++step) {
    compute(5);
    MPI_Sendrecv(sent.data(), bytes, MPI_CHAR, peer, 0, received.data(), bytes, MPI_CHAR, peer, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  plimsoll_region_end("transfer");
}

/// Rank 1 waits for work of rank 0, which is outside the region, and then works for a quarter of the time.
void wait_in_a_region() {
  int value = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 0) {
    compute(60);
    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else if (world_rank == 1) {
    plimsoll_region_begin("only rank 1");
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute(20);
    plimsoll_region_end("only rank 1");
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void mark_known_paths() {
  plimsoll_region_begin("ramp");
  for (int step = 0; step < 5; ++step) Measured("ramp").compute_and_meet(10 * (world_rank + 1));
  plimsoll_region_end("ramp");
  MPI_Pcontrol(0);
  compute(world_rank == 2 ? 50 : 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1);
  plimsoll_region_begin("pipeline");
  work_in_turn(nullptr);
  plimsoll_region_end("pipeline");
  plimsoll_region_begin("waits of a pipeline");
  work_in_turn("work of a pipeline");
  plimsoll_region_end("waits of a pipeline");
  exchange_large_messages(10);
  wait_in_a_region();
  for (int step = 0; step < 20; ++step) {
    plimsoll_region_begin("short");
    MPI_Barrier(MPI_COMM_WORLD);
    plimsoll_region_end("short");
  }
}

void call_from_another_thread() {
  plimsoll_region_begin("of the first thread");
  compute(5);
  std::thread([] {
    compute(10 * (world_rank + 1));
    MPI_Barrier(MPI_COMM_WORLD);
  }).join();
  plimsoll_region_end("of the first thread");
}

void write_times(const char* path) {
  std::ofstream file;
  if (world_rank == 0) file.open(path);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<Times> all(static_cast<std::size_t>(ranks));
  for (const auto& [region, times] : measured) {
    PMPI_Gather(&times, 2, MPI_DOUBLE, all.data(), 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int rank = 0; world_rank == 0 && rank < ranks; ++rank)
      file << region << ", " << rank << ' ' << all[rank].wall_s << ' ' << all[rank].mpi_s << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  plimsoll_region_begin("before MPI_Init");
  plimsoll_region_end("before MPI_Init");
  int level = std::string(argv[1]) == "threads" ? MPI_THREAD_SERIALIZED : MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, level, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  if (std::string(argv[1]) == "regions") {
    mark_regions();
    write_times(argv[2]);
  } else if (std::string(argv[1]) == "windows") {
    for (int step = 0; step < 12; ++step) {
      compute(step < 6 || world_rank == 3 ? 40 : 0);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  } else if (std::string(argv[1]) == "paths") {
    mark_known_paths();
  } else if (std::string(argv[1]) == "threads") {
    call_from_another_thread();
  } else {
    end_a_phase();
    mark_names_of_rank();
  }
  MPI_Finalize();
  plimsoll_region_begin("after MPI_Finalize");
}
