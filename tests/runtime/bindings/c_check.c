#include "runtime/bindings/c_check.h"

int failures = 0;
int rank = 0;
int ranks = 0;

void start_test(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

void spin(double time_s) {
  const double end_s = MPI_Wtime() + time_s;
  while (MPI_Wtime() < end_s) {
  }
}

int message_contains(const char* text) {
  return strstr(plimsoll_error_message(), text) != NULL;
}

int same(plimsoll_object left, plimsoll_object right) {
  return left.number == right.number;
}

int same_id(plimsoll_id left, plimsoll_id right) {
  return left.number == right.number;
}

int near_to(double left, double right) {
  return left - right < 1e-9 && right - left < 1e-9;
}

plimsoll_recorder* start_quietly(void) {
  char program[] = "program";
  char quiet[] = "--vt_lb_quiet";
  char no_statistics[] = "--vt_lb_statistics=false";
  char* words[] = {program, quiet, no_statistics, NULL};
  int count = 3;
  plimsoll_recorder* recorder = NULL;
  CHECK(plimsoll_start(&recorder, MPI_COMM_WORLD, &count, words) == 0);
  CHECK(strcmp(plimsoll_data_files(recorder), "") == 0); /* it writes no files */
  return recorder;
}
