/** @file
 * C interface of Plimsoll: measures the load and the messages of an MPI program's objects, phase by phase,
 * writes both to LB data files, and balances the load. It mirrors the C++ classes plimsoll::LoadRecorder and
 * plimsoll::Balancer; their headers <plimsoll/runtime/load_recorder.hpp> and <plimsoll/runtime/balancer.hpp>
 * contain the details.
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
 * Functions that return a status return 0 on success, 1 (bad input), 2 (wrong usage) or 3 (system error), the
 * same on all ranks. After an error, plimsoll_error_message() returns the message. If the program does not
 * call it before its next call of such a function, or before it exits, the error is unchecked: rank 0 prints
 * the message. The other functions report their errors at the next phase end. A recorder that was not
 * started, or is finished, is NULL: it records nothing, and plimsoll_next_phase() returns 2. Use a recorder
 * from one thread only: the one that calls MPI.
 */
#ifndef PLIMSOLL_H
#define PLIMSOLL_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Recorder of a program, created by plimsoll_start(). */
typedef struct plimsoll_recorder plimsoll_recorder;

/** An object registered on this rank. Objects and ids are structures, so that the compiler can distinguish
 * them. Number 0 means no object, or no ID. */
typedef struct {
  uint64_t number; /**< number that is valid on this rank and in this run only */
} plimsoll_object;
/** ID of an object, the same on all ranks and in the files. Its number can be sent to other ranks. */
typedef struct {
  uint64_t number; /**< the `id` in the files */
} plimsoll_id;
/** Value that means no object. */
#ifdef __cplusplus
#define PLIMSOLL_NO_OBJECT (plimsoll_object{0})
#else
#define PLIMSOLL_NO_OBJECT ((plimsoll_object){0})
#endif

/* Structures begin with their size in bytes as compiled into the program. The initialisers below set it.
 * Later versions may append members. A program built with an older header reads and writes only the members
 * of that header; the others keep their defaults. With an older library, members that the library does not
 * have must be 0 on input, and are set to 0 on output. */

/** Description of an object. Initialise each variable: plimsoll_spec spec = PLIMSOLL_SPEC_INIT; */
typedef struct {
  uint32_t struct_size; /**< sizeof(plimsoll_spec) */
  int home;             /**< home rank, or -1: this rank */
  int migratable;       /**< not 0: strategies may migrate the object */
  int measured;         /**< 0: the model set by plimsoll_user_set_lb_load() provides the load */
  uint64_t collection;  /**< collection from plimsoll_add_collection(), or 0: the default collection */
  int64_t number;       /**< unique among the objects with this home, or -1: counted from 0 */
} plimsoll_spec;
/** Initial description: a measured, migratable object of this rank. */
#define PLIMSOLL_SPEC_INIT \
  { sizeof(plimsoll_spec), -1, 1, 1, 0, -1 }

/** Summary of a phase. Initialise each variable: plimsoll_summary summary = PLIMSOLL_SUMMARY_INIT;
 * Times are in seconds; total = objects + background + idle. A rank's load is the sum over its objects.
 */
typedef struct {
  uint32_t struct_size;    /**< sizeof(plimsoll_summary) */
  int64_t phase;           /**< number of the phase, from 0 */
  double total_s;          /**< wall-clock time of this rank */
  double objects_s;        /**< time between plimsoll_begin() and plimsoll_end() on this rank */
  double background_s;     /**< time of this rank that belongs to no object */
  double idle_s;           /**< waiting time of this rank */
  double duration_s;       /**< maximum total_s of any rank */
  double rank_load_max_s;  /**< maximum load of any rank */
  double rank_load_mean_s; /**< mean load of the ranks */
  double imbalance;        /**< rank_load_max_s / rank_load_mean_s - 1 */
  uint64_t objects;        /**< number of tasks on all ranks, including one per rank for the rank itself */
  int64_t migrations;      /**< number of objects that migrated at the end of the phase, over all ranks */
  double decision_s;       /**< maximum time of a rank to decide on migrations at the end of the phase */
  double migration_s;      /**< maximum time of a rank to migrate objects at the end of the phase */
} plimsoll_summary;
/** Initial values of a summary: its size, and zeros. */
#define PLIMSOLL_SUMMARY_INIT \
  { sizeof(plimsoll_summary), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** Sets the default of a setting for all recorders that this process starts later, e.g. ("lb_data", "true").
 * Arguments, environment and configuration file take precedence. Call it on all ranks with the same values.
 * An unknown name or an invalid value is an error (2). See docs/reference/settings.md for the names. */
int plimsoll_set_default(const char* name, const char* value);
/** Starts a recorder. Collective. Reads the arguments --vt_lb_... and removes them from argc and argv, which
 * may be NULL. Also reads the environment and the configuration file; see plimsoll::Configuration. */
int plimsoll_start(plimsoll_recorder** recorder, MPI_Comm communicator, int* argc, char** argv);
/** Does the same as plimsoll_start() for a Fortran communicator. Call it after MPI_Init. */
int plimsoll_start_fortran(plimsoll_recorder** recorder, MPI_Fint communicator, int* argc, char** argv);
/** Ends the phase and begins the next. Collective. `summary` may be NULL; after an error, its members are 0.
 */
int plimsoll_next_phase(plimsoll_recorder* recorder, plimsoll_summary* summary);
/** Completes the files, ends the recorder and sets it to NULL. Collective. Without this call, MPI_Finalize
 * completes the files. */
int plimsoll_finish(plimsoll_recorder** recorder);
/** Returns the error message of the last call that failed (non-zero status). Never NULL. */
const char* plimsoll_error_message(void);

/* Objects. In all functions, `spec` may be NULL; `index` may be NULL if `dimensions` is 0. */

/** Returns a new collection for plimsoll_spec. Collections are numbered in the order of the calls, so all
 * ranks must create them in the same order. */
uint64_t plimsoll_add_collection(plimsoll_recorder* recorder);
/** Registers an object on this rank until plimsoll_remove(). After an error the object is
 * PLIMSOLL_NO_OBJECT, and everything recorded for it is ignored. */
plimsoll_object plimsoll_register(plimsoll_recorder* recorder, int dimensions, const int64_t* index,
                                  const plimsoll_spec* spec);
/** Registers an object that came from another rank and keeps its ID. The ID already contains home, number and
 * migratable of the spec. */
plimsoll_object plimsoll_register_id(plimsoll_recorder* recorder, plimsoll_id id, int dimensions,
                                     const int64_t* index, const plimsoll_spec* spec);
/** Registers this rank's member of an object group. All ranks must create their groups in the same order.
 * Members do not migrate. */
plimsoll_object plimsoll_register_group(plimsoll_recorder* recorder);
/** Removes an object that has left this rank. If it is registered again in the same phase, it has its values
 * and position. Migrate objects at the beginning of a phase, before they work; otherwise they have a task on
 * two ranks. */
void plimsoll_remove(plimsoll_recorder* recorder, plimsoll_object object);
/** Sets whether strategies may migrate an object that was registered as migratable (not 0: they may). It
 * keeps its ID. It is an error if a plan contains an object that may not migrate. */
void plimsoll_set_migratable(plimsoll_recorder* recorder, plimsoll_object object, int migratable);
/** Returns the object of the rank itself, for work that belongs to no object. It is always registered and not
 * migratable. */
plimsoll_object plimsoll_rank_object(const plimsoll_recorder* recorder);
/** Returns the ID of an object, for messages; 0 for an unknown object. */
plimsoll_id plimsoll_id_of(const plimsoll_recorder* recorder, plimsoll_object object);
/** Returns the object with an ID if it is on this rank, otherwise PLIMSOLL_NO_OBJECT. */
plimsoll_object plimsoll_find(const plimsoll_recorder* recorder, plimsoll_id id);
/** Returns the ID of an object on any rank from its home and number; 0 if they are out of range. */
plimsoll_id plimsoll_make_id(int home, int64_t number, int migratable);
/** Returns the number from which plimsoll_make_id() made an ID; -1 for the ID of another kind of object. */
int64_t plimsoll_number_of(plimsoll_id id);
/** Returns the ID of the object of a rank itself, for messages to and from work that belongs to no other
 * object; 0 if the rank is out of range. */
plimsoll_id plimsoll_rank_object_id(int rank);

/* Objects that change, as in adaptive meshes. */

/** Makes `ids` the objects of the collection of `spec` on this rank: removes its objects that are not in
 * `ids`, and registers those that are new, like plimsoll_register_id(). Other collections, groups and the
 * rank object remain. Writes the objects to `objects`, unless that is NULL, in the order of `ids`, with
 * PLIMSOLL_NO_OBJECT for each ID that is invalid or occurs for the second time. */
void plimsoll_set_objects(plimsoll_recorder* recorder, int64_t count, const plimsoll_id* ids,
                          const plimsoll_spec* spec, plimsoll_object* objects);
/** Passes the history of an object to an object that replaces all or part of it: in each kept phase, `share`
 * (>= 0) of the parent's load is added to the child's load, so that load models know the child. A child of
 * several parents gets the sum. Also passes the parent's position and user-defined values that the child does
 * not have. Call it when the child is registered, before the parent is removed, at the beginning of a phase.
 */
void plimsoll_inherit(plimsoll_recorder* recorder, plimsoll_object parent, plimsoll_object child,
                      double share);
/** Sets the coordinates of an object, for strategies that use geometry. They are written to `user_defined` as
 * the array `position`. All objects of this rank must have the same number of coordinates: 1, 2 or 3. */
void plimsoll_set_position(plimsoll_recorder* recorder, plimsoll_object object, int dimensions,
                           const double* position);

/* Work. */

/** Assigns subsequent time to this object, until the matching plimsoll_end(). Calls may be nested: time
 * belongs to the innermost object. */
void plimsoll_begin(plimsoll_recorder* recorder, plimsoll_object object);
/** Ends the work that the last plimsoll_begin() began. Both calls must specify the same object. */
void plimsoll_end(plimsoll_recorder* recorder, plimsoll_object object);
/** Counts subsequent time as idle, until plimsoll_end_idle(). Use it around waits for messages, so that they
 * do not count as work. */
void plimsoll_begin_idle(plimsoll_recorder* recorder);
/** Ends the idle time that the last plimsoll_begin_idle() began. */
void plimsoll_end_idle(plimsoll_recorder* recorder);
/** Adds time that the program measured itself to the load of an object in the current subphase. */
void plimsoll_add_time(plimsoll_recorder* recorder, plimsoll_object object, double time_s);
/** Adds time, in seconds, that the device (GPU) of this rank worked for an object. `phase` is
 * plimsoll_phase() when the program started that work. Device times are a load dimension of their own; with
 * the setting lb_loads=device, they are the load. See plimsoll::LoadRecorder::add_device_time(). */
void plimsoll_add_device_time(plimsoll_recorder* recorder, plimsoll_object object, double time_s,
                              int64_t phase);
/** Replaces the load of an object in this phase so far. Time measured later is added to the new load. */
void plimsoll_set_obj_time(plimsoll_recorder* recorder, plimsoll_object object, double time_s);
/** Returns the load of an object in this phase so far, in seconds. */
double plimsoll_get_obj_time(plimsoll_recorder* recorder, plimsoll_object object);
/** Sets whether plimsoll_begin() and plimsoll_end() measure the load of an object (not 0: they do), like
 * `measured` of its description, in this phase as a whole and in later phases. */
void plimsoll_set_measured(plimsoll_recorder* recorder, plimsoll_object object, int measured);
/** Returns the load, in seconds, of an object that is not measured. Called at each phase end. */
typedef double (*plimsoll_load_model)(plimsoll_object object, void* context);
/** Sets the load model and replaces the previous one. NULL removes the model. */
void plimsoll_user_set_lb_load(plimsoll_recorder* recorder, plimsoll_load_model model, void* context);

/* Loads without timers, for programs whose kernels loop over many objects. */

/** Infers the loads of objects from features such as "cells, particles", from now on: explains the time of
 * each rank that belongs to no other object by a cost per feature. `names` are separated by commas.
 * Collective; all ranks must pass the same names. See plimsoll::LoadRecorder::infer_loads(). */
int plimsoll_infer_loads(plimsoll_recorder* recorder, const char* names);
/** Sets the features of an object, in the order of the names, until they are set again. They are between
 * 0 and 1e100, and migrate along. An object without features keeps its measured load. */
void plimsoll_set_features(plimsoll_recorder* recorder, plimsoll_object object, int count,
                           const double* features);
/** Assigns an object to a pack (>= 0) of this rank, such as a device, until it migrates or is assigned again.
 * The time of its pack is that of plimsoll_add_pack_time(), not that of the rank. */
void plimsoll_set_pack(plimsoll_recorder* recorder, plimsoll_object object, int pack);
/** Adds time that the program measured for the objects of a pack in this phase. */
void plimsoll_add_pack_time(plimsoll_recorder* recorder, int pack, double time_s);
/** Returns 1, and sets the seconds per unit of a feature and their standard error, as inferred at the last
 * phase end. Returns 0 and changes nothing if they are unknown. */
int plimsoll_get_feature_cost(plimsoll_recorder* recorder, const char* name, double* cost_s, double* error_s);

/** Starts a subphase (0 to 65,534). Subsequent measured and added time is also assigned to this subphase,
 * until the next subphase starts or the phase ends. */
void plimsoll_set_subphase(plimsoll_recorder* recorder, int subphase);
/** Leaves the subphase: subsequent time belongs to no subphase. */
void plimsoll_leave_subphase(plimsoll_recorder* recorder);
/** Switches recording on (not 0) or off (0). Switching it off ends all open plimsoll_begin() calls. */
void plimsoll_instrument(plimsoll_recorder* recorder, int on);

/* Messages. Record messages between objects of the same rank, too, even if the program exchanges their data
 * without MPI: strategies otherwise do not know which objects they should keep together. Record each message
 * once: where it is received, as vt does, or where it is sent. An object may be
 * on another rank, or already removed. */

/** Records a message between two objects. */
void plimsoll_message(plimsoll_recorder* recorder, plimsoll_id from, plimsoll_id to, uint64_t bytes);
/** Records a message from an object to a rank. */
void plimsoll_message_to_rank(plimsoll_recorder* recorder, plimsoll_id from, int to, uint64_t bytes);
/** Records a message from a rank to an object. */
void plimsoll_message_from_rank(plimsoll_recorder* recorder, int from, plimsoll_id to, uint64_t bytes);
/** Records one receiver's part of a broadcast from an object. */
void plimsoll_broadcast(plimsoll_recorder* recorder, plimsoll_id from, plimsoll_id to, uint64_t bytes);
/** Records one rank's part of a broadcast from an object. */
void plimsoll_broadcast_to_rank(plimsoll_recorder* recorder, plimsoll_id from, int to, uint64_t bytes);
/** Records one receiver's part of a broadcast from a rank. */
void plimsoll_broadcast_from_rank(plimsoll_recorder* recorder, int from, plimsoll_id to, uint64_t bytes);
/** Records a shared block of memory, with a home rank, that this rank writes. */
void plimsoll_writable_shared(plimsoll_recorder* recorder, int home, uint64_t block, uint64_t bytes);
/** Records a shared block of memory, with a home rank, that this rank only reads. */
void plimsoll_read_only_shared(plimsoll_recorder* recorder, int home, uint64_t block, uint64_t bytes);
/** Categories of edges, numbered as in the documentation of the files. The category determines whether
 * `from` and `to` are the number of an object ID, a rank or a shared block. */
enum plimsoll_category {
  PLIMSOLL_SEND_RECV = 1,                  /**< message from an object to an object */
  PLIMSOLL_COLLECTION_TO_NODE,             /**< message from an object to a rank */
  PLIMSOLL_NODE_TO_COLLECTION,             /**< message from a rank to an object */
  PLIMSOLL_BROADCAST,                      /**< broadcast from an object to an object */
  PLIMSOLL_COLLECTION_TO_NODE_BCAST,       /**< broadcast from an object to a rank */
  PLIMSOLL_NODE_TO_COLLECTION_BCAST,       /**< broadcast from a rank to an object */
  PLIMSOLL_COLLECTIVE_TO_COLLECTION_BCAST, /**< collective broadcast from a rank to an object */
  PLIMSOLL_LOCAL_INVOKE,                   /**< call from an object to an object on the same rank */
  PLIMSOLL_WRITE_SHARED,                   /**< shared block that is written, and its home rank */
  PLIMSOLL_READ_ONLY_SHARED                /**< shared block that is only read, and its home rank */
};
/** Records messages along an edge; `category` is an enum plimsoll_category. */
void plimsoll_record_edge(plimsoll_recorder* recorder, int category, uint64_t from, uint64_t to,
                          uint64_t bytes, uint64_t messages);

/** Destination of user-defined values. */
enum plimsoll_value_place {
  PLIMSOLL_USER_DEFINED, /**< `user_defined` of the tasks of an object, until the value is removed */
  PLIMSOLL_ATTRIBUTES,   /**< `attributes` of the tasks of an object, until the value is removed */
  PLIMSOLL_PHASE,        /**< `user_defined` of this rank's record of this phase */
  PLIMSOLL_RANK          /**< metadata of this rank's file: set values before the first phase ends */
};
/** Sets an integer. For values of the phase or the rank, `object` is ignored (pass PLIMSOLL_NO_OBJECT).
 * Values of the phase or the rank cannot be removed. */
void plimsoll_set_integer(plimsoll_recorder* recorder, enum plimsoll_value_place place,
                          plimsoll_object object, const char* name, int64_t value);
/** Sets a floating-point number, in the same way as plimsoll_set_integer(). */
void plimsoll_set_real(plimsoll_recorder* recorder, enum plimsoll_value_place place, plimsoll_object object,
                       const char* name, double value);
/** Sets a string, in the same way as plimsoll_set_integer(). */
void plimsoll_set_text(plimsoll_recorder* recorder, enum plimsoll_value_place place, plimsoll_object object,
                       const char* name, const char* value);
/** Reads an integer of an object, which may have come from another rank with it. `place` is
 * PLIMSOLL_USER_DEFINED or PLIMSOLL_ATTRIBUTES. Returns 1 and sets `value`. Returns 0 and leaves `value`
 * unchanged if the object has no value of this name and type. */
int plimsoll_get_integer(plimsoll_recorder* recorder, enum plimsoll_value_place place, plimsoll_object object,
                         const char* name, int64_t* value);
/** Reads a floating-point number, or an integer as one, in the same way as plimsoll_get_integer(). */
int plimsoll_get_real(plimsoll_recorder* recorder, enum plimsoll_value_place place, plimsoll_object object,
                      const char* name, double* value);
/** Removes a value of an object from this phase and all later ones. */
void plimsoll_remove_value(plimsoll_recorder* recorder, enum plimsoll_value_place place,
                           plimsoll_object object, const char* name);
/** Removes all values of an object, its position and its features. For another object with the ID of one that
 * was removed in this phase. */
void plimsoll_remove_all_values(plimsoll_recorder* recorder, plimsoll_object object);

/* Hooks, called in the order of registration. They must not call plimsoll_next_phase(). */

/** Hook at the end of a phase; the summary is valid during the call only. */
typedef void (*plimsoll_phase_end_hook)(const plimsoll_summary* summary, void* context);
/** Hook at the start of the phase with number `phase`. */
typedef void (*plimsoll_phase_start_hook)(int64_t phase, void* context);
/** Registers a hook that is called when a phase has ended. */
void plimsoll_on_phase_end(plimsoll_recorder* recorder, plimsoll_phase_end_hook hook, void* context);
/** Registers a hook that is called when a phase has begun. */
void plimsoll_on_phase_start(plimsoll_recorder* recorder, plimsoll_phase_start_hook hook, void* context);

/** Returns the number of the current phase, from 0. */
int64_t plimsoll_phase(const plimsoll_recorder* recorder);
/** Returns the paths of the LB data files that the recorder writes, with %p in place of the rank; empty if it
 * writes none. Valid until plimsoll_finish(). */
const char* plimsoll_data_files(const plimsoll_recorder* recorder);

/* Balancing. The settings of the recorder choose the strategy: --vt_lb --vt_lb_name=RefineLB. Either the
 * recorder also migrates the program's objects, at each phase end at which this pays:
 *
 *     plimsoll_transport transport = PLIMSOLL_TRANSPORT_INIT;
 *     transport.size_bytes = size_of_block; ...
 *     plimsoll_start_balancer(recorder);
 *     plimsoll_balance_at_phase_ends(recorder, &transport);
 *     ...
 *     plimsoll_next_phase(recorder, NULL); // may call these functions
 *
 * Or the program migrates them with its own messages, at the beginning of a phase:
 *
 *     plimsoll_next_phase(recorder, NULL);
 *     plimsoll_migration_plan plan = PLIMSOLL_MIGRATION_PLAN_INIT;
 *     plimsoll_plan(recorder, NULL, &plan);
 *     if (plan.moves > 0) {
 *       send_and_receive(&plan);
 *       plimsoll_moved(recorder, &plan);
 *     }
 *     plimsoll_free_plan(&plan);
 *
 * A migrated object keeps its ID, user-defined values, position and load history. A plimsoll_object is valid
 * on one rank only: after a migration, call plimsoll_find() on the new rank. The time of these functions
 * belongs to no phase. */

/** Migration of one object. */
typedef struct {
  plimsoll_id object; /**< the object */
  int from;           /**< rank that has the object */
  int to;             /**< rank that receives it; may be the same rank */
  double bytes;       /**< size of the packed object; 0 if unknown */
} plimsoll_move;

/** Migrations that a strategy decided on. Each rank has its own exports and imports; the other members are
 * the same on all ranks. Initialise each variable:
 * plimsoll_migration_plan plan = PLIMSOLL_MIGRATION_PLAN_INIT; */
typedef struct {
  uint32_t struct_size;         /**< sizeof(plimsoll_migration_plan) */
  int64_t moves;                /**< number of objects that migrate, over all ranks */
  int64_t export_count;         /**< number of objects that leave this rank */
  const plimsoll_move* exports; /**< objects that leave this rank */
  int64_t import_count;         /**< number of objects that come to this rank */
  const plimsoll_move* imports; /**< objects that come to this rank, by the rank that they leave */
  double max_time_before_s;     /**< predicted maximum time of a rank without the migrations */
  double max_time_after_s;      /**< predicted maximum time of a rank with them */
  double mean_time_s;           /**< predicted mean time of the ranks */
  double decision_s;            /**< time to gather the loads, decide, and distribute the decision */
  const char* strategy;         /**< strategy that decided; empty if none ran */
  const char* remark; /**< why a strategy missed its target, or why nothing migrates; may be empty */
  void* memory;       /**< owner of the arrays and texts; plimsoll_free_plan() frees it */
} plimsoll_migration_plan;
/** Initial values of a plan: its size, and zeros. */
#define PLIMSOLL_MIGRATION_PLAN_INIT \
  { sizeof(plimsoll_migration_plan), 0, 0, NULL, 0, NULL, 0, 0, 0, 0, NULL, NULL, NULL }

/** Functions of a program that move its objects. They must not call MPI collectively. `bytes` is aligned to
 * 16 bytes. Each function but `remove` returns a number of bytes; a negative number is an error, which all
 * ranks receive as status 3. Initialise each variable:
 * plimsoll_transport transport = PLIMSOLL_TRANSPORT_INIT; */
typedef struct {
  uint32_t struct_size; /**< sizeof(plimsoll_transport) */
  void* context;        /**< argument of the functions */
  /** Returns the packed size of an object on this rank. */
  int64_t (*size_bytes)(plimsoll_id object, void* context);
  /** Writes an object into `bytes`, and returns the number of bytes that it wrote, which must be
   * `size_bytes`. The object must remain usable. */
  int64_t (*pack)(plimsoll_id object, void* bytes, int64_t size_bytes, void* context);
  /** Creates an object on this rank, and returns the number of bytes that it read, which must be
   * `size_bytes`.
   */
  int64_t (*unpack)(plimsoll_id object, const void* bytes, int64_t size_bytes, void* context);
  /** Removes an object that has left this rank, or that must leave it again after an error elsewhere. May be
   * NULL; then the program itself removes objects, and objects may exist twice after an error. */
  void (*remove)(plimsoll_id object, void* context);
} plimsoll_transport;
/** Initial values of a transport: its size, and no functions. */
#define PLIMSOLL_TRANSPORT_INIT \
  { sizeof(plimsoll_transport), NULL, NULL, NULL, NULL, NULL }

/** Starts the balancer of a recorder, before the first phase whose loads it should know. plimsoll_finish()
 * ends it. Collective. An invalid strategy in the settings is an error (2), and an invalid LB configuration
 * file, too (1). */
int plimsoll_start_balancer(plimsoll_recorder* recorder);
/** From now on, balances at each phase end, and migrates objects with these functions of the program.
 * Collective. plimsoll_next_phase() returns the errors of plimsoll_plan() and plimsoll_migrate(); after an
 * error, the program may continue. */
int plimsoll_balance_at_phase_ends(plimsoll_recorder* recorder, const plimsoll_transport* transport);
/** Requests that objects of this rank migrate at the end of this phase to the ranks `to` of their moves,
 * along with those that a strategy moves. A request replaces what the strategy decides for its object; a
 * request for its current rank keeps it there. Requires plimsoll_balance_at_phase_ends(). A second call in
 * the same phase replaces the first. If any rank has an error in the phase, the requests are dropped.
 * plimsoll_next_phase() returns an error (2) for a rank that is out of range, and for an object that is not
 * on this rank or not migratable. */
void plimsoll_request_migrations(plimsoll_recorder* recorder, int64_t count, const plimsoll_move* moves);
/** Plans migrations from the phase that has ended last. Collective. If `strategy` is NULL, the settings
 * decide: the plan is empty if they select no strategy for that phase, or if migrating does not pay (setting
 * lb_when). Otherwise `strategy`, such as "RefineLB(tolerance=1.02)", decides, whether or not migrating pays.
 * After an error, the members of the plan are 0. */
int plimsoll_plan(plimsoll_recorder* recorder, const char* strategy, plimsoll_migration_plan* plan);
/** Frees the arrays and texts of a plan, and sets its members to 0. */
void plimsoll_free_plan(plimsoll_migration_plan* plan);
/** Tells the recorder that the program has moved the objects of a plan. Collective. It is an error (2) if an
 * object is not registered on the rank that it leaves, not migratable, or being measured. */
int plimsoll_moved(plimsoll_recorder* recorder, const plimsoll_migration_plan* plan);
/** Moves the objects of a plan with these functions of the program, and tells the recorder. Collective. */
int plimsoll_migrate(plimsoll_recorder* recorder, const plimsoll_migration_plan* plan,
                     const plimsoll_transport* transport);
/** Writes the rank of each object to `ranks`, or -1 if it is registered on no rank. Collective; ranks may ask
 * for different objects, or none. It is an error (2) if two ranks have registered one object. */
int plimsoll_owner(plimsoll_recorder* recorder, int64_t count, const plimsoll_id* ids, int* ranks);
/** Runs this strategy after every phase instead of the strategies in the settings, also if the setting lb is
 * off. Call it on all ranks with the same strategy. */
int plimsoll_set_strategy(plimsoll_recorder* recorder, const char* strategy);
/** Replaces the load model of the settings (lb_load_model), which predicts the loads of objects, such as
 * "LinearModel(length=5)". Call it on all ranks with the same model. */
int plimsoll_set_load_model(plimsoll_recorder* recorder, const char* model);
/** Sets whether objects may be placed on this rank (not 0: they may). If not, the next decision moves its
 * objects away. */
void plimsoll_set_available(plimsoll_recorder* recorder, int available);
/** Hook after the migrations of a plan, which is valid during the call only. */
typedef void (*plimsoll_migration_hook)(const plimsoll_migration_plan* plan, void* context);
/** Registers a hook that is called on all ranks after objects have migrated. Call it on all ranks. */
void plimsoll_on_migration(plimsoll_recorder* recorder, plimsoll_migration_hook hook, void* context);

/* Planning without a recorder, from the loads that the program knows. */

/** Messages between two objects on any ranks. */
typedef struct {
  uint64_t from;    /**< number of the object that sends */
  uint64_t to;      /**< number of the object that receives */
  double bytes;     /**< bytes of all messages */
  int64_t messages; /**< number of messages */
} plimsoll_edge;

/** The objects of this rank, in the program's own arrays, with one value per object, and the rank itself.
 * Arrays that are NULL are unknown. Initialise each variable: plimsoll_plan_input input =
 * PLIMSOLL_PLAN_INPUT_INIT; */
typedef struct {
  uint32_t struct_size;       /**< sizeof(plimsoll_plan_input) */
  int available;              /**< 0: no objects may be placed on this rank */
  int64_t count;              /**< number of objects of this rank */
  const uint64_t* ids;        /**< any numbers that are unique over all ranks */
  const double* loads_s;      /**< expected load of each object */
  const uint8_t* migratable;  /**< 0: the object stays; NULL: all objects may migrate */
  const double* positions;    /**< `axes` coordinates per object */
  int64_t axes;               /**< coordinates per object: 1, 2 or 3; 0 without positions */
  const double* sizes_bytes;  /**< packed size of each object */
  int64_t edge_count;         /**< number of edges */
  const plimsoll_edge* edges; /**< messages, each recorded on one rank only */
  double background_s;        /**< load of this rank that belongs to no object */
  double speed;               /**< relative speed of this rank, > 0 */
} plimsoll_plan_input;
/** Initial values: no objects, on an available rank of speed 1. */
#define PLIMSOLL_PLAN_INPUT_INIT \
  { sizeof(plimsoll_plan_input), 1, 0, NULL, NULL, NULL, NULL, 0, NULL, 0, NULL, 0, 1 }

/** Plans migrations of a program that does not use a recorder, with a strategy such as "RefineLB". Collective
 * over the communicator, which is duplicated. In the plan, an object's `number` is its number in `ids`. It is
 * an error (2) if the strategy is invalid, if an array that it needs is missing, or if a load, size or
 * background is negative, the speed is not positive, or any number is not finite. */
int plimsoll_plan_objects(MPI_Comm communicator, const plimsoll_plan_input* input, const char* strategy,
                          plimsoll_migration_plan* plan);
/** Does the same as plimsoll_plan_objects() for a Fortran communicator. */
int plimsoll_plan_objects_fortran(MPI_Fint communicator, const plimsoll_plan_input* input,
                                  const char* strategy, plimsoll_migration_plan* plan);

/* Regions for the profiler, `plimsoll profile --record mpi`: parts of the program, such as "solve", of which
 * it reports times and efficiencies. Without the profiler, these functions cost a few ns and do nothing. They
 * need no recorder. Regions nest: time belongs to the innermost one only. Call both functions on the thread
 * that called MPI_Init, after MPI_Init and outside MPI calls; other calls do nothing. A program may use up to
 * 64 names; region "other" contains the rest. */

/** Begins a region. */
void plimsoll_region_begin(const char* name);
/** Ends the innermost region, which must have this name. Otherwise does nothing, and the profiler reports the
 * mistake. */
void plimsoll_region_end(const char* name);

#ifdef __cplusplus
}
#endif

#endif
