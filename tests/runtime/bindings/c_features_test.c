/* Infers loads, and passes those of a device, in C. */
#include "runtime/bindings/c_interface_test.h"

void check_inferred_loads(void) {
  plimsoll_recorder* recorder = start_quietly();
  double cost_s = -1;
  double error_s = -1;
  CHECK(plimsoll_infer_loads(recorder, NULL) == 2);
  CHECK(strstr(plimsoll_error_message(), "a feature has no name") != NULL ||
        strstr(plimsoll_error_message(), "invalid number of features 0") != NULL);
  CHECK(plimsoll_infer_loads(recorder, "cells, ") == 2);
  CHECK(strstr(plimsoll_error_message(), "a feature has no name") != NULL);
  CHECK(plimsoll_infer_loads(recorder, " cells , particles") == 0);
  CHECK(plimsoll_get_feature_cost(recorder, "cells", &cost_s, &error_s) == 0);
  for (int pack = 0; pack < 4; ++pack) {
    const plimsoll_object object = plimsoll_register(recorder, 0, NULL, NULL);
    const double features[] = {10 + pack, (7 * pack) % 5};
    plimsoll_set_features(recorder, object, 2, features);
    plimsoll_set_pack(recorder, object, pack);
  }
  for (int phase = 0; phase < 5; ++phase) {
    for (int pack = 0; pack < 4; ++pack)
      plimsoll_add_pack_time(recorder, pack, 2.0 * (10 + pack) + 3.0 * ((7 * pack) % 5));
    CHECK(plimsoll_next_phase(recorder, NULL) == 0);
  }
  CHECK(plimsoll_get_feature_cost(recorder, "cells", &cost_s, &error_s) == 1);
  CHECK(cost_s > 1.95 && cost_s < 2.05 && error_s >= 0 && error_s < 1);
  CHECK(plimsoll_get_feature_cost(recorder, "particles", &cost_s, &error_s) == 1);
  CHECK(cost_s > 2.9 && cost_s < 3.1);
  CHECK(plimsoll_get_feature_cost(recorder, "cell", &cost_s, &error_s) == 0);

  const plimsoll_object wrong = plimsoll_register(recorder, 0, NULL, NULL);
  const double negative[] = {1, -2};
  plimsoll_set_features(recorder, wrong, 2, negative);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(strstr(plimsoll_error_message(), "invalid value -2 of feature \"particles\" of object 4") != NULL);
  plimsoll_set_features(recorder, wrong, -1, negative);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(strstr(plimsoll_error_message(), "array of -1 features") != NULL);
  CHECK(plimsoll_finish(&recorder) == 0);
  CHECK(plimsoll_infer_loads(recorder, "cells") == 2);
  plimsoll_set_pack(recorder, wrong, 1);
}

void check_device_times(void) {
  plimsoll_recorder* recorder = start_quietly();
  const plimsoll_object object = plimsoll_register(recorder, 0, NULL, NULL);
  plimsoll_add_device_time(recorder, object, 0.5, plimsoll_phase(recorder));
  CHECK(plimsoll_next_phase(recorder, NULL) == 0);
  plimsoll_add_device_time(recorder, object, 0.5, plimsoll_phase(recorder) - 1);
  CHECK(plimsoll_next_phase(recorder, NULL) == 0);
  plimsoll_add_device_time(recorder, object, 0.5, plimsoll_phase(recorder) + 1);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(strstr(plimsoll_error_message(), "invalid phase 3 for plimsoll_add_device_time()") != NULL);
  CHECK(plimsoll_finish(&recorder) == 0);
}
