// A program that leaves MPI calls through its error handler. The first argument selects how: "throw" throws
// an exception and catches it; "cancel" cancels the calling thread; "exit" ends it. The program then
// exchanges one byte between all ranks. The status is 0 if it completes this exchange.
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <string_view>
#include <vector>

namespace {

enum class Way { exception, cancellation, exit };

Way way = Way::exception;
std::atomic<bool> handler_reached = false;

struct CallFailed {};

void leave(MPI_Comm* /*comm*/, int* /*code*/, ...) {
  if (way == Way::exception) throw CallFailed();
  handler_reached = true;
  if (way == Way::exit) pthread_exit(PTHREAD_CANCELED);
  while (true) ::sleep(1);  // cancellation point of the thread
}

int exchange_bytes(MPI_Datatype type, MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<int> counts(size, 1);
  std::vector<int> at(size);
  for (int rank = 0; rank < size; ++rank) at[rank] = rank;
  std::vector<char> sent(size), received(size);
  return MPI_Alltoallv(sent.data(), counts.data(), at.data(), type, received.data(), counts.data(), at.data(),
                       type, comm);
}

void* call_in_error(void* comm) {
  exchange_bytes(MPI_DATATYPE_NULL, *static_cast<MPI_Comm*>(comm));
  return nullptr;
}

bool leaves_by_exception(MPI_Comm comm) {
  try {
    call_in_error(&comm);
  } catch (const CallFailed&) {
    return true;
  }
  return false;
}

bool leaves_with_its_thread(MPI_Comm comm) {
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, &call_in_error, &comm) != 0) return false;
  while (!handler_reached) ::usleep(1000);
  if (way == Way::cancellation) pthread_cancel(thread);
  void* result = nullptr;
  return pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "cancel") way = Way::cancellation;
  if (argc > 1 && std::string_view(argv[1]) == "exit") way = Way::exit;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(&leave, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  const bool left = way == Way::exception ? leaves_by_exception(comm) : leaves_with_its_thread(comm);
  const int code = exchange_bytes(MPI_BYTE, MPI_COMM_WORLD);
  MPI_Finalize();
  return left && code == MPI_SUCCESS ? 0 : 4;
}
