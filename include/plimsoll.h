/* Plimsoll from C: measures what the objects of an MPI program cost and what they send, phase by phase, and
 * writes it to LB data files. The same as plimsoll::LoadRecorder of C++
 * (<plimsoll/runtime/load_recorder.hpp>), where everything is explained at length.
 *
 *     plimsoll_recorder* recorder;
 *     if (plimsoll_start(&recorder, MPI_COMM_WORLD, &argc, argv) != 0) stop(plimsoll_error_message());
 *     plimsoll_object block = plimsoll_register(recorder, 1, &index, NULL);
 *     for (int step = 0; step < steps; ++step) {
 *       plimsoll_begin(recorder, block);
 *       compute();
 *       plimsoll_end(recorder, block);
 *       if (plimsoll_next_phase(recorder, NULL) != 0) stop(plimsoll_error_message());
 *     }
 *     plimsoll_finish(&recorder);
 *
 * Functions that return a status return 0, or else 1 (bad input), 2 (wrong usage) or 3 (the system failed),
 * on all ranks the same; plimsoll_error_message() then says what it is. The others report what is wrong at
 * the next phase end. A recorder that is NULL, because it did not start or is finished, records nothing;
 * plimsoll_next_phase() returns 2 for it. One thread uses a recorder: the one that calls MPI.
 */
#ifndef PLIMSOLL_H
#define PLIMSOLL_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plimsoll_recorder plimsoll_recorder;

/* An object registered on this rank. Object and id are structures so that the compiler tells one from the
 * other; of number 0 they are none. */
typedef struct {
  uint64_t number;
} plimsoll_object;
/* What an object is called on all ranks and in the files. Its number can be sent to other ranks. */
typedef struct {
  uint64_t number;
} plimsoll_id;
#ifdef __cplusplus
#define PLIMSOLL_NO_OBJECT (plimsoll_object{0})
#else
#define PLIMSOLL_NO_OBJECT ((plimsoll_object){0})
#endif

/* Structures begin with their size in the program, which the initialisers below set. Later versions may add
 * members at the end: a program that was built before reads and writes only those that it knows, and gets the
 * defaults of the others. The other way round, members that the library does not know yet must be 0 when
 * given to it, and are set to 0 by it. */

/* What an object is. Initialise it: plimsoll_spec spec = PLIMSOLL_SPEC_INIT; */
typedef struct {
  uint32_t struct_size; /* sizeof(plimsoll_spec) */
  int home;             /* rank, or -1: this one */
  int migratable;
  int measured;        /* 0: plimsoll_user_set_lb_load() gives its load */
  uint64_t collection; /* from plimsoll_add_collection(); 0: the default one */
  int64_t number;      /* unique among the objects of this home, or -1: counted */
} plimsoll_spec;
#define PLIMSOLL_SPEC_INIT \
  { sizeof(plimsoll_spec), -1, 1, 1, 0, -1 }

/* What a phase was like. Initialise it: plimsoll_summary summary = PLIMSOLL_SUMMARY_INIT;
 * Seconds; total = objects + background + idle, of this rank; the loads are over all ranks. */
typedef struct {
  uint32_t struct_size; /* sizeof(plimsoll_summary) */
  int64_t phase;
  double total_s;
  double objects_s;
  double background_s;
  double idle_s;
  double duration_s;
  double rank_load_max_s;
  double rank_load_mean_s;
  double imbalance; /* max / mean - 1 */
  uint64_t objects;
} plimsoll_summary;
#define PLIMSOLL_SUMMARY_INIT \
  { sizeof(plimsoll_summary), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Collective. argc and argv may be NULL; the arguments --vt_lb_... are taken out of them. Environment and
 * configuration file are read as plimsoll::Configuration says. */
int plimsoll_start(plimsoll_recorder** recorder, MPI_Comm communicator, int* argc, char** argv);
/* The same for a communicator of Fortran, after MPI_Init. */
int plimsoll_start_fortran(plimsoll_recorder** recorder, MPI_Fint communicator, int* argc, char** argv);
/* Collective. Ends the phase and begins the next; summary may be NULL. After an error its members are 0. */
int plimsoll_next_phase(plimsoll_recorder* recorder, plimsoll_summary* summary);
/* Collective. Ends the files and the recorder, and sets it to NULL. */
int plimsoll_finish(plimsoll_recorder** recorder);
/* Of the last call that returned a status other than 0; never NULL. */
const char* plimsoll_error_message(void);

/* Objects. `spec` may be NULL, and index if it has no dimensions. */
uint64_t plimsoll_add_collection(plimsoll_recorder* recorder);
plimsoll_object plimsoll_register(plimsoll_recorder* recorder, int dimensions, const int64_t* index,
                                  const plimsoll_spec* spec);
/* An object that came from another rank and keeps its id; home, number and migratable of the spec are in the
 * id. */
plimsoll_object plimsoll_register_id(plimsoll_recorder* recorder, plimsoll_id id, int dimensions,
                                     const int64_t* index, const plimsoll_spec* spec);
plimsoll_object plimsoll_register_group(plimsoll_recorder* recorder);
void plimsoll_remove(plimsoll_recorder* recorder, plimsoll_object object);
plimsoll_object plimsoll_rank_object(const plimsoll_recorder* recorder);
plimsoll_id plimsoll_id_of(const plimsoll_recorder* recorder, plimsoll_object object);
plimsoll_object plimsoll_find(const plimsoll_recorder* recorder, plimsoll_id id);
/* The id of an object by its home and number, wherever it is; none if they do not fit. */
plimsoll_id plimsoll_make_id(int home, int64_t number, int migratable);

/* Work. */
void plimsoll_begin(plimsoll_recorder* recorder, plimsoll_object object);
void plimsoll_end(plimsoll_recorder* recorder, plimsoll_object object);
void plimsoll_begin_idle(plimsoll_recorder* recorder);
void plimsoll_end_idle(plimsoll_recorder* recorder);
void plimsoll_add_time(plimsoll_recorder* recorder, plimsoll_object object, double time_s);
void plimsoll_set_obj_time(plimsoll_recorder* recorder, plimsoll_object object, double time_s);
double plimsoll_get_obj_time(plimsoll_recorder* recorder, plimsoll_object object);
typedef double (*plimsoll_load_model)(plimsoll_object object, void* context);
/* The last model counts; NULL is none. */
void plimsoll_user_set_lb_load(plimsoll_recorder* recorder, plimsoll_load_model model, void* context);
void plimsoll_set_subphase(plimsoll_recorder* recorder, int subphase);
void plimsoll_leave_subphase(plimsoll_recorder* recorder);
void plimsoll_instrument(plimsoll_recorder* recorder, int on);

/* Messages, each recorded once. */
void plimsoll_message(plimsoll_recorder* recorder, plimsoll_id from, plimsoll_id to, uint64_t bytes);
void plimsoll_message_to_rank(plimsoll_recorder* recorder, plimsoll_id from, int to, uint64_t bytes);
void plimsoll_message_from_rank(plimsoll_recorder* recorder, int from, plimsoll_id to, uint64_t bytes);
void plimsoll_broadcast(plimsoll_recorder* recorder, plimsoll_id from, plimsoll_id to, uint64_t bytes);
void plimsoll_broadcast_to_rank(plimsoll_recorder* recorder, plimsoll_id from, int to, uint64_t bytes);
void plimsoll_broadcast_from_rank(plimsoll_recorder* recorder, int from, plimsoll_id to, uint64_t bytes);
void plimsoll_writable_shared(plimsoll_recorder* recorder, int home, uint64_t block, uint64_t bytes);
void plimsoll_read_only_shared(plimsoll_recorder* recorder, int home, uint64_t block, uint64_t bytes);
/* Of any category, numbered as in the files' documentation. What `from` and `to` are follows from it: the
 * number of an id, of a rank, or of a shared block. */
enum plimsoll_category {
  PLIMSOLL_SEND_RECV = 1,
  PLIMSOLL_COLLECTION_TO_NODE,
  PLIMSOLL_NODE_TO_COLLECTION,
  PLIMSOLL_BROADCAST,
  PLIMSOLL_COLLECTION_TO_NODE_BCAST,
  PLIMSOLL_NODE_TO_COLLECTION_BCAST,
  PLIMSOLL_COLLECTIVE_TO_COLLECTION_BCAST,
  PLIMSOLL_LOCAL_INVOKE,
  PLIMSOLL_WRITE_SHARED,
  PLIMSOLL_READ_ONLY_SHARED
};
void plimsoll_record_edge(plimsoll_recorder* recorder, int category, uint64_t from, uint64_t to,
                          uint64_t bytes, uint64_t messages);

/* Values of the program's own. Of an object: in user_defined, or in attributes. Of the phase: in user_defined
 * of this rank's phase. Of the rank: in the file's metadata, before the first phase ends. */
enum plimsoll_value_place { PLIMSOLL_USER_DEFINED, PLIMSOLL_ATTRIBUTES, PLIMSOLL_PHASE, PLIMSOLL_RANK };
/* `object` is not looked at for values of phase and rank (PLIMSOLL_NO_OBJECT), which cannot be removed. */
void plimsoll_set_integer(plimsoll_recorder* recorder, enum plimsoll_value_place place,
                          plimsoll_object object, const char* name, int64_t value);
void plimsoll_set_real(plimsoll_recorder* recorder, enum plimsoll_value_place place, plimsoll_object object,
                       const char* name, double value);
void plimsoll_set_text(plimsoll_recorder* recorder, enum plimsoll_value_place place, plimsoll_object object,
                       const char* name, const char* value);
void plimsoll_remove_value(plimsoll_recorder* recorder, enum plimsoll_value_place place,
                           plimsoll_object object, const char* name);

/* Hooks, in the order of registration. */
typedef void (*plimsoll_phase_end_hook)(const plimsoll_summary* summary, void* context);
typedef void (*plimsoll_phase_start_hook)(int64_t phase, void* context);
void plimsoll_on_phase_end(plimsoll_recorder* recorder, plimsoll_phase_end_hook hook, void* context);
void plimsoll_on_phase_start(plimsoll_recorder* recorder, plimsoll_phase_start_hook hook, void* context);

int64_t plimsoll_phase(const plimsoll_recorder* recorder);

#ifdef __cplusplus
}
#endif

#endif
