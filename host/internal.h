// SPDX-License-Identifier: Apache-2.0
// What the files of host/ share among themselves: the structs with OpenCL types inside.
#ifndef WAVEWARP_HOST_INTERNAL_H
#define WAVEWARP_HOST_INTERNAL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "ends.h"
#include "host.h"

// ---- errors

// Starts an error record for a failed OpenCL call; `context` may be NULL. The message is `format`, the call and the
// code's name; status and hint follow from the code.
ww_status wwi_fail_cl_at(const char *file, int line, const ww_context *context, cl_int code, const char *call,
                         const char *format, ...) __attribute__((format(printf, 6, 7)));
#define wwi_fail_cl(context, code, call, ...) wwi_fail_cl_at(__FILE__, __LINE__, (context), (code), (call), __VA_ARGS__)
const char *wwi_cl_name(cl_int code);
// Names the device in the record just started.
ww_status wwi_fail_device(const char *name);
// Puts a record that another thread filled (and its build log, which may be NULL) in this thread's place.
ww_status wwi_fail_restore(const ww_error *error, const char *build_log);
void wwi_keep_build_log(const char *log);
// NVIDIA's compiler ignores `#line`: it counts the lines of the joined text, with the name <kernel>. The log with each
// "<kernel>:line" replaced by the name and line of that text's directives; to be freed. NULL: out of memory.
char *wwi_log_by_sources(const char *log, const char *source);

// Called for every OpenCL object that this library creates or retains, and again when it releases it.
void wwi_count_objects(long change);

// ---- fork(): no driver's threads and locks survive in a child, so no OpenCL call is made there

// Number of forks between the process that loaded the library and this one.
unsigned wwi_fork_generation(void);
// A context made before the last fork. Objects created from it are freed without an OpenCL call and without a lock.
bool wwi_is_forked(const ww_context *context);
// WW_ERROR_UNSUPPORTED where the context was made before the last fork.
ww_status wwi_check_process(const ww_context *context);
// The same before a process's first OpenCL call: whether the parent had used OpenCL. Registers the handler for later
// forks.
ww_status wwi_check_first_use(void);
// Releases an object that was counted by wwi_count_objects(): `call`, its release function with the object, is not
// executed in a child.
#define WWI_RELEASE(context, call)                                                                                     \
    do {                                                                                                               \
        if (!wwi_is_forked(context))                                                                                   \
            (void)(call);                                                                                              \
        wwi_count_objects(-1);                                                                                         \
    } while (0)

// ---- devices

typedef struct wwi_device {
    cl_platform_id platform;
    cl_device_id id;
    bool unified_memory; // shares the host's memory: an integrated GPU
    unsigned in_platform;
    ww_device_info info;
} wwi_device;

typedef struct wwi_device_list {
    wwi_device *devices;
    size_t count;
    bool pocl_is_silent; // it is installed and has no device
} wwi_device_list;

// One thread at a time may list devices or make an OpenCL context: some drivers fail otherwise while they start (PoCL
// 3.1 crashes). Between these two calls a thread holds the lock.
void wwi_opening_begin(void);
void wwi_opening_end(void);
ww_status wwi_devices_find(wwi_device_list *list); // between the two; the list is freed also after a failure
void wwi_devices_free(wwi_device_list *list);
void wwi_device_describe(cl_platform_id platform, cl_device_id id, wwi_device *device);

/// Fills uuid and pci.
void wwi_device_identify(cl_device_id id, ww_device_info *info);

/// Whether `wanted` is the device's UUID or its PCI address, in one of the forms of docs/devices.md.
bool wwi_device_has_identity(const ww_device_info *info, const char *wanted);
// `wanted` NULL or "": the best usable one. `*chosen` is an index into the list.
ww_status wwi_devices_choose(const wwi_device_list *list, const char *wanted, size_t *chosen);
bool wwi_are_several(const char *wanted);                   // "all", "gpus", a list
bool wwi_text_contains(const char *text, const char *part); // in upper or lower case

// ---- files

typedef struct wwi_embedded_file {
    const char *name; // path below kernels_cl/, or "tuning.txt"
    const char *text; // terminated
} wwi_embedded_file;
extern const wwi_embedded_file wwi_embedded_files[];
extern const size_t wwi_embedded_count;
extern const char wwi_embedded_version[];        // required content of an installed folder's VERSION file
const char *wwi_embedded_text(const char *name); // NULL: there is none

char *wwi_path_join(const char *folder, const char *name);
bool wwi_is_folder(const char *path);
// The installed data folder (.../share/wavewarp): searched for from the library's own folder, else the built-in prefix;
// used only if it was installed with this library. NULL: nothing installed (or no memory). Free with free.
char *wwi_installed_folder(void);
// $`variable`/wavewarp, else $HOME/`below_home`/wavewarp; NULL when neither is set. Free with free.
char *wwi_user_folder(const char *variable, const char *below_home);

// Says why the loader found no platform: a folder, file or driver that it was told to take and can't.
ww_status wwi_fail_no_platform(void);

// Whether PoCL can't write where it keeps its files, and why. A file is made there, and removed. The thread's record
// stays.
#define WWI_POCL "Portable Computing Language" // its platform's name
// PoCL's cache folder by its own rules; free with free. NULL: no memory.
char *wwi_pocl_folder(void);
// Removes damaged files from that folder, where a run before did not come to its end, and says so. Under the lock of
// opening.
void wwi_pocl_check_cache(const ww_context *context);
bool wwi_pocl_cache_fails(char *reason, size_t size);
ww_status wwi_fail_hint_pocl_cache(void);

#define WWI_CUDA "CUDA" // the platform of contexts in CUDA (cuda.h)
// Of a device of wwi_cuda_open(): its places in the list of all devices, as NVIDIA's OpenCL has it. False: it is none.
bool wwi_cuda_places(cl_device_id device, uint32_t *index, uint32_t *platform_index);
// A context and a queue on CUDA's device `ordinal`: on the caller's stream, or on its own.
ww_status wwi_cuda_open(int ordinal, bool own_stream, void *stream, cl_context *context, cl_command_queue *queue);

ww_status wwi_make_folders(const char *path, unsigned mode);  // all missing ones of the path
bool wwi_write_all(int file, const char *data, size_t bytes); // errno says why not
// For caches, which nobody misses after a crash: writes a temporary file in the same folder and renames it: readers see
// the old or the new file, never a part.
ww_status wwi_file_replace(const char *path, const void *data, size_t bytes);
const char *wwi_environment(const char *name); // NULL when unset or empty

typedef struct wwi_sha256_digest {
    uint8_t bytes[32];
} wwi_sha256_digest;
wwi_sha256_digest wwi_sha256(const void *data, size_t bytes);
void wwi_sha256_hex(const wwi_sha256_digest *digest, char hex[65]);

// ---- tuning

typedef enum wwi_match { // from the most to the least specific
    WWI_MATCH_DEVICE,
    WWI_MATCH_ARCH,
    WWI_MATCH_VENDOR,
    WWI_MATCH_TYPE,
    WWI_MATCH_DEFAULT,
    WWI_MATCH_COUNT
} wwi_match;

typedef struct wwi_tuning_record {
    size_t line; // of its file
    wwi_match match;
    char *text; // what to match, "" for default
    char *name; // with its suffix, if any
    long value;
} wwi_tuning_record;

typedef struct wwi_tuning_layer {
    wwi_tuning_record *records;
    size_t count;
} wwi_tuning_layer;

enum { WWI_TUNING_LAYERS = 3 }; // user, installed, embedded

ww_status wwi_tuning_parse(const char *file, const char *text, wwi_tuning_layer *layer);
void wwi_tuning_layer_free(wwi_tuning_layer *layer);
ww_status wwi_tuning_load(ww_context *context, const char *file);
void wwi_tuning_free(ww_context *context);

// ---- the context

enum {
    WWI_PENDING_EVENTS = 256, // launches of a stream whose time is not yet known; more wait for the oldest
    WWI_IDLE_PROGRAMS = 64,   // compiled programs kept although they are not in use
    WWI_FETCH_THREADS = 8,    // at most
    WWI_SPARES = 64,          // at most
    WWI_KEPT = 8              // at most
};

typedef struct wwi_pinned {
    cl_mem mem; // NULL: none
    void *memory;
} wwi_pinned;

typedef struct wwi_spare {
    cl_mem mem;
    uint64_t bytes;
} wwi_spare;

// A record of wwi_tuning_try(). They are added at the head and stay, so that readers need no lock.
struct wwi_tuning_tried {
    wwi_tuning_tried *next;
    wwi_tuning_record record;
};

typedef struct wwi_kernel_text wwi_kernel_text;

struct ww_context {
    atomic_uint references;
    unsigned generation; // wwi_fork_generation() when it was made
    cl_platform_id platform;
    cl_device_id device;
    cl_device_id part; // of a CPU, where not all of its threads are wanted: the device then; else NULL
    cl_context cl;
    cl_command_queue queue;
    ww_device_info info;
    char arch[64];                           // "sm_90", "gfx90a", or ""
    char *kernel_folder;                     // NULL: built in
    bool kernel_folder_set;                  // by option or environment: a missing file is then an error
    _Atomic(wwi_kernel_text *) kernel_texts; // of the folder, newest first (host/kernel_text.c)
    wwi_exchange exchange;
    unsigned exchange_width;
    atomic_int mma;                // ww_mma of base/vendor.cl: 0 not tried, 1 does not work here, 2 works
    atomic_uint vector_pow;        // host/vector_pow.c: results of the tests of pow() of vectors
    const char *subgroup_standard; // the -cl-std that gives sub-groups here
    bool disk_cache;
    char *tuning_file; // the user's, where wwi_tuning_save() writes; NULL when there is no place for one
    wwi_tuning_layer tuning[WWI_TUNING_LAYERS];
    _Atomic(wwi_tuning_tried *) tried; // belong to the first layer
    ww_log_fn log;
    void *log_user;
    _Atomic uint64_t bytes, built_programs;

    ww_context **devices; // of one whose jobs are divided: each device's context; NULL: this is one device
    wwi_counted *store;   // a ww_store begins with it
    size_t device_count;
    double tile_seconds;
    ww_device_share *shares; // of each in the last job; guarded by `lock`

    pthread_mutex_t pinned_lock; // guards what follows: what the device writes, of one fetch at a time
    wwi_pinned pinned;

    pthread_mutex_t lock; // guards what follows
    pthread_cond_t built; // signalled when a program's build ended
    wwi_program *programs;
    wwi_spare spares[WWI_SPARES]; // memory of released buffers, oldest first
    size_t spare_count;
    uint64_t spare_bytes;
    wwi_kept *kept; // last first
    bool given_up;  // by its caller: nothing is kept any more
};

struct wwi_buffer {
    ww_context *context;
    cl_mem mem;
    uint64_t bytes;
    uint64_t had; // of its memory, which may come from a released buffer
    bool foreign; // the caller's own: not part of our count of bytes
};

// All of it belongs to the one thread that uses the stream.
struct wwi_stream {
    ww_context *context;
    cl_event pending[WWI_PENDING_EVENTS]; // a ring, oldest at first_pending
    size_t first_pending, pending_count;
    size_t uncounted; // of the pending ones: enqueued before the last wwi_stream_start()
    uint64_t device_ns, launches;
    int (*progress)(void *user, uint64_t done, uint64_t total); // told of compiles; may be NULL
    void *progress_user;
    uint64_t done, total; // what it is told
    bool failed;          // a launch failed on the device after it was enqueued: `error` has its record
    ww_error error;
};

// Takes ownership of a launch's event.
void wwi_stream_keep(wwi_stream *stream, cl_event event);
// Reports a launch that is known to have failed: the first one's record replaces this thread's record.
ww_status wwi_stream_check(const wwi_stream *stream);

struct wwi_kernel {
    wwi_program *program;
    wwi_stream *stream;
    cl_kernel cl;
    uint64_t max_work_group, required_work_group, local_bytes;
    cl_uint arg_count;
    char name[64];
};

// Tells the progress function that a compile begins or has ended. WW_ERROR_CANCELLED when it asks to stop. `stream` may
// be NULL.
ww_status wwi_stream_tell_compile(const wwi_stream *stream);

// ---- programs

typedef enum wwi_build_state { WWI_BUILDING, WWI_BUILT, WWI_FAILED } wwi_build_state;

struct wwi_program {
    ww_context *context; // retained only by the programs' users, or the cache would keep its own context alive
    wwi_program *next;   // most recently used first
    size_t users;
    wwi_build_state state;
    pthread_t builder;      // WWI_BUILDING: the thread that compiles it
    char *source, *options; // together the key: whole texts, so no two programs can be confused
    cl_program cl;
    ww_error error;  // WWI_FAILED: why
    char *build_log; // WWI_FAILED: the compiler's messages, or NULL
};

// A file of the context's kernel folder. *own: the caller frees it; NULL: the context keeps the text.
ww_status wwi_kernel_text_read(ww_context *context, const char *name, const char **text, char **own);
void wwi_kernel_texts_free(ww_context *context);

// A context's programs. The caller holds the lock for each of these except wwi_programs_free().
// To the front too. None that this thread is compiling: it got here by its log function, and would wait for itself.
wwi_program *wwi_programs_find(ww_context *context, const char *source, const char *options);
void wwi_programs_unlink(ww_context *context, const wwi_program *program);
void wwi_programs_drop_user(wwi_program *program); // frees a failed one with its last user
void wwi_programs_drop_idle(ww_context *context);
void wwi_programs_free(ww_context *context);

void wwi_program_retain(wwi_program *program);

// Finds by tests how work-items of this device can exchange values.
ww_status wwi_exchange_probe(ww_context *context);

// The disk cache of program binaries. Load gives NULL when there is no valid file; store ignores failure.
bool wwi_disk_cache_wanted(const ww_device_info *info);
cl_program wwi_disk_cache_load(ww_context *context, const char *source, const char *options);
void wwi_disk_cache_store(ww_context *context, const char *source, const char *options, cl_program program);
// Removes cached files not used for `most_seconds`, and the least recently used until the others have no more than
// `most_bytes`. wwi_cache_used() records a use.
void wwi_cache_bound(const char *folder, uint64_t most_bytes, uint64_t most_seconds);
void wwi_cache_used(const char *path);

// ---- memory

// Makes host memory that the device reads and writes directly, mapped by `queue`. False: it can't be allocated.
bool wwi_pinned_make(ww_context *context, cl_command_queue queue, size_t bytes, wwi_pinned *pinned);
void wwi_pinned_free(ww_context *context, cl_command_queue queue, wwi_pinned *pinned);

unsigned char *wwi_feed_memory(const wwi_feed *feed); // of one piece, while no block is sent
// A blocking write, or read, by the driver.
ww_status wwi_buffer_put(wwi_buffer *buffer, uint64_t offset, uint64_t bytes, const void *source);
ww_status wwi_buffer_get(wwi_buffer *buffer, uint64_t offset, uint64_t bytes, void *target);
ww_status wwi_buffer_check_range(const wwi_buffer *buffer, uint64_t offset, uint64_t bytes);

// Memory of a released buffer, for one of `bytes`: *had is its size. NULL: there is none that fits.
cl_mem wwi_spares_take(ww_context *context, uint64_t bytes, uint64_t *had);
// Takes ownership of memory. False: the caller releases it.
bool wwi_spares_keep(ww_context *context, cl_mem mem, uint64_t bytes);
bool wwi_spares_free(ww_context *context); // false: there were none

#endif
