// SPDX-License-Identifier: Apache-2.0
// The file of a store: records that are appended, and what is known of them.
//
// A record is a head and `bytes` bytes. The first says of what version and part the file is; then each job's text comes
// before what its units gave. All of a file is read and its sums are compared when it is opened; what units gave is
// read again when it is taken. Only a last record can be half written: that is cut off.
#ifndef WAVEWARP_STORE_FILE_H
#define WAVEWARP_STORE_FILE_H

#include <pthread.h>

#include "base/kit.h"
#include "work/store.h"

#define WWI_STORE_MAGIC "wwstore1"
enum { WWI_STORE_SUM = 32, WWI_STORE_MOST_TEXT = 1 << 20 };
enum { WWI_RECORD_FILE = 1, WWI_RECORD_JOB = 2, WWI_RECORD_UNITS = 3 };

typedef struct wwi_record_head {
    char magic[8];
    uint32_t kind, job;
    uint64_t first, count, bytes; // of a job `count` is its units
    uint8_t sum[WWI_STORE_SUM];
} wwi_record_head;
_Static_assert(sizeof(wwi_record_head) == 72, "a record's wwi_record_head has no gaps");

typedef struct wwi_store_source {
    char *path;
    int file;
    unsigned part, part_count;
    uint64_t end; // of what is read or written
} wwi_store_source;

typedef struct wwi_kept_job {
    char *text; // lines of job, options, inputs, device
    uint64_t units, part_units;
    bool written; // the text is in this process's own file
} wwi_kept_job;

typedef struct wwi_kept_entry {
    uint32_t job;
    size_t source;
    wwi_span units;
    uint64_t at, bytes;
    bool given; // to this process: it computed it, or has taken it
} wwi_kept_entry;

struct ww_store {
    wwi_counted counted;       // by its caller and by contexts
    bool closed;               // by its caller
    pthread_mutex_t lock;      // of entries and the file
    wwi_store_source *sources; // this process's own and those of others, or all parts
    size_t source_count;
    bool read_only, any_device, made;
    uint8_t inputs[WWI_STORE_SUM];
    wwi_kept_job *jobs;
    size_t job_count, job_capacity;
    wwi_kept_entry *entries;
    size_t entry_count, entry_capacity;
    size_t begun; // jobs of this process
    uint64_t done, found;
    double synced, sync_cost;
    char job_name[64];
    char *note;
    ww_store_share share; // next NULL: this process has all units
    bool offered;         // of such a job: its part was
};

ww_status wwi_store_io_error(const wwi_store_source *s, const char *what);
ww_status wwi_store_damaged(const wwi_store_source *s);
// As many of `size` bytes as there are.
ww_status wwi_store_read_at(const wwi_store_source *s, uint64_t at, void *to, size_t size, size_t *got);
// Appends a record to this process's own file, under the lock, which gets its sum. sync: the disk has all of it.
ww_status wwi_store_append(ww_store *store, wwi_record_head *h, const void *bytes);
ww_status wwi_store_sync(ww_store *store);
// What is known: *text is taken.
ww_status wwi_store_add_job(ww_store *store, char **text, uint64_t units, bool written);
ww_status wwi_store_add_entry(ww_store *store, wwi_kept_entry e);
// The line of a text, from 0; *length of it.
const char *wwi_store_line(const char *text, int line, size_t *length);
// In what the texts of two jobs differ; NULL: in nothing.
const char *wwi_store_difference(const ww_store *store, const char *a, const char *b);
// What a file's first record says.
ww_status wwi_store_take_file_text(ww_store *store, wwi_store_source *s, const char *text);
// Reads all records that were not read yet.
ww_status wwi_store_read_file(ww_store *store, size_t which);

#endif
