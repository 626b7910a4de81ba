/* Checks and helpers that the tests of the C interface share. */
#ifndef PLIMSOLL_C_CHECK_H
#define PLIMSOLL_C_CHECK_H

#include <plimsoll.h>
#include <stdio.h>
#include <string.h>

extern int failures;
extern int rank;  /* of this process */
extern int ranks; /* number of ranks */

#define CHECK(condition)                                                                             \
  do {                                                                                               \
    if (!(condition)) {                                                                              \
      fprintf(stderr, "rank %d: %s:%d: %s (last error: %s)\n", rank, __FILE__, __LINE__, #condition, \
              plimsoll_error_message());                                                             \
      ++failures;                                                                                    \
    }                                                                                                \
  } while (0)

/* Starts MPI, and sets rank and ranks. */
void start_test(int* argc, char*** argv);

void spin(double time_s);
int message_contains(const char* text);
int same(plimsoll_object left, plimsoll_object right);
int same_id(plimsoll_id left, plimsoll_id right);
int near_to(double left, double right);

/* Starts a recorder that writes no files. */
plimsoll_recorder* start_quietly(void);

#endif
