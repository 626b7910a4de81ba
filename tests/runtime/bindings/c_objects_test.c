/* Replaces objects in C, and passes invalid arguments for objects and values. */
#include "runtime/bindings/c_interface_test.h"

static const plimsoll_object no_object = {0};

void check_changing_objects(void) {
  plimsoll_recorder* recorder = start_quietly();
  const plimsoll_id ids[] = {plimsoll_make_id(rank, 1, 1), plimsoll_make_id(rank, 2, 1)};
  plimsoll_object objects[2];
  plimsoll_set_objects(recorder, 1, ids, NULL, NULL);
  const plimsoll_object first = plimsoll_find(recorder, ids[0]);
  plimsoll_add_time(recorder, first, 4);
  CHECK(plimsoll_next_phase(recorder, NULL) == 0);
  plimsoll_set_objects(recorder, 2, ids, NULL, objects);
  CHECK(same(objects[0], first) && same(objects[1], plimsoll_find(recorder, ids[1])));
  const double position[] = {0.5, 1.5, 2.5};
  plimsoll_set_position(recorder, first, 3, position);
  plimsoll_inherit(recorder, first, objects[1], 0.5);
  plimsoll_set_objects(recorder, 0, NULL, NULL, NULL);
  CHECK(same(plimsoll_find(recorder, ids[0]), no_object));
  CHECK(plimsoll_next_phase(recorder, NULL) == 0);

  CHECK(same_id(plimsoll_rank_object_id(rank), plimsoll_id_of(recorder, plimsoll_rank_object(recorder))));
  CHECK(plimsoll_rank_object_id(-1).number == 0);
  plimsoll_set_position(recorder, plimsoll_rank_object(recorder), 4, NULL);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(strstr(plimsoll_error_message(), "array of 4 coordinates") != NULL);
  plimsoll_set_objects(recorder, -1, ids, NULL, NULL);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(strstr(plimsoll_error_message(), "array of -1 ids") != NULL);
  CHECK(plimsoll_finish(&recorder) == 0);
}

/* Returns the load of an object after 2 ms of work on it. */
static double worked_s(plimsoll_recorder* recorder, plimsoll_object object) {
  plimsoll_begin(recorder, object);
  spin(0.002);
  plimsoll_end(recorder, object);
  return plimsoll_get_obj_time(recorder, object);
}

void check_object_properties(void) {
  plimsoll_recorder* recorder = start_quietly();
  const plimsoll_object object = plimsoll_register(recorder, 0, NULL, NULL);
  CHECK(worked_s(recorder, object) >= 0.0019);
  plimsoll_set_measured(recorder, object, 0);
  CHECK(worked_s(recorder, object) == 0);
  CHECK(plimsoll_next_phase(recorder, NULL) == 0);
  CHECK(worked_s(recorder, object) == 0);
  plimsoll_set_measured(recorder, object, 1);
  CHECK(worked_s(recorder, object) >= 0.0019);

  plimsoll_set_migratable(recorder, object, 0);
  plimsoll_set_migratable(recorder, object, 1);
  CHECK(plimsoll_next_phase(recorder, NULL) == 0);
  plimsoll_set_migratable(recorder, plimsoll_rank_object(recorder), 1);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(message_contains("cannot become migratable"));
  plimsoll_remove(recorder, object);
  plimsoll_set_migratable(recorder, object, 0);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(message_contains("plimsoll_set_migratable(): object is not (or no longer) registered"));
  plimsoll_set_measured(recorder, object, 0);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(message_contains("plimsoll_set_measured(): object"));
  plimsoll_remove_all_values(recorder, object);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(message_contains("plimsoll_remove_all_values(): object"));
  CHECK(plimsoll_finish(&recorder) == 0);
}

void check_values_read(void) {
  plimsoll_recorder* recorder = start_quietly();
  const plimsoll_object object = plimsoll_register(recorder, 0, NULL, NULL);
  plimsoll_set_integer(recorder, PLIMSOLL_USER_DEFINED, object, "cells", INT64_C(1) << 60);
  plimsoll_set_integer(recorder, PLIMSOLL_ATTRIBUTES, object, "cells", -3);
  plimsoll_set_real(recorder, PLIMSOLL_USER_DEFINED, object, "weight", 0.1);
  plimsoll_set_text(recorder, PLIMSOLL_USER_DEFINED, object, "name", "7");
  int64_t integer = 5;
  double real = 5;
  CHECK(plimsoll_get_integer(recorder, PLIMSOLL_USER_DEFINED, object, "cells", &integer) == 1);
  CHECK(integer == INT64_C(1) << 60);
  CHECK(plimsoll_get_integer(recorder, PLIMSOLL_ATTRIBUTES, object, "cells", &integer) == 1);
  CHECK(integer == -3);
  CHECK(plimsoll_get_real(recorder, PLIMSOLL_USER_DEFINED, object, "weight", &real) == 1);
  CHECK(real == 0.1);
  CHECK(plimsoll_get_real(recorder, PLIMSOLL_ATTRIBUTES, object, "cells", &real) == 1);
  CHECK(real == -3);
  /* Missing values, and those of other types. */
  CHECK(plimsoll_get_integer(recorder, PLIMSOLL_USER_DEFINED, object, "faces", &integer) == 0);
  CHECK(plimsoll_get_integer(recorder, PLIMSOLL_USER_DEFINED, object, "weight", &integer) == 0);
  CHECK(plimsoll_get_real(recorder, PLIMSOLL_USER_DEFINED, object, "name", &real) == 0);
  CHECK(plimsoll_get_real(recorder, PLIMSOLL_USER_DEFINED, no_object, "weight", &real) == 0);
  CHECK(plimsoll_get_real(NULL, PLIMSOLL_USER_DEFINED, object, "weight", &real) == 0);
  CHECK(integer == -3 && real == -3);
  CHECK(plimsoll_next_phase(recorder, NULL) == 0);
  CHECK(plimsoll_get_real(recorder, PLIMSOLL_PHASE, object, "weight", &real) == 0);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(message_contains("only object values can be read"));
  CHECK(plimsoll_get_real(recorder, PLIMSOLL_USER_DEFINED, object, "weight", NULL) == 0);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(message_contains("the pointer to a result is NULL"));
  CHECK(plimsoll_finish(&recorder) == 0);
}

void check_wrong_arguments(void) {
  plimsoll_recorder* recorder = start_quietly();
  const plimsoll_object object = plimsoll_rank_object(recorder);

  CHECK(same(plimsoll_register(recorder, 2, NULL, NULL), no_object));
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(strstr(plimsoll_error_message(), "2 dimensions without index values") != NULL);
  plimsoll_set_integer(recorder, PLIMSOLL_USER_DEFINED, object, NULL, 1);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  plimsoll_set_text(recorder, PLIMSOLL_PHASE, PLIMSOLL_NO_OBJECT, "name", NULL);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(strstr(plimsoll_error_message(), "is NULL") != NULL);
  plimsoll_remove_value(recorder, PLIMSOLL_PHASE, PLIMSOLL_NO_OBJECT, "name");
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(plimsoll_finish(&recorder) == 0);
}
