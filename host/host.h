// SPDX-License-Identifier: Apache-2.0
// What src/ may use of host/: a device used through OpenCL, without any OpenCL type. Independent of series.
//
// Every function that can fail returns a ww_status and fills the thread's error record (host/error.h) when it is not
// WW_OK. Destroy functions accept NULL. Objects are counted: wwi_live_objects() is 0 when all are released.
//
// In a child made by fork() every function returns WW_ERROR_UNSUPPORTED for objects of the parent, and destroy
// functions free only host memory.
#ifndef WAVEWARP_HOST_H
#define WAVEWARP_HOST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wavewarp/context.h>

#include "base/option_names.h"
#include "error.h"

// ---- device
// -----------------------------------------------------------------------------------------------------------

// struct ww_context IS the opened device (reference counted: retain/release are thread-safe).
void wwi_context_retain(ww_context *context);
void wwi_context_release(ww_context *context);
const ww_device_info *wwi_context_info(const ww_context *context);
// Clocks a second of all of a device's compute units: what guesses of its speed begin with. Above 0.
double wwi_device_clocks(const ww_device_info *info);

// A context whose jobs are divided, among several devices or by a store, holds a context for each device, and has
// nothing of its own on a device: whatever works on one device takes one of these. Of one device it is the only one.
bool wwi_context_is_divided(const ww_context *context);
struct ww_store *wwi_context_store(const ww_context *context); // NULL: none

// What a context holds of a room that the host does not know: the first field of it. The last holder destroys it.
typedef struct wwi_counted {
    atomic_uint references;
    void (*destroy)(struct wwi_counted *counted);
} wwi_counted;
void wwi_counted_retain(wwi_counted *counted);
void wwi_counted_release(wwi_counted *counted); // NULL: nothing
ww_context *wwi_context_on(ww_context *context, size_t device);
static inline ww_context *wwi_context_first(ww_context *context) {
    return wwi_context_on(context, 0);
}
double wwi_context_tile_seconds(const ww_context *context);
// What a device of several did in a job that has ended.
void wwi_context_note_share(ww_context *context, size_t device, const ww_device_share *share);
// Whether its driver miscompiles kernels whose work-items keep arrays of their own through a loop: Mesa's llvmpipe
// (22.3).
bool wwi_context_loses_arrays(const ww_context *context);
void wwi_log(const ww_context *context, int level, const char *format, ...) __attribute__((format(printf, 3, 4)));
// Whether somebody reads messages: what only a message needs is not computed otherwise.
bool wwi_is_logged(const ww_context *context);

// What a caller's last calls made and the next may use again: a few objects of each context, which end when its caller
// gives it up. They may hold the context themselves. The struct is the first field of what is kept.
typedef struct wwi_kept {
    struct wwi_kept *next;
    void (*destroy)(struct wwi_kept *kept);
} wwi_kept;
// Takes out the one that was kept last of those that fit; NULL: none does. Until it is kept again it is the caller's.
wwi_kept *wwi_context_take(ww_context *context, bool (*fits)(const wwi_kept *kept, const void *user), const void *user);
// Destroys the one that was kept first where they become too many.
void wwi_context_keep(ww_context *context, wwi_kept *kept);

// How neighbouring work-items pass values on this device. Each except LOCAL and VECTOR was probed by compiling and
// running a tiny kernel with a known result when the context was created (and can be forced by $WAVEWARP_EXCHANGE).
typedef enum wwi_exchange {
    WWI_EXCHANGE_LOCAL = WWK_EXCHANGE_LOCAL,
    WWI_EXCHANGE_NV_SHFL = WWK_EXCHANGE_NV_SHFL,
    WWI_EXCHANGE_SUBGROUP = WWK_EXCHANGE_SUBGROUP,
    WWI_EXCHANGE_AMD_BPERMUTE = WWK_EXCHANGE_AMD_BPERMUTE
} wwi_exchange;
wwi_exchange wwi_context_exchange(const ww_context *context);
unsigned wwi_context_exchange_width(const ww_context *context); // work-items that can exchange; 1 for LOCAL
bool wwi_context_fast_double(const ww_context *context); // at half the speed of float or more; by its architecture
// Whether ww_mma of base/vendor.cl (WW_MMA=1) works here. The first call tests it; later calls return the stored
// result.
bool wwi_context_mma(ww_context *context);
// Whether programs in vectors of `vector` numbers need WW_POW_BY_LANES (base/number.cl): the device's own pow() of
// vectors is wrong. The first call for a size tests it; later calls return the stored result. WW_ERROR_UNSUPPORTED:
// WW_POW_BY_LANES is wrong too.
ww_status wwi_context_pow_by_lanes(ww_context *context, bool is_double, int vector, bool *by_lanes);

// A tuning parameter by name (e.g. "lanes.columns") from the layered tuning text; `fallback` when no layer has it.
// `kind` is the precision suffix "f32" or "f64" or NULL.
long wwi_tuning(const ww_context *context, const char *name, const char *kind, long fallback);
// Writes a parameter for exactly this device into the user's tuning file, keeping its other lines.
ww_status wwi_tuning_save(ww_context *context, const char *name, const char *kind, long value);
// The same for this context only, not written to a file. A later call or wwi_tuning_save() replaces it.
ww_status wwi_tuning_try(ww_context *context, const char *name, const char *kind, long value);
// The values that were tried so far; and back to them, without those tried or saved since. Nobody else uses the
// context.
typedef struct wwi_tuning_tried wwi_tuning_tried;
const wwi_tuning_tried *wwi_tuning_mark(const ww_context *context);
void wwi_tuning_go_back(ww_context *context, const wwi_tuning_tried *mark);
// The file wwi_tuning_save() writes, "" when there is no place for one.
const char *wwi_tuning_file(const ww_context *context);

// Counts cl objects alive in this process (contexts, queues, buffers, programs, kernels, events).
long wwi_live_objects(void);

// ---- buffers
// ----------------------------------------------------------------------------------------------------------

typedef struct wwi_buffer wwi_buffer;
// bytes >= 1; checked against the device's limits first. WW_ERROR_DEVICE_MEMORY.
ww_status wwi_buffer_create(ww_context *context, uint64_t bytes, wwi_buffer **buffer);
void wwi_buffer_destroy(wwi_buffer **buffer);
uint64_t wwi_buffer_bytes(const wwi_buffer *buffer);
// Retains a cl_mem of the caller's, from the same OpenCL context.
ww_status wwi_buffer_wrap(ww_context *context, void *cl_mem_handle, wwi_buffer **buffer);
// Device memory of CUDA that is the caller's.
ww_status wwi_buffer_wrap_cuda(ww_context *context, uint64_t memory, uint64_t bytes, wwi_buffer **buffer);
bool wwi_context_is_cuda(const ww_context *context); // its OpenCL objects are the library's own (host/cuda.h)
void *wwi_buffer_handle(const wwi_buffer *buffer);   // the cl_mem
ww_status wwi_buffer_write(wwi_buffer *buffer, uint64_t offset, uint64_t bytes, const void *source); // blocking
ww_status wwi_buffer_read(wwi_buffer *buffer, uint64_t offset, uint64_t bytes, void *target);        // blocking
// Enqueues a write to the buffer's beginning. The source has to stay until a later read or wait is done, or
// wwi_buffer_settle().
ww_status wwi_buffer_send(wwi_buffer *buffer, uint64_t bytes, const void *source);
void wwi_buffer_settle(wwi_buffer *buffer); // waits for all that was enqueued
// `bytes` of each part's buffer, from `from` on, in pieces of WWI_FETCH_PIECE bytes (the last may be shorter) that are
// passed to `take`: `bytes` bytes, at `at`. Several threads call it, for pieces in any order. Returns when all are
// processed. All buffers are of one context.
#define WWI_FETCH_PIECE (UINT64_C(1) << 19)
typedef struct wwi_fetch_part {
    wwi_buffer *buffer;
    uint64_t bytes;
    void (*take)(void *user, uint64_t at, uint64_t bytes, const void *data);
    void *user;
    uint64_t from; // in the buffer
} wwi_fetch_part;
ww_status wwi_fetch(const wwi_fetch_part *parts, size_t count);
// Fills bytes [offset, offset + bytes) of a buffer in pieces of WWI_SEND_PIECE bytes (the last may be shorter): `make`
// writes bytes [at, at + bytes) of them to `target`, and calls no OpenCL. Several threads call it, each piece once, and
// all pieces before one that failed were made. A failure leaves what was sent. Blocking.
#define WWI_SEND_PIECE (UINT64_C(1) << 19)
enum { WWI_SEND_PIECES = 4 }; // from so many on several threads make them
typedef ww_status (*wwi_send_fn)(void *user, uint64_t at, uint64_t bytes, void *target);
ww_status wwi_send(wwi_buffer *buffer, uint64_t offset, uint64_t bytes, wwi_send_fn make, void *user);
// Several of one context, by the same threads.
typedef struct wwi_sent {
    wwi_buffer *buffer;
    uint64_t offset, bytes;
    wwi_send_fn make;
    void *user;
} wwi_sent;
ww_status wwi_send_all(const wwi_sent *all, size_t count);
// For so many bytes, also of data that stay in host memory.
unsigned wwi_send_threads(const ww_context *context, uint64_t bytes);
#define WWI_SHORT (UINT64_C(1) << 14) // bytes that a driver copies as soon as through memory that the device reads
// A feed sends blocks of data to buffers, on a queue of its own, while the context's queue runs kernels: its caller
// makes sure that no kernel in progress uses those buffers. It belongs to one thread at a time.
typedef struct wwi_feed wwi_feed;
enum { WWI_FEED_THREADS = 16, WWI_FEED_PARTS = 128 }; // at most
typedef struct wwi_feed_part {
    wwi_buffer *buffer;
    uint64_t at, bytes; // of the buffer
    uint64_t from;      // where they are in the slot
} wwi_feed_part;
// Fills `slot` with piece `piece` of a block and says where its parts go. Several threads call it, for pieces in any
// order; it calls no OpenCL. A status that is not WW_OK ends the block.
typedef ww_status (*wwi_feed_make_fn)(void *user, uint64_t piece, void *slot, wwi_feed_part *parts, size_t *count);
// `threads` beside the caller's, `slot_bytes` for a piece. The context's queue should be idle before the first block:
// a new buffer may have memory that a kernel in progress still uses.
ww_status wwi_feed_create(ww_context *context, unsigned threads, uint64_t slot_bytes, wwi_feed **feed);
void wwi_feed_destroy(wwi_feed **feed);
// Begins a block, which `threads` of the feed's threads at most make beside the caller's. wwi_feed_wait() returns when
// it is on the device, or the first failure; wwi_feed_rest() gives up what is left of it, keeps the thread's error
// record, and ends the threads until the next block. One of the two has to follow before what `make` reads is freed.
void wwi_feed_start(wwi_feed *feed, uint64_t pieces, unsigned threads, wwi_feed_make_fn make, void *user);
ww_status wwi_feed_wait(wwi_feed *feed);
void wwi_feed_rest(wwi_feed *feed);
// A feed that the context keeps, or a new one; and back to the context, after its threads have ended.
ww_status wwi_feed_take(ww_context *context, unsigned threads, uint64_t slot_bytes, wwi_feed **feed);
void wwi_feed_keep(wwi_feed **feed);

ww_status wwi_buffer_fill_u32(wwi_buffer *buffer, uint64_t offset, uint64_t bytes, uint32_t pattern);
ww_status wwi_buffer_copy(wwi_buffer *source, uint64_t source_offset, wwi_buffer *target, uint64_t target_offset,
                          uint64_t bytes);
// `rows` rows of row_bytes, one after the other in the source and every stride_bytes from target_offset on in the
// target.
ww_status wwi_buffer_copy_rows(wwi_buffer *source, wwi_buffer *target, uint64_t target_offset, uint64_t row_bytes,
                               uint64_t rows, uint64_t stride_bytes);
// Device bytes a new buffer may have: free by our own count against the device's memory, and the largest single buffer.
uint64_t wwi_context_bytes_free(const ww_context *context);
uint64_t wwi_context_max_buffer(const ww_context *context);

// ---- programs and kernels
// ---------------------------------------------------------------------------------------------

// One compiled program, shared by all plans of a context with the same text and options (single-flight cache).
typedef struct wwi_program wwi_program;
typedef struct wwi_source {
    const char *name; // file under kernels_cl/, e.g. "engine/lanes.cl"; or, with text, the name for messages
    const char *text; // NULL: read from the kernel folder or the built-in copy; else this text (a user's)
} wwi_source;
// Joins the sources, each behind `#line 1 "name"`, in order. `options`: "-DWW_...=..." text; part of the cache key.
// WW_ERROR_BUILD: log kept for ww_last_build_log(); WW_ERROR_KERNEL_SOURCE.
ww_status wwi_program_get(ww_context *context, const wwi_source *sources, size_t count, const char *options,
                          wwi_program **program);
void wwi_program_release(wwi_program **program);

// A stream: the launches of one operation (a plan, a search, the work on an index) that are not yet known to have
// ended, their device time, and the first of its errors. It belongs to one thread at a time. All streams of a context
// share its one in-order queue: because of that, memory of a released buffer is used again at once.
typedef struct wwi_stream wwi_stream;
ww_status wwi_stream_create(ww_context *context, wwi_stream **stream);
// Lets a progress function watch the stream's compiles (wavewarp/run.h). NULL: none. It is told what was told last, or
// 0 of 1.
void wwi_stream_watch(wwi_stream *stream, int (*progress)(void *user, uint64_t done, uint64_t total), void *user);
// Tells a progress function, unless it is NULL, and asks the thread's interrupt function. WW_ERROR_CANCELLED when one
// of them asks to stop.
ww_status wwi_run_report(int (*progress)(void *user, uint64_t done, uint64_t total), void *user, uint64_t done,
                         uint64_t total);
// `stream` may be NULL.
void wwi_stream_told(wwi_stream *stream, uint64_t done, uint64_t total);
// wwi_program_get() that tells it before and after a compile. WW_ERROR_CANCELLED. `stream` may be NULL.
ww_status wwi_stream_program(wwi_stream *stream, ww_context *context, const wwi_source *sources, size_t count,
                             const char *options, wwi_program **program);
// Call it after the kernels created on the stream are destroyed.
void wwi_stream_destroy(wwi_stream **stream);
// Begins a run: launches and device time count from 0, an error of the run before is forgotten.
void wwi_stream_start(wwi_stream *stream);
// Waits for the stream's launches. When one of them failed on the device, this and every later launch and wait until
// wwi_stream_start() returns the first one's error.
ww_status wwi_finish(wwi_stream *stream);
// How a run ends: waits as wwi_finish(), also after a failure. `status` is the run's status so far; the first error
// remains the thread's record. (What fails after a failed launch, unless it was asked to stop, is that launch's
// consequence.)
ww_status wwi_finish_after(wwi_stream *stream, ww_status status);
// Reads, blocking, what the stream's launches made. An error where one of them failed on the device: then the data may
// be anything, and it must not become an index or a size.
ww_status wwi_stream_read(wwi_stream *stream, wwi_buffer *buffer, uint64_t offset, uint64_t bytes, void *target);
// Waits for the launches one after the other, all but the last, and keeps their times: the host has to do that anyway,
// and does it here while the device works. Failures are told by the read that follows.
void wwi_stream_follow(wwi_stream *stream);
uint64_t wwi_stream_launches(const wwi_stream *stream); // since the start
double wwi_stream_seconds(const wwi_stream *stream);    // device time of the launches known to have ended

// A kernel object belongs to one stream, which outlives it.
typedef struct wwi_kernel wwi_kernel;
ww_status wwi_kernel_create(wwi_stream *stream, wwi_program *program, const char *name, wwi_kernel **kernel);
void wwi_kernel_destroy(wwi_kernel **kernel);
uint64_t wwi_kernel_max_work_group(const wwi_kernel *kernel);

typedef struct wwi_arg {
    enum { WWI_ARG_VALUE, WWI_ARG_BUFFER, WWI_ARG_LOCAL } kind;
    size_t bytes;      // VALUE: sizeof; LOCAL: bytes of local memory
    const void *value; // VALUE: address of the value; BUFFER: the wwi_buffer (NULL gives a null pointer)
} wwi_arg;
#define WWI_VALUE(v) ((wwi_arg){WWI_ARG_VALUE, sizeof(v), &(v)})
#define WWI_BUFFER(b) ((wwi_arg){WWI_ARG_BUFFER, 0, (b)})
#define WWI_LOCAL(n) ((wwi_arg){WWI_ARG_LOCAL, (n), NULL})

// Sets the arguments and enqueues `groups` work-groups of `group_size` work-items (1-D). Validated before it is
// enqueued (sizes >= 1, group size and local memory against the kernel's and device's limits). `group_size` 0 is an
// error.
ww_status wwi_launch(wwi_kernel *kernel, uint64_t groups, uint64_t group_size, const wwi_arg *args, size_t count);

// ---- interrupts
// ----------------------------------------------------------------------------------------------------------

// Whether the thread has an interrupt function (wavewarp/run.h).
bool wwi_can_interrupt(void);
// Asks it, unless that was done just now: a loop of the host may call this every few microseconds. WW_ERROR_CANCELLED.
ww_status wwi_interrupted(void);
enum { WWI_INTERRUPTED = 1 << 16 }; // values that such a loop may take from call to call

// ---- threads, and their memory
// ----------------------------------------------------------------------------------------------------------

enum { WWI_MOST_THREADS = 64 };
// Memory as of malloc() for a result that may be large, and its end: the last large one's pages stay for the next,
// which is computed anew all the time in a loop, unless the system needs them.
void *wwi_large_new(size_t bytes);
void wwi_large_free(void *array, size_t bytes);
unsigned wwi_processors(void); // that this process may use, WWI_MOST_THREADS at most
// Calls `work` with 0 .. count-1, each in a thread of its own but the first, which is the caller's.
void wwi_in_threads(unsigned count, void (*work)(void *user, unsigned index), void *user);
// Has pages of a large array that is about to be filled made by several threads, where the kernel can: while the device
// works, and not when its results come. What the array holds stays. WW_ERROR_CANCELLED.
ww_status wwi_make_pages(void *array, size_t bytes);
// Calls `each` with pieces 0 .. pieces-1, in ascending order, from so many threads. A status that is not WW_OK, and an
// interrupt of the caller's thread, end it: all pieces before one that failed were computed.
typedef ww_status (*wwi_share_fn)(void *user, uint64_t piece);
ww_status wwi_share(unsigned threads, uint64_t pieces, wwi_share_fn each, void *user);

// ---- the rest
// ---------------------------------------------------------------------------------------------------------

double wwi_seconds(void);                                              // monotonic clock
void wwi_checksum(const void *data, size_t bytes, uint8_t digest[32]); // SHA-256
void wwi_checksum_text(const void *data, size_t bytes, char text[65]); // in hexadecimal digits
// Reads a whole file as terminated text (free with free). Fails with `status`, naming the path.
ww_status wwi_file_read(const char *path, ww_status status, char **text, size_t *bytes);
bool wwi_mul_u64(uint64_t a, uint64_t b, uint64_t *product); // false on overflow
bool wwi_add_u64(uint64_t a, uint64_t b, uint64_t *sum);

#endif
