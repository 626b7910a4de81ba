/* Passes structures of programs that were built with other versions of plimsoll.h. */
#include "runtime/bindings/c_interface_test.h"

static const plimsoll_object no_object = {0};

void check_older_program(void) {
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

void check_newer_program(void) {
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

void check_missing_sizes(void) {
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

void check_impossible_sizes(void) {
  plimsoll_recorder* recorder = start_quietly();
  check_impossible_size(recorder, 31, " 31");
  check_impossible_size(recorder, 0x7fff0000, " 2147418112");
  CHECK(plimsoll_finish(&recorder) == 0);
}
