/* Calls the functions of plimsoll.h that measure and checks the results; language_check.cpp checks the
 * written files. fortran_interface_test.f90 is the same test in Fortran. */
#include "runtime/bindings/c_interface_test.h"

#include <plimsoll.h>
#include <stdio.h>
#include <string.h>

#include "runtime/bindings/language_check.h"

static const plimsoll_object no_object = {0};

/* Callback contexts. */
struct asked {
  plimsoll_object object;
  int times;
};
struct called {
  int ends;
  int starts;
  int64_t last_phase;
};

static double half_a_second(plimsoll_object object, void* context) {
  struct asked* asked = context;
  asked->object = object;
  ++asked->times;
  return 0.5;
}

static void at_end(const plimsoll_summary* summary, void* context) {
  struct called* called = context;
  ++called->ends;
  called->last_phase = summary->phase;
}

static void at_start(int64_t phase, void* context) {
  struct called* called = context;
  CHECK(phase == called->last_phase + 1);
  ++called->starts;
}

/* Objects of this rank, as language_check.cpp expects them. */
struct objects {
  plimsoll_object counted;
  plimsoll_object modelled;
  plimsoll_object guest;
  plimsoll_object member;
};

static struct objects register_all(plimsoll_recorder* recorder) {
  struct objects made;
  const int next = (rank + 1) % ranks;
  const uint64_t another = plimsoll_add_collection(recorder);

  const int64_t index[] = {rank, -2, 5000000000};
  made.counted = plimsoll_register(recorder, 3, index, NULL);
  CHECK(same_id(plimsoll_id_of(recorder, made.counted), plimsoll_make_id(rank, 0, 1)));

  plimsoll_spec spec = PLIMSOLL_SPEC_INIT;
  spec.collection = another;
  spec.number = 100 + rank;
  spec.home = next;
  spec.migratable = 0;
  spec.measured = 0;
  made.modelled = plimsoll_register(recorder, 1, index, &spec);
  CHECK(same_id(plimsoll_id_of(recorder, made.modelled), plimsoll_make_id(next, 100 + rank, 0)));

  const plimsoll_id id = plimsoll_make_id(next, 7, 1);
  made.guest = plimsoll_register_id(recorder, id, 0, NULL, NULL);
  CHECK(same_id(plimsoll_id_of(recorder, made.guest), id));
  CHECK(same(plimsoll_find(recorder, id), made.guest));
  CHECK(same(plimsoll_find(recorder, plimsoll_make_id(0, 999, 1)), no_object));
  CHECK(plimsoll_make_id(0, -1, 1).number == 0);
  CHECK(plimsoll_make_id(-1, 0, 1).number == 0);
  CHECK(plimsoll_number_of(id) == 7);
  CHECK(plimsoll_number_of(plimsoll_rank_object_id(0)) == -1);

  made.member = plimsoll_register_group(recorder);
  CHECK(made.member.number != 0 && plimsoll_id_of(recorder, made.member).number != 0);
  CHECK(plimsoll_rank_object(recorder).number != 0);
  return made;
}

static void send_messages(plimsoll_recorder* recorder, plimsoll_id one, plimsoll_id other) {
  const int next = (rank + 1) % ranks;
  plimsoll_message(recorder, one, other, 100);
  plimsoll_message(recorder, one, other, 100);
  plimsoll_message_to_rank(recorder, one, next, 30);
  plimsoll_message_from_rank(recorder, next, one, 40);
  plimsoll_broadcast(recorder, one, other, 50);
  plimsoll_broadcast_to_rank(recorder, one, ranks - 1, 60);
  plimsoll_broadcast_from_rank(recorder, 0, one, 70);
  plimsoll_writable_shared(recorder, rank, 5, 80);
  plimsoll_read_only_shared(recorder, 0, 6, 10000000000);
  plimsoll_record_edge(recorder, PLIMSOLL_LOCAL_INVOKE, one.number, one.number, 90, 3);
  plimsoll_record_edge(recorder, PLIMSOLL_COLLECTIVE_TO_COLLECTION_BCAST, (uint64_t)next, one.number, 95, 4);
}

/* Records everything once, in phase 0. */
static void measure(plimsoll_recorder* recorder, const struct objects* objects) {
  plimsoll_set_subphase(recorder, 1);
  plimsoll_add_time(recorder, objects->counted, 0.25);
  plimsoll_leave_subphase(recorder);
  plimsoll_add_time(recorder, objects->counted, 0.5);
  CHECK(near_to(plimsoll_get_obj_time(recorder, objects->counted), 0.75));
  plimsoll_add_time(recorder, objects->guest, 1);
  plimsoll_set_obj_time(recorder, objects->guest, 2);
  CHECK(near_to(plimsoll_get_obj_time(recorder, objects->guest), 2));

  plimsoll_begin(recorder, objects->member);
  spin(0.02);
  plimsoll_end(recorder, objects->member);
  CHECK(plimsoll_get_obj_time(recorder, objects->member) >= 0.0199);
  plimsoll_begin_idle(recorder);
  spin(0.01);
  plimsoll_end_idle(recorder);

  plimsoll_instrument(recorder, 0);
  plimsoll_add_time(recorder, objects->counted, 100);
  plimsoll_message(recorder, plimsoll_id_of(recorder, objects->counted), plimsoll_make_id(0, 0, 1), 1);
  plimsoll_instrument(recorder, 1);

  send_messages(recorder, plimsoll_id_of(recorder, objects->counted),
                plimsoll_id_of(recorder, objects->guest));
  plimsoll_set_integer(recorder, PLIMSOLL_USER_DEFINED, objects->counted, "cells", 1099511627776);
  plimsoll_set_text(recorder, PLIMSOLL_USER_DEFINED, objects->counted, "name", "a \"wave\"");
  plimsoll_set_real(recorder, PLIMSOLL_ATTRIBUTES, objects->counted, "weight", 1.5);
  plimsoll_set_integer(recorder, PLIMSOLL_PHASE, PLIMSOLL_NO_OBJECT, "step", 11);
  plimsoll_set_real(recorder, PLIMSOLL_PHASE, PLIMSOLL_NO_OBJECT, "time", 0.125);
  plimsoll_set_text(recorder, PLIMSOLL_RANK, PLIMSOLL_NO_OBJECT, "kind", "test");
}

static void check_summary(const plimsoll_summary* summary) {
  CHECK(summary->phase == 0);
  CHECK(near_to(summary->total_s, summary->objects_s + summary->background_s + summary->idle_s));
  CHECK(summary->objects_s >= 0.0199);
  CHECK(summary->idle_s >= 0.0099);
  CHECK(summary->duration_s >= 0.0299);
  CHECK(summary->rank_load_max_s >= 3.2699); /* 0.75 + 0.5 + 2 + 0.02 */
  CHECK(summary->rank_load_mean_s >= 3.2699 && summary->rank_load_mean_s <= summary->rank_load_max_s + 1e-9);
  CHECK(near_to(summary->imbalance, summary->rank_load_max_s / summary->rank_load_mean_s - 1));
  CHECK(summary->objects == 5 * (uint64_t)ranks); /* includes one task for the rank itself */
}

/* Arguments of the test select the directory of the data files. */
static void check_data_files(const plimsoll_recorder* recorder, const char* folder) {
  char files[4096];
  snprintf(files, sizeof files, "%s/data.%%p.json.br", folder);
  CHECK(strcmp(plimsoll_data_files(recorder), files) == 0);
}

/* Causes an error on the last rank only, in phase 1. Checks that all ranks receive it. */
static void check_error(plimsoll_recorder* recorder, const struct objects* objects) {
  char who[64] = "in phase 1 does not match the last plimsoll_begin()";
  if (ranks > 1) snprintf(who, sizeof who, "rank %d: plimsoll_end() for object ", ranks - 1);
  if (rank == ranks - 1) plimsoll_end(recorder, objects->counted);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(strstr(plimsoll_error_message(), who) != NULL);
  CHECK(plimsoll_phase(recorder) == 2);
}

int main(int argc, char** argv) {
  const int printed = errors_printed_before_mpi();
  start_test(&argc, &argv);
  CHECK(printed == (rank == 0 ? 1 : 0));
  check_null_recorder();
  check_wrong_start();
  check_wrong_arguments();
  check_older_program();
  check_newer_program();
  check_missing_sizes();
  check_impossible_sizes();
  check_inferred_loads();
  check_device_times();
  check_changing_objects();
  check_object_properties();
  check_values_read();

  check_unchecked_errors();

  const char* folder = argv[1];
  check_defaults(folder);
  plimsoll_recorder* recorder;
  CHECK(plimsoll_start(&recorder, MPI_COMM_WORLD, &argc, argv) == 0);
  CHECK(argc == 2 && argv[1] == folder); /* Plimsoll's arguments were removed */
  check_data_files(recorder, folder);
  const struct objects objects = register_all(recorder);
  struct asked asked = {{0}, 0};
  struct called called = {0, 0, -1};
  plimsoll_user_set_lb_load(recorder, half_a_second, &asked);
  plimsoll_on_phase_end(recorder, at_end, &called);
  plimsoll_on_phase_start(recorder, at_start, &called);

  measure(recorder, &objects);
  plimsoll_summary summary = PLIMSOLL_SUMMARY_INIT;
  CHECK(plimsoll_next_phase(recorder, &summary) == 0);
  check_summary(&summary);
  CHECK(same(asked.object, objects.modelled) && asked.times == 1);
  CHECK(called.ends == 1 && called.starts == 1);

  check_error(recorder, &objects);

  const plimsoll_id guest = plimsoll_id_of(recorder, objects.guest);
  plimsoll_remove(recorder, objects.guest);
  CHECK(plimsoll_find(recorder, guest).number == 0 && plimsoll_id_of(recorder, objects.guest).number == 0);
  plimsoll_remove_value(recorder, PLIMSOLL_USER_DEFINED, objects.counted, "name");
  plimsoll_remove_value(recorder, PLIMSOLL_ATTRIBUTES, objects.counted, "weight");
  plimsoll_set_integer(recorder, PLIMSOLL_ATTRIBUTES, objects.counted, "forgotten", 1);
  plimsoll_remove_all_values(recorder, objects.counted);
  plimsoll_set_integer(recorder, PLIMSOLL_USER_DEFINED, objects.counted, "cells", 1099511627776);
  plimsoll_user_set_lb_load(recorder, NULL, NULL);
  CHECK(plimsoll_next_phase(recorder, NULL) == 0);
  CHECK(asked.times == 2 && called.ends == 3);

  CHECK(plimsoll_finish(&recorder) == 0);
  CHECK(recorder == NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) failures += plimsoll_check_written(folder, ranks);
  plimsoll_recorder* unfinished = start_unfinished(folder);
  MPI_Finalize();
  if (rank == 0) CHECK(plimsoll_phases_written(folder, "unfinished", ranks) == 2);
  CHECK(plimsoll_next_phase(unfinished, NULL) == 2);
  CHECK(strstr(plimsoll_error_message(), "plimsoll_next_phase() called after plimsoll_finish()") != NULL);
  CHECK(plimsoll_finish(&unfinished) == 0);
  return failures == 0 ? 0 : 1;
}
