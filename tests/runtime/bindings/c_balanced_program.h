/* A C program whose objects migrate, and the tests that run it. All objects start on rank 0. Object k has k +
 * 1 numbers, and a load of k + 1 seconds. */
#ifndef PLIMSOLL_C_BALANCED_PROGRAM_H
#define PLIMSOLL_C_BALANCED_PROGRAM_H

#include "runtime/bindings/c_check.h"

enum { object_count = 24 };
extern const double total_load_s; /* 1 + 2 + ... + 24 */

struct program {
  int64_t* numbers[object_count]; /* NULL: the object is on another rank */
  int can_pack;
};

plimsoll_recorder* start_program(struct program* program, const char* strategy);
void end_program(struct program* program, plimsoll_recorder** recorder);
/* Adds the loads of the objects on this rank, which must be complete, and ends the phase. */
int end_phase(struct program* program, plimsoll_recorder* recorder, plimsoll_summary* summary);
plimsoll_id id_of(int number);
int count_objects(const struct program* program);

/* Its functions for migrations. */
plimsoll_transport transport_of(struct program* program);
int64_t pack(plimsoll_id id, void* bytes, int64_t size_bytes, void* context);
void remove_object(plimsoll_id id, void* context);

/* c_balancing_errors_test.c */
void check_errors(void);
/* Ranks in different calls get an error, also if one has invalid arguments. */
void check_different_calls(void);
void check_missing_balancer(void);

/* c_planning_test.c */
/* Rank 0 has 2 objects for each rank, in pairs that send messages. */
void check_plan_without_recorder(void);

#endif
