#include "runtime/bindings/c_balanced_program.h"

#include <stdlib.h>
#include <string.h>

const double total_load_s = 300;

plimsoll_id id_of(int number) {
  return plimsoll_make_id(0, number, 1);
}

static int is_complete(const struct program* program, int object) {
  for (int k = 0; k <= object; ++k)
    if (program->numbers[object][k] != 1000 * object + k) return 0;
  return 1;
}

int count_objects(const struct program* program) {
  int count = 0;
  for (int object = 0; object < object_count; ++object)
    if (program->numbers[object] != NULL) ++count;
  return count;
}

plimsoll_recorder* start_program(struct program* program, const char* strategy) {
  char name[64];
  snprintf(name, sizeof name, "--vt_lb_name=%s", strategy);
  char* words[] = {
      "program", "--vt_lb_quiet", "--vt_lb", name, "--vt_lb_when=always", "--vt_lb_run_lb_first_phase", NULL};
  int count = 6;
  plimsoll_recorder* recorder = NULL;
  CHECK(plimsoll_start(&recorder, MPI_COMM_WORLD, &count, words) == 0);
  program->can_pack = 1;
  for (int object = 0; object < object_count; ++object) {
    program->numbers[object] = NULL;
    if (rank != 0) continue;
    plimsoll_register_id(recorder, id_of(object), 0, NULL, NULL);
    program->numbers[object] = malloc((size_t)(object + 1) * sizeof(int64_t));
    for (int k = 0; k <= object; ++k) program->numbers[object][k] = 1000 * object + k;
  }
  return recorder;
}

void end_program(struct program* program, plimsoll_recorder** recorder) {
  for (int object = 0; object < object_count; ++object) free(program->numbers[object]);
  CHECK(plimsoll_finish(recorder) == 0);
}

int end_phase(struct program* program, plimsoll_recorder* recorder, plimsoll_summary* summary) {
  for (int object = 0; object < object_count; ++object) {
    const plimsoll_object found = plimsoll_find(recorder, id_of(object));
    CHECK((found.number != 0) == (program->numbers[object] != NULL));
    if (program->numbers[object] == NULL) continue;
    CHECK(is_complete(program, object));
    plimsoll_add_time(recorder, found, object + 1);
  }
  return plimsoll_next_phase(recorder, summary);
}

/* Its functions for migrations. */

static int64_t size_of_object(plimsoll_id id, void* context) {
  (void)context;
  return (plimsoll_number_of(id) + 1) * (int64_t)sizeof(int64_t);
}

int64_t pack(plimsoll_id id, void* bytes, int64_t size_bytes, void* context) {
  struct program* program = context;
  if (!program->can_pack) return -1;
  memcpy(bytes, program->numbers[plimsoll_number_of(id)], (size_t)size_bytes);
  return size_bytes;
}

static int64_t unpack(plimsoll_id id, const void* bytes, int64_t size_bytes, void* context) {
  struct program* program = context;
  int64_t** numbers = &program->numbers[plimsoll_number_of(id)];
  CHECK(*numbers == NULL);
  *numbers = malloc((size_t)size_bytes);
  memcpy(*numbers, bytes, (size_t)size_bytes);
  return size_bytes;
}

void remove_object(plimsoll_id id, void* context) {
  struct program* program = context;
  int64_t** numbers = &program->numbers[plimsoll_number_of(id)];
  CHECK(*numbers != NULL);
  free(*numbers);
  *numbers = NULL;
}

plimsoll_transport transport_of(struct program* program) {
  plimsoll_transport transport = PLIMSOLL_TRANSPORT_INIT;
  transport.context = program;
  transport.size_bytes = size_of_object;
  transport.pack = pack;
  transport.unpack = unpack;
  transport.remove = remove_object;
  return transport;
}
