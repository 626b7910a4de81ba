/* Parts of c_interface_test.c, each for one source of the C interface. */
#ifndef PLIMSOLL_C_INTERFACE_TEST_H
#define PLIMSOLL_C_INTERFACE_TEST_H

#include "runtime/bindings/c_check.h"

/* c_lifecycle_test.c */
/* Returns how often this process prints an error that all ranks have before MPI_Init. */
int errors_printed_before_mpi(void);
void check_null_recorder(void);
void check_wrong_start(void);
/* Checks that rank 0 prints errors that the program does not check, once. */
void check_unchecked_errors(void);
void check_defaults(const char* folder);
/* Starts a recorder that is not finished. */
plimsoll_recorder* start_unfinished(const char* folder);

/* c_objects_test.c */
/* Replaces objects in a separate recorder, so that the files of the test do not contain them. */
void check_changing_objects(void);
/* Changes whether an object is measured, and whether it may migrate. */
void check_object_properties(void);
void check_values_read(void);
/* Checks that invalid arguments make next_phase() fail. */
void check_wrong_arguments(void);

/* c_features_test.c */
void check_inferred_loads(void);
void check_device_times(void);

/* c_structures_test.c */
/* Simulates a program built with an earlier header, whose structures were shorter: other data follow them in
 * memory. */
void check_older_program(void);
/* Simulates a program built with a later header, whose structures are longer. */
void check_newer_program(void);
/* Passes uninitialised structures. */
void check_missing_sizes(void);
/* Passes invalid sizes: one ends within a member, the other far beyond the structure. The library must reject
 * both and change neither the structure nor the memory behind it. */
void check_impossible_sizes(void);

#endif
