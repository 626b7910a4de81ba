/* Calls the functions of plimsoll.h that measure and checks the results; language_check.cpp checks the
 * written files. plimsoll_fortran_test.f90 is the same test in Fortran. This program is longer than 500 lines
 * because it calls every function. */
#include <plimsoll.h>
#include <stdio.h>
#include <string.h>

#include "runtime/bindings/language_check.h"

static int failures = 0;
static int rank = 0;
static int ranks = 0;

#define CHECK(condition)                                                                             \
  do {                                                                                               \
    if (!(condition)) {                                                                              \
      fprintf(stderr, "rank %d: %s:%d: %s (last error: %s)\n", rank, __FILE__, __LINE__, #condition, \
              plimsoll_error_message());                                                             \
      ++failures;                                                                                    \
    }                                                                                                \
  } while (0)

static void spin(double time_s) {
  const double end_s = MPI_Wtime() + time_s;
  while (MPI_Wtime() < end_s) {
  }
}

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

static const plimsoll_object no_object = {0};

static int same(plimsoll_object left, plimsoll_object right) {
  return left.number == right.number;
}

static int same_id(plimsoll_id left, plimsoll_id right) {
  return left.number == right.number;
}

static int near_to(double left, double right) {
  return left - right < 1e-9 && right - left < 1e-9;
}

static void check_null_recorder(void) {
  plimsoll_recorder* none = NULL;
  const plimsoll_object object = {1};
  plimsoll_begin(none, object);
  plimsoll_end(none, object);
  plimsoll_set_integer(none, PLIMSOLL_PHASE, PLIMSOLL_NO_OBJECT, "x", 1);
  CHECK(same(plimsoll_register(none, 0, NULL, NULL), no_object));
  CHECK(plimsoll_get_obj_time(none, object) == 0);
  CHECK(strcmp(plimsoll_data_files(none), "") == 0);
  CHECK(plimsoll_next_phase(none, NULL) == 2);
  CHECK(strstr(plimsoll_error_message(), "start it first") != NULL);
  CHECK(plimsoll_finish(&none) == 0);
}

static void check_wrong_start(void) {
  char program[] = "program";
  char misspelt[] = "--vt_lb_dta";
  char* words[] = {program, misspelt, NULL};
  int count = 2;
  plimsoll_recorder* recorder = NULL;
  CHECK(plimsoll_start(&recorder, MPI_COMM_WORLD, &count, words) == 2);
  CHECK(recorder == NULL);
  CHECK(strstr(plimsoll_error_message(), "--vt_lb_data") != NULL);
  CHECK(plimsoll_start(NULL, MPI_COMM_WORLD, NULL, NULL) == 2);
  CHECK(strstr(plimsoll_error_message(), "pass the address of a plimsoll_recorder*") != NULL);
  CHECK(plimsoll_start(&recorder, MPI_COMM_NULL, NULL, NULL) == 2);
  CHECK(strstr(plimsoll_error_message(), "MPI_COMM_NULL") != NULL);
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

/* Starts a recorder that writes no files. */
static plimsoll_recorder* start_quietly(void) {
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

/* Replaces objects in a separate recorder, so that the files contain only the objects above. */
static void check_changing_objects(void) {
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

/* Checks that invalid arguments make next_phase() fail. */
static void check_wrong_arguments(void) {
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

/* Simulates a program built with an earlier header, whose structures were shorter: other data follow them in
 * memory. */
static void check_older_program(void) {
  plimsoll_recorder* recorder = start_quietly();
  struct {
    struct {
      uint32_t struct_size;
      int home;
      int migratable;
    } spec;
    int measured_is_not_part_of_it;
  } older = {{sizeof older.spec, -1, 0}, 0};
  const plimsoll_object object =
      plimsoll_register(recorder, 0, NULL, (const plimsoll_spec*)(const void*)&older.spec);
  CHECK(same_id(plimsoll_id_of(recorder, object), plimsoll_make_id(rank, 0, 0)));
  plimsoll_begin(recorder, object); /* measured by default */
  spin(0.002);
  plimsoll_end(recorder, object);
  CHECK(plimsoll_get_obj_time(recorder, object) >= 0.0019);

  struct {
    struct {
      uint32_t struct_size;
      int64_t phase;
      double total_s;
    } summary;
    double objects_s_is_not_part_of_it;
  } shorter = {{sizeof shorter.summary, -1, -1}, -5};
  CHECK(plimsoll_next_phase(recorder, (plimsoll_summary*)(void*)&shorter.summary) == 0);
  CHECK(shorter.summary.struct_size == sizeof shorter.summary);
  CHECK(shorter.summary.phase == 0 && shorter.summary.total_s >= 0.0019);
  CHECK(shorter.objects_s_is_not_part_of_it == -5);
  CHECK(plimsoll_finish(&recorder) == 0);
}

/* Simulates a program built with a later header, whose structures are longer. */
static void check_newer_program(void) {
  plimsoll_recorder* recorder = start_quietly();
  struct {
    plimsoll_spec known;
    int64_t added;
  } spec = {PLIMSOLL_SPEC_INIT, 0};
  spec.known.struct_size = sizeof spec;
  spec.known.number = 77;
  const plimsoll_object object = plimsoll_register(recorder, 0, NULL, &spec.known);
  CHECK(same_id(plimsoll_id_of(recorder, object), plimsoll_make_id(rank, 77, 1)));

  struct {
    plimsoll_summary known;
    double added;
  } summary = {PLIMSOLL_SUMMARY_INIT, -1};
  summary.known.struct_size = sizeof summary;
  CHECK(plimsoll_next_phase(recorder, &summary.known) == 0);
  CHECK(summary.known.struct_size == sizeof summary);
  CHECK(summary.known.objects == 2 * (uint64_t)ranks && summary.added == 0);

  spec.added = 1;
  CHECK(same(plimsoll_register(recorder, 0, NULL, &spec.known), no_object));
  CHECK(plimsoll_next_phase(recorder, &summary.known) == 2);
  CHECK(strstr(plimsoll_error_message(), "does not support") != NULL);
  CHECK(summary.known.objects == 0);
  CHECK(plimsoll_finish(&recorder) == 0);
}

/* Passes uninitialised structures. */
static void check_missing_sizes(void) {
  plimsoll_recorder* recorder = start_quietly();
  plimsoll_spec spec = PLIMSOLL_SPEC_INIT;
  spec.struct_size = 0;
  CHECK(same(plimsoll_register(recorder, 0, NULL, &spec), no_object));
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(strstr(plimsoll_error_message(), "PLIMSOLL_SPEC_INIT") != NULL);
  plimsoll_summary summary = PLIMSOLL_SUMMARY_INIT;
  summary.struct_size = 0;
  CHECK(plimsoll_next_phase(recorder, &summary) == 2);
  CHECK(strstr(plimsoll_error_message(), "PLIMSOLL_SUMMARY_INIT") != NULL);
  summary.struct_size = UINT32_MAX; /* a value that an uninitialised structure may contain */
  CHECK(plimsoll_next_phase(recorder, &summary) == 2);
  CHECK(strstr(plimsoll_error_message(), "PLIMSOLL_SUMMARY_INIT") != NULL);
  CHECK(plimsoll_phase(recorder) == 3);
  CHECK(plimsoll_finish(&recorder) == 0);
}

/* Passes invalid sizes: one ends within a member, the other far beyond the structure. The library must reject
 * both and change neither the structure nor the memory behind it. */
static void check_impossible_size(plimsoll_recorder* recorder, uint32_t size, const char* text) {
  struct {
    plimsoll_spec spec;
    plimsoll_summary summary;
    unsigned char guard[64];
  } given, before;
  memset(&given, 0xa5, sizeof given);
  given.spec.struct_size = size;
  given.summary.struct_size = size;
  before = given;

  CHECK(same(plimsoll_register(recorder, 0, NULL, &given.spec), no_object));
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(strstr(plimsoll_error_message(), "plimsoll_spec") != NULL);
  CHECK(strstr(plimsoll_error_message(), text) != NULL);
  CHECK(plimsoll_next_phase(recorder, &given.summary) == 2);
  CHECK(strstr(plimsoll_error_message(), "plimsoll_summary") != NULL);
  CHECK(strstr(plimsoll_error_message(), text) != NULL);
  CHECK(memcmp(&given, &before, sizeof given) == 0);
}

static void check_impossible_sizes(void) {
  plimsoll_recorder* recorder = start_quietly();
  check_impossible_size(recorder, 31, " 31");
  check_impossible_size(recorder, 0x7fff0000, " 2147418112");
  CHECK(plimsoll_finish(&recorder) == 0);
}

/* Checks that rank 0 prints errors that the program does not check, once. */
static void check_unchecked_errors(void) {
  plimsoll_recorder* recorder = start_quietly();
  plimsoll_begin_capture();
  for (int phase = 0; phase < 3; ++phase) {
    plimsoll_begin(recorder, plimsoll_rank_object(recorder));
    if (plimsoll_next_phase(recorder, NULL) != 2) ++failures;
  }
  if (plimsoll_next_phase(recorder, NULL) != 0) ++failures;
  const int printed = plimsoll_end_capture(
      "plimsoll: unchecked error: phase 0 ended with 1 plimsoll_begin() calls still open");
  CHECK(printed == (rank == 0 ? 1 : 0));

  plimsoll_begin_capture();
  plimsoll_begin(recorder, plimsoll_rank_object(recorder));
  if (plimsoll_next_phase(recorder, NULL) != 2) ++failures;
  if (strstr(plimsoll_error_message(), "plimsoll_begin()") == NULL) ++failures;
  if (plimsoll_finish(&recorder) != 0) ++failures;
  CHECK(plimsoll_end_capture("unchecked") == 0);
}

static void check_defaults(const char* folder) {
  CHECK(plimsoll_set_default("lb_dta", "true") == 2);
  CHECK(strstr(plimsoll_error_message(), "unknown setting \"lb_dta\"; did you mean lb_data?") != NULL);
  CHECK(plimsoll_set_default("lb_data", "perhaps") == 2);
  CHECK(strstr(plimsoll_error_message(), "invalid value \"perhaps\" for lb_data; use true or false") != NULL);
  CHECK(plimsoll_set_default(NULL, "true") == 2);
  CHECK(strstr(plimsoll_error_message(), "is NULL") != NULL);

  char name[4096];
  snprintf(name, sizeof name, "%s/none", folder);
  CHECK(plimsoll_set_default("lb_spec", "true") == 0);
  CHECK(plimsoll_set_default("lb_spec_file", name) == 0);
  plimsoll_recorder* recorder = NULL;
  CHECK(plimsoll_start(&recorder, MPI_COMM_WORLD, NULL, NULL) == 3);
  CHECK(strstr(plimsoll_error_message(), name) != NULL); /* the file does not exist */
  CHECK(plimsoll_set_default("lb_spec", "false") == 0);
  CHECK(plimsoll_set_default("lb_spec_file", "") == 0);
}

/* Arguments of the test select the directory of the data files. */
static void check_data_files(const plimsoll_recorder* recorder, const char* folder) {
  char files[4096];
  snprintf(files, sizeof files, "%s/data.%%p.json.br", folder);
  CHECK(strcmp(plimsoll_data_files(recorder), files) == 0);
}

/* Starts a recorder that is not finished. */
static plimsoll_recorder* start_unfinished(const char* folder) {
  char name[4096];
  snprintf(name, sizeof name, "%s/unfinished", folder);
  CHECK(plimsoll_set_default("lb_data", "true") == 0);
  CHECK(plimsoll_set_default("lb_data_dir", name) == 0);
  CHECK(plimsoll_set_default("lb_data_overwrite", "true") == 0);
  CHECK(plimsoll_set_default("lb_quiet", "true") == 0);
  plimsoll_recorder* recorder = NULL;
  CHECK(plimsoll_start(&recorder, MPI_COMM_WORLD, NULL, NULL) == 0);
  CHECK(plimsoll_next_phase(recorder, NULL) == 0);
  CHECK(plimsoll_next_phase(recorder, NULL) == 0);
  return recorder;
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
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  check_null_recorder();
  check_wrong_start();
  check_wrong_arguments();
  check_older_program();
  check_newer_program();
  check_missing_sizes();
  check_impossible_sizes();
  check_changing_objects();

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
