/* Starts and ends recorders in C, with defaults of the program and with errors. */
#include <stdio.h>

#include "runtime/bindings/c_interface_test.h"
#include "runtime/bindings/language_check.h"

static const plimsoll_object no_object = {0};

int errors_printed_before_mpi(void) {
  plimsoll_begin_capture();
  if (plimsoll_set_default("lb_dta", "true") != 2) ++failures;
  if (plimsoll_set_default("lb_quiet", "false") != 0) ++failures;
  return plimsoll_end_capture("plimsoll: unchecked error: unknown setting \"lb_dta\"");
}

void check_null_recorder(void) {
  plimsoll_recorder* none = NULL;
  const plimsoll_object object = {1};
  plimsoll_begin(none, object);
  plimsoll_end(none, object);
  plimsoll_set_integer(none, PLIMSOLL_PHASE, PLIMSOLL_NO_OBJECT, "x", 1);
  CHECK(same(plimsoll_register(none, 0, NULL, NULL), no_object));
  CHECK(plimsoll_get_obj_time(none, object) == 0);
  CHECK(strcmp(plimsoll_data_files(none), "") == 0);
  plimsoll_region_begin("solve"); /* regions need neither a recorder nor the profiler */
  plimsoll_region_end("other");
  plimsoll_region_begin(NULL);
  CHECK(plimsoll_next_phase(none, NULL) == 2);
  CHECK(strstr(plimsoll_error_message(), "start it first") != NULL);
  CHECK(plimsoll_finish(&none) == 0);
}

void check_wrong_start(void) {
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

void check_unchecked_errors(void) {
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

void check_defaults(const char* folder) {
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

plimsoll_recorder* start_unfinished(const char* folder) {
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
